// Package rpc is a client of Hadoop's RPC (version 9, protocol-buffer engine). Connect returns a
// Conn, which is one connection with many concurrent calls.
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

	"github.com/howdah/howdah/internal/pb"
)

// Options contains the server's protocol, the caller's identity, and the limits of calls. All
// fields are required unless documented otherwise.
type Options struct {
	Protocol string   // Java interface: "org.apache.hadoop.hdfs.protocol.ClientProtocol"
	User     string   // the caller; Security can return another name
	ClientID [16]byte // with a call's number, identifies a retried call to the server
	Security Security // nil means SIMPLE: the server trusts User
	Service  string   // for Security
	// Dial connects to the server.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	Connect time.Duration // ipc.client.connect.timeout, for the connection and again for the handshake
	Call    time.Duration // ipc.client.rpc-timeout.ms: maximum time to wait for an answer before the server counts as lost
	Ping    time.Duration // ipc.ping.interval: how long the server is silent before a ping
	Idle    time.Duration // ipc.client.connection.maxidletime: how long an unused connection stays open
	// MaxResponse is the maximum size of an answer, in bytes (ipc.maximum.response.length).
	MaxResponse int
}

// Call is one call. A retried call has the same ID, so that the server recognizes it, and a higher
// Retry.
type Call struct {
	ID, Retry int32
	Method    string
	Request   []byte // encoded message
}

// RemoteError is an exception from the server.
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

// LostError means that a call received no answer. The connection failed or broke, or the server was
// silent for too long.
type LostError struct {
	Addr string
	Sent bool // the server may have executed the call
	Err  error
}

func (e *LostError) Error() string { return e.Addr + ": " + e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

var (
	errIdle   = errors.New("the connection was closed because it was idle")
	errClosed = errors.New("the connection was closed")
)

// Conn is a connection to a server. It is safe for concurrent use.
type Conn struct {
	o    Options
	addr string
	nc   net.Conn
	done chan struct{} // closed when the reader has ended

	writing chan struct{} // contains an element while a goroutine writes a frame

	mu      sync.Mutex
	calls   map[int32]chan<- result // calls that are waiting for an answer
	lastUse time.Time
	err     error // reason for the end of the connection
}

type result struct {
	body []byte
	err  error
}

// Connect connects to a server and performs the handshake. The error is a *LostError, a
// *RemoteError if the server rejected the connection, an error from Options.Security, or ctx's
// error.
func Connect(ctx context.Context, addr string, o Options) (*Conn, error) {
	dialing, cancel := context.WithTimeout(ctx, o.Connect)
	defer cancel()
	nc, err := o.Dial(dialing, "tcp", addr)
	if err != nil {
		return nil, &LostError{Addr: addr, Err: err}
	}
	c := &Conn{o: o, addr: addr, nc: nc, done: make(chan struct{}), writing: make(chan struct{}, 1),
		calls: map[int32]chan<- result{}, lastUse: time.Now()}
	if err := c.handshake(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	go c.read()
	return c, nil
}

// Done returns a channel that is closed when the connection can no longer be used.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Alive reports whether the connection accepts calls.
func (c *Conn) Alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil
}

// Close closes the connection and waits for its goroutine. Calls in flight fail.
func (c *Conn) Close() {
	c.fail(errClosed)
	<-c.done
}

// Do makes a call and returns the encoded answer. The error is a *RemoteError, a *LostError, or
// ctx's error.
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

// lost returns the error of a call that failed with err after sending had started.
func (c *Conn) lost(err error) error { return &LostError{Addr: c.addr, Sent: true, Err: err} }

func (c *Conn) register(id int32, answer chan<- result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if c.calls[id] != nil {
		return fmt.Errorf("call %d is already in flight", id)
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

// answer delivers r to the call with the given id. If no call with that id is waiting, answer drops
// r.
func (c *Conn) answer(id int32, r result) {
	c.mu.Lock()
	ch := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if ch != nil {
		ch <- r
	}
}

// fail closes the connection, records the reason, and makes the RPCs in flight return an error.
// Only the first call to fail has an effect.
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

// send writes a frame. A write error makes the connection unusable because the server may have
// received part of the frame.
func (c *Conn) send(ctx context.Context, frame []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.writing }()
	// The time limit for an answer also applies to a server that does not read.
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

// read runs the receiving side until the connection ends.
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

// next reads a frame. If the server sends nothing for the ping interval or the idle time, whichever
// is shorter, next calls silence and returns no frame.
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
		return nil, fmt.Errorf("an answer of %d bytes: is this the port for Hadoop's RPC?", n)
	}
	r.Discard(4)
	frame := make([]byte, n)
	if err := c.nc.SetReadDeadline(time.Now().Add(c.o.Call)); err != nil {
		return nil, err
	}
	_, err = io.ReadFull(r, frame)
	return frame, noEOF(err)
}

// noEOF converts io.EOF to an error that cannot be mistaken for the end of data.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// silence sends a ping if calls are waiting, and returns errIdle if the connection is idle. It is
// for a server that has sent nothing for a while.
func (c *Conn) silence() error {
	c.mu.Lock()
	waiting, idle := len(c.calls) > 0, time.Since(c.lastUse)
	c.mu.Unlock()
	switch {
	case waiting:
		// The reader must not wait for the write, because a server might not read until the client
		// has read an answer. If the write fails, send closes the connection.
		go c.send(context.Background(), pingFrame(c.o.ClientID))
	case idle >= c.o.Idle:
		return errIdle
	}
	return nil
}

// deliver delivers the answer in a frame to the call that is waiting for it.
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
