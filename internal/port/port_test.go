package port

import (
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// pipes is a listener for in-memory connections.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns the client's end of a new connection.
func (p pipes) dial() net.Conn {
	near, far := net.Pipe()
	p <- far
	return near
}

// isClosed reports whether the other end has closed a connection.
func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err == io.EOF
}

func TestWaitingConnectionsMakeRoom(t *testing.T) {
	in := make(pipes, 10)
	l := limit(in, 2)
	accept := func() (near net.Conn, far net.Conn) {
		near = in.dial()
		far, err := l.Accept()
		require.NoError(t, err)
		return near, far
	}
	busy, far := accept()
	Busy(far)
	oldest, _ := accept()
	newest, last := accept()
	require.True(t, isClosed(oldest), "the oldest waiting connection makes room")
	require.False(t, isClosed(busy))
	require.False(t, isClosed(newest))

	Busy(last)
	refused := in.dial() // all connections are busy
	close(in)
	_, err := l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.True(t, isClosed(refused))
	require.False(t, isClosed(busy))
	require.False(t, isClosed(newest))

	Idle(far)
	require.NoError(t, far.Close())
	require.NoError(t, last.Close())
	require.Zero(t, l.open)
	require.Zero(t, l.waiting.Len())
	Idle(last)
	require.Zero(t, l.waiting.Len(), "a closed connection does not wait")
}

// TestServerMarksConnections checks that requests make a connection busy and responses make it wait.
func TestServerMarksConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(pipes, 1)
		l := limit(in, 10)
		gate := make(chan struct{})
		s := &http.Server{ConnState: ConnState, Handler: Paced(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			<-gate
		}))}
		done := make(chan error, 1)
		go func() { done <- s.Serve(l) }()
		c := in.dial()
		synctest.Wait()
		require.Equal(t, 1, l.waiting.Len())
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		synctest.Wait()
		require.Zero(t, l.waiting.Len())
		close(gate)
		_, err = c.Read(make([]byte, 1000))
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, 1, l.waiting.Len())
		require.NoError(t, s.Close())
		<-done
	})
}

func TestSlowClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(pipes, 1)
		result := make(chan error, 1)
		s := &http.Server{Handler: Paced(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			if err == nil {
				_, err = io.Copy(w, strings.NewReader(strings.Repeat("x", 1<<20)))
			}
			result <- err
		}))}
		done := make(chan error, 1)
		go func() { done <- s.Serve(in) }()
		for _, request := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nslow"} {
			c := in.dial()
			began := time.Now()
			_, err := io.WriteString(c, request)
			require.NoError(t, err)
			require.Error(t, <-result, "the client neither reads the response nor sends the rest of the body")
			require.LessOrEqual(t, time.Since(began), 2*time.Minute)
			c.Close()
		}
		c := in.dial()
		_, err := io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
		require.NoError(t, err)
		for i := range 15 { // slow, but steady: a response can take longer than the limit of one write
			_, err := io.CopyN(io.Discard, c, 64<<10)
			require.NoError(t, err, i)
			time.Sleep(30 * time.Second)
		}
		_, err = io.Copy(io.Discard, c)
		require.NoError(t, err)
		require.NoError(t, <-result)
		require.NoError(t, s.Close())
		<-done
	})
}

func TestListen(t *testing.T) {
	l, err := Listen("some.key", "127.0.0.1:0", Half)
	require.NoError(t, err)
	defer l.Close()
	most, err := Listen("some.key", "127.0.0.1:0", Most)
	require.NoError(t, err)
	defer most.Close()
	var files syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	require.EqualValues(t, min(20_000, files.Cur/8*4), l.max)
	require.EqualValues(t, min(20_000, files.Cur/8*6), most.max)
	_, err = Listen("some.key", l.Addr().String(), Half)
	require.True(t, failure.Is(err, failure.IO), "%v", err)
	require.ErrorContains(t, err, "listen at some.key "+l.Addr().String()+": address already in use; stop the process")
	_, err = Listen("some.key", "192.0.2.1:0", Half) // an address for documentation, which no host has
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}
