package rpc

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// peer is the server's side of a connection.
type peer struct {
	t  *testing.T
	nc net.Conn
	r  *bufio.Reader
}

// received is a frame that a client sent.
type received struct {
	id, retry int64
	method    string
	body      []byte
}

// dialer returns a dial function that connects to a server. The server runs serve for each
// connection.
func dialer(t *testing.T, serve func(p *peer)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		p := &peer{t, server, bufio.NewReader(server)}
		go func() {
			defer server.Close()
			hello := make([]byte, 7)
			if _, err := io.ReadFull(p.r, hello); err != nil || string(hello) != "hrpc\x09\x00\x00" {
				t.Errorf("hello %q, %v", hello, err)
				return
			}
			if f, err := p.next(); err != nil || f.id != contextCall {
				t.Errorf("context %v, %v", f, err)
				return
			}
			serve(p)
		}()
		return client, nil
	}
}

func (p *peer) next() (f received, err error) {
	var n [4]byte
	if _, err = io.ReadFull(p.r, n[:]); err != nil {
		return f, err
	}
	b := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err = io.ReadFull(p.r, b); err != nil {
		return f, err
	}
	head, b, _ := pb.CutDelimited(b)
	for r := pb.Read(head); r.Next(); {
		switch r.Num {
		case 3:
			f.id = r.Sint()
		case 5:
			f.retry = r.Sint()
		}
	}
	call, b, _ := pb.CutDelimited(b)
	for r := pb.Read(call); r.Next(); {
		if r.Num == 1 && f.id >= 0 {
			f.method = r.String()
		}
	}
	f.body, _, _ = pb.CutDelimited(b)
	return f, nil
}

func (p *peer) reply(id int64, body string) {
	p.nc.Write(Frame(pb.Message(nil).Int(1, id).Uint(2, statusSuccess), pb.Message(body)))
}

func (p *peer) refuse(id int64, status uint64, class, message string) {
	p.nc.Write(Frame(pb.Message(nil).Int(1, id).Uint(2, status).String(4, class).String(5, message)))
}

func options(dial func(context.Context, string, string) (net.Conn, error)) Options {
	return Options{Protocol: "p", User: "me", Dial: dial, Connect: 5 * time.Second, Call: 100 * time.Second,
		Ping: 30 * time.Second, Idle: 10 * time.Second, MaxResponse: 1000}
}

func connect(t *testing.T, serve func(p *peer)) *Conn {
	c, err := Connect(t.Context(), "nn:8020", options(dialer(t, serve)))
	require.NoError(t, err)
	return c
}

func call(id int32) Call { return Call{ID: id, Method: "m", Request: []byte("hello")} }

// TestAnswersInAnyOrder checks that each of many concurrent calls receives its answer if the
// answers come in reverse order.
func TestAnswersInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20
		c := connect(t, func(p *peer) {
			var all []received
			for range n {
				f, err := p.next()
				if err != nil || string(f.body) != "hello" || f.method != "m" {
					t.Errorf("%v, %v", f, err)
				}
				all = append(all, f)
			}
			for i := range all {
				f := all[len(all)-1-i]
				p.reply(f.id, fmt.Sprint("answer ", f.id))
			}
			p.next()
		})
		defer c.Close()
		var wg sync.WaitGroup
		for i := range int32(n) {
			wg.Go(func() {
				b, err := c.Do(t.Context(), call(i))
				if err != nil || string(b) != fmt.Sprint("answer ", i) {
					t.Errorf("call %d: %q, %v", i, b, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestExceptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(p *peer) {
			f, _ := p.next()
			p.refuse(f.id, statusError, "java.io.IOException", "no")
			p.next()
			p.refuse(-1, 2, "org.apache.hadoop.security.AccessControlException", "go away")
			p.next() // unlike a socket, a pipe rejects deadlines after the peer closed it, and the data would remain unread
		})
		_, err := c.Do(t.Context(), call(1))
		require.Equal(t, &RemoteError{"java.io.IOException", "no"}, err)
		require.True(t, c.Alive())
		_, err = c.Do(t.Context(), call(2))
		require.Equal(t, &RemoteError{"org.apache.hadoop.security.AccessControlException", "go away"}, err)
		<-c.Done()
		_, err = c.Do(t.Context(), call(3))
		var lost *LostError
		require.ErrorAs(t, err, &lost)
		require.False(t, lost.Sent)
	})
}

// TestSilence checks that the client pings a silent server and then treats it as lost. A call whose
// context ends does not affect other calls.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int32
		c := connect(t, func(p *peer) {
			for {
				f, err := p.next()
				if err != nil {
					return
				}
				if f.id == pingCall {
					pings.Add(1)
				}
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Do(ctx, call(1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, c.Alive())

		began := time.Now()
		_, err = c.Do(t.Context(), call(2))
		var lost *LostError
		require.ErrorAs(t, err, &lost)
		require.True(t, lost.Sent)
		require.Equal(t, 100*time.Second, time.Since(began))
		<-c.Done()
		require.GreaterOrEqual(t, pings.Load(), int32(3))
	})
}

// TestAnswerBeforePing checks that the client receives an answer although the server does not read
// the client's ping until it has sent the answer.
func TestAnswerBeforePing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(p *peer) {
			f, _ := p.next()
			time.Sleep(15 * time.Second) // the client pings after 10 s
			p.reply(f.id, "")
			if f, err := p.next(); err != nil || f.id != pingCall {
				t.Errorf("no ping: %v, %v", f, err)
			}
			p.next()
		})
		began := time.Now()
		_, err := c.Do(t.Context(), call(1))
		require.NoError(t, err)
		require.Equal(t, 15*time.Second, time.Since(began))
		synctest.Wait() // until the server has read the ping
		c.Close()
	})
}

func TestIdleConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(p *peer) {
			f, _ := p.next()
			p.reply(f.id, "")
			p.next()
		})
		_, err := c.Do(t.Context(), call(1))
		require.NoError(t, err)
		began := time.Now()
		<-c.Done()
		require.InDelta(t, 10*time.Second, time.Since(began), float64(10*time.Second))
	})
}

// TestCutConnection checks that a broken connection is an error, never the end of an answer.
func TestCutConnection(t *testing.T) {
	for _, answer := range []string{"", "\x00\x00", "\x00\x00\x00\x20half", "HTTP/1.1 400", "\x00\x00\x00\x01\xff",
		"\x00\x00\x00\x00"} {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, func(p *peer) {
				p.next()
				p.nc.Write([]byte(answer))
			})
			_, err := c.Do(t.Context(), call(1))
			var lost *LostError
			require.ErrorAs(t, err, &lost, "%q", answer)
			require.True(t, lost.Sent)
			require.False(t, errors.Is(err, io.EOF))
			<-c.Done()
		})
	}
}

func TestConnectFails(t *testing.T) {
	o := options(func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe })
	_, err := Connect(t.Context(), "nn:1", o)
	var lost *LostError
	require.ErrorAs(t, err, &lost)
	require.False(t, lost.Sent)
	require.ErrorContains(t, err, "nn:1")
}

func FuzzResponse(f *testing.F) {
	f.Add(Frame(pb.Message(nil).Int(1, 7).Uint(2, 1).String(4, "c").String(5, "m"), pb.Message("body"))[4:])
	f.Fuzz(func(t *testing.T, frame []byte) {
		h, body, err := parseResponse(frame)
		if err == nil && len(body) > len(frame) {
			t.Fatal(h, body)
		}
	})
}

// A negotiator is a Security that fails with err.
type negotiator struct{ err error }

func (n negotiator) Negotiate(context.Context, net.Conn, Server) (net.Conn, string, error) {
	return nil, "", n.err
}

// TestBrokenHandshake checks that a NameNode that stops during a login counts as lost. A NameNode
// that rejects the login does not.
func TestBrokenHandshake(t *testing.T) {
	refused, noTicket := errors.New("no credentials"), failure.New(failure.Permission, "find ticket", "", syscall.ENOENT)
	for err, lost := range map[error]bool{io.EOF: true, fmt.Errorf("token: %w", io.ErrUnexpectedEOF): true,
		&net.OpError{Op: "read", Err: io.ErrClosedPipe}: true, refused: false, noTicket: false} {
		o := options(func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go io.Copy(io.Discard, server)
			return client, nil
		})
		o.Security = negotiator{err}
		_, got := Connect(t.Context(), "nn:1", o)
		var l *LostError
		require.Equal(t, lost, errors.As(got, &l), "%v", got)
	}
}
