// Package port protects the ports of daemons from clients that open connections and send or accept
// nothing. Limit bounds the number of connections, and Paced closes the connections of clients that
// are too slow.
package port

import (
	"container/list"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"

	"github.com/howdah/howdah/job/failure"
)

// maxConns is the maximum number of connections of one port. It permits two connections for each of
// 10,000 TaskTrackers.
const maxConns = 20_000

// Listener bounds the number of open connections. A connection is waiting until Busy is called, and
// again after Idle is called. If the limit is reached, the Listener closes the oldest waiting
// connection to make room for a new one, so that clients that send nothing cannot keep others out.
// If no connection is waiting, the Listener closes the new one.
type Listener struct {
	net.Listener
	max int

	mu      sync.Mutex
	open    int
	waiting *list.List // of *Conn, the oldest first
}

// Share is the part of the files that the process can open that the connections of a port can use,
// in eighths. The daemon needs the other files, for example for its journal.
type Share int

// Most is for a port through which thousands of daemons and clients call, and Few is for the pages
// of the same process. Half is for a process that has only one port.
const (
	Few  Share = 1
	Half Share = 4
	Most Share = 6
)

// Listen listens at addr, a TCP address. key is the configuration key that contains it. The port
// allows at most 20,000 connections, or fewer if the process cannot open enough files. The error is
// of kind IO if another process uses the address, and otherwise of kind Config.
func Listen(key, addr string, s Share) (*Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, failure.New(failure.IO, "listen at "+key, addr, syscall.EADDRINUSE).
			Fix("stop the process that uses the address, or choose another address or port 0")
	}
	if err != nil {
		return nil, failure.New(failure.Config, "listen at "+key, addr, err).Fix("choose an address of this host")
	}
	most := maxConns
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && files.Cur/8*uint64(s) < maxConns {
		most = int(files.Cur/8) * int(s)
	}
	return limit(l, most), nil
}

func limit(l net.Listener, most int) *Listener {
	return &Listener{Listener: l, max: max(most, 1), waiting: list.New()}
}

// Accept waits for the next connection, which is a *Conn. It closes connections over the limit, as
// Listener describes.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &Conn{Conn: inner, port: l}
		victim := l.enter(c)
		if victim != nil {
			_ = victim.Close()
		}
		if victim != c {
			return c, nil
		}
	}
}

// enter counts a connection and marks it as waiting. If there are too many connections, it returns
// the one to close.
func (l *Listener) enter(c *Conn) (victim *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.max {
		victim = c
		if oldest := l.waiting.Front(); oldest != nil {
			victim = oldest.Value.(*Conn)
		}
	}
	l.open++
	c.place = l.waiting.PushBack(c)
	return victim
}

// ConnState marks connections of an HTTP server as waiting or busy. Use it as the ConnState
// function of an http.Server.
func ConnState(c net.Conn, s http.ConnState) {
	if inner, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = inner.NetConn()
	}
	switch s {
	case http.StateActive:
		Busy(c)
	case http.StateIdle:
		Idle(c)
	}
}

// Conn is a connection of a Listener.
type Conn struct {
	net.Conn
	port   *Listener
	place  *list.Element // nil while the connection is busy
	closed bool
}

// Busy marks c as busy. It does nothing if c is not a connection of a Listener.
func Busy(c net.Conn) {
	if c, ok := c.(*Conn); ok {
		c.port.mu.Lock()
		defer c.port.mu.Unlock()
		c.leave()
	}
}

// Idle marks c, a busy connection, as waiting. It does nothing if c is not a connection of a
// Listener.
func Idle(c net.Conn) {
	if c, ok := c.(*Conn); ok {
		c.port.mu.Lock()
		defer c.port.mu.Unlock()
		if c.place == nil && !c.closed {
			c.place = c.port.waiting.PushBack(c)
		}
	}
}

// leave removes the connection from the list of waiting connections.
func (c *Conn) leave() {
	if c.place != nil {
		c.port.waiting.Remove(c.place)
		c.place = nil
	}
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.port.mu.Lock()
	if !c.closed {
		c.closed = true
		c.port.open--
		c.leave()
	}
	c.port.mu.Unlock()
	return c.Conn.Close()
}

// ReadFrom implements io.ReaderFrom. It lets servers send files without copying them, if the
// operating system supports this.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if fast, ok := c.Conn.(io.ReaderFrom); ok {
		return fast.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}
