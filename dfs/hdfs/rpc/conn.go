// Package rpc is a client of Hadoop's RPC (version 9, protocol-buffer engine): one connection to a server, on which many calls
// are in flight at a time.
package rpc

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/pb"
)

// Options tell how to reach a server and how long to wait for it. All are needed unless they say otherwise.
type Options struct {
	Protocol string   // Java interface: "org.apache.hadoop.hdfs.protocol.ClientProtocol"
	User     string   // who calls; the handshake of Security may know better
	ClientID [16]byte // with the number of a call it tells the server that a call is repeated
	Security Security // nil = SIMPLE: the server believes User
	Service  string   // for Security
	// Dial connects.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	Connect time.Duration // ipc.client.connect.timeout: for connecting and for the handshake, each
	Call    time.Duration // ipc.client.rpc-timeout.ms: for the answer to a call; then the server counts as lost
	Ping    time.Duration // ipc.ping.interval: how often a server that is silent is written to
	Idle    time.Duration // ipc.client.connection.maxidletime: a connection without calls is closed after it
	// MaxResponse limits an answer, in bytes (ipc.maximum.response.length).
	MaxResponse int
}

// Call is one call. A repetition of a call has its ID, so that the server can recognise it, and counts in Retry.
type Call struct {
	ID, Retry int32
	Method    string
	Request   []byte // encoded message
}

// RemoteError is an exception that the server threw.
type RemoteError struct {
	Class   string // "java.io.FileNotFoundException"
	Message string
}

func (e *RemoteError) Error() string {
	if e.Message == "" {
		return e.Class
	}
	return e.Message
}

// LostError means that there is no answer: the connection broke or could not be made, or the server was silent for too long.
type LostError struct {
	Addr string
	Sent bool // the call may have been executed
	Err  error
}

func (e *LostError) Error() string { return e.Addr + ": " + e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

var (
	errIdle   = errors.New("the connection was not used and was closed")
	errClosed = errors.New("the connection was closed")
)

// Conn is a connection. All methods may be called concurrently.
type Conn struct {
	o    Options
	addr string
	nc   net.Conn
	done chan struct{} // closed when the reader has ended

	writing chan struct{} // holds an element while a frame is written

	mu      sync.Mutex
	calls   map[int32]chan<- result // that wait for an answer
	lastUse time.Time
	err     error // why the connection ended
}

type result struct {
	body []byte
	err  error
}

// Connect connects and introduces us. The error is a *LostError, or a *RemoteError if the server turned us away, or what Security
// gave.
func Connect(ctx context.Context, addr string, o Options) (*Conn, error) {
	dialing, cancel := context.WithTimeout(ctx, o.Connect)
	defer cancel()
	nc, err := o.Dial(dialing, "tcp", addr)
	if err != nil {
		return nil, &LostError{Addr: addr, Err: err}
	}
	c := &Conn{o: o, addr: addr, nc: nc, done: make(chan struct{}), writing: make(chan struct{}, 1), calls: map[int32]chan<- result{}, lastUse: time.Now()}
	if err := c.handshake(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	go c.read()
	return c, nil
}

// Done is closed when the connection can no longer be used.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Alive tells whether the connection takes calls.
func (c *Conn) Alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil
}

// Close ends the connection; calls in flight fail. It returns when its goroutine has ended.
func (c *Conn) Close() {
	c.fail(errClosed)
	<-c.done
}

// Do makes a call and waits for the answer, which is an encoded message. Errors are *RemoteError, *LostError or ctx's.
func (c *Conn) Do(ctx context.Context, call Call) ([]byte, error) {
	answer := make(chan result, 1)
	if err := c.register(call.ID, answer); err != nil {
		return nil, &LostError{Addr: c.addr, Err: err}
	}
	defer c.forget(call.ID)
	if err := c.send(ctx, c.frame(call)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, c.lost(err)
	}
	limit := time.NewTimer(c.o.Call)
	defer limit.Stop()
	select {
	case r := <-answer:
		return r.body, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-limit.C:
		err := fmt.Errorf("no answer to %s within %v: %w", call.Method, c.o.Call, os.ErrDeadlineExceeded)
		c.fail(err)
		return nil, c.lost(err)
	}
}

// lost reports what became of a call that was sent, or was being sent.
func (c *Conn) lost(err error) error { return &LostError{Addr: c.addr, Sent: true, Err: err} }

func (c *Conn) register(id int32, answer chan<- result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if c.calls[id] != nil {
		return fmt.Errorf("call %d is in flight already", id)
	}
	c.calls[id] = answer
	c.lastUse = time.Now()
	return nil
}

func (c *Conn) forget(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
	c.lastUse = time.Now()
}

// answer gives a call its result; an answer that nobody waits for any more is dropped.
func (c *Conn) answer(id int32, r result) {
	c.mu.Lock()
	ch := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if ch != nil {
		ch <- r
	}
}

// fail ends the connection; the first reason counts.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	calls := c.calls
	c.calls = map[int32]chan<- result{}
	c.mu.Unlock()
	c.nc.Close()
	var remote *RemoteError
	for _, ch := range calls {
		if errors.As(err, &remote) {
			ch <- result{err: remote}
		} else {
			ch <- result{err: c.lost(err)}
		}
	}
}

// send writes a frame. A connection on which only a part of it could be written in time is of no use any more.
func (c *Conn) send(ctx context.Context, frame []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.writing }()
	// A server that does not read may be as slow as one that does not answer.
	err := c.nc.SetWriteDeadline(time.Now().Add(c.o.Call))
	stop := context.AfterFunc(ctx, func() { c.nc.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	if err == nil {
		_, err = c.nc.Write(frame)
	}
	if err != nil {
		c.fail(err)
	}
	return err
}

// read owns the receiving side until the connection ends.
func (c *Conn) read() {
	defer close(c.done)
	r := bufio.NewReaderSize(c.nc, 32<<10)
	for {
		frame, err := c.next(r)
		if err == nil && frame == nil {
			continue
		}
		if err == nil {
			err = c.deliver(frame)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// next reads a frame. After some silence it gives nil, having closed an idle connection or pinged a busy one.
func (c *Conn) next(r *bufio.Reader) ([]byte, error) {
	if err := c.nc.SetReadDeadline(time.Now().Add(min(c.o.Ping, c.o.Idle))); err != nil {
		return nil, err
	}
	head, err := r.Peek(4)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, c.silence()
	}
	if err != nil {
		return nil, noEOF(err)
	}
	n := binary.BigEndian.Uint32(head)
	if uint64(n) > uint64(c.o.MaxResponse) {
		return nil, fmt.Errorf("an answer of %d bytes: is this the port of Hadoop's RPC?", n)
	}
	r.Discard(4)
	frame := make([]byte, n)
	if err := c.nc.SetReadDeadline(time.Now().Add(c.o.Call)); err != nil {
		return nil, err
	}
	_, err = io.ReadFull(r, frame)
	return frame, noEOF(err)
}

// noEOF makes an error of the end of a stream, so that nobody takes it for the end of data.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// silence decides what to do with a connection on which nothing was heard.
func (c *Conn) silence() error {
	c.mu.Lock()
	waiting, idle := len(c.calls) > 0, time.Since(c.lastUse)
	c.mu.Unlock()
	switch {
	case waiting:
		return c.send(context.Background(), pingFrame(c.o.ClientID))
	case idle >= c.o.Idle:
		return errIdle
	}
	return nil
}

// deliver hands the answer in a frame to its call.
func (c *Conn) deliver(frame []byte) error {
	h, body, err := parseResponse(frame)
	if err != nil {
		return err
	}
	switch h.status {
	case statusSuccess:
		body, _, ok := pb.CutDelimited(body)
		if !ok {
			return errors.New("an answer without a message")
		}
		c.answer(h.callID, result{body: body})
	case statusError:
		c.answer(h.callID, result{err: &h.err})
	default: // the server closes the connection
		return &h.err
	}
	return nil
}
