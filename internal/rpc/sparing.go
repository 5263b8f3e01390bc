package rpc

import (
	"io"
	"net"
	"syscall"

	"google.golang.org/grpc/mem"

	"github.com/howdah/howdah/internal/port"
)

// sparing is a connection without TLS that occupies no buffer while it waits for data. gRPC reads
// from it with ReadOnReady. gRPC itself does the same, but only for the connections of package net.
type sparing struct {
	net.Conn
	raw  syscall.RawConn
	read func(fd uintptr) bool // bound once, because a method value would allocate with every read

	// of the current call of ReadOnReady
	size int
	pool mem.BufferPool
	buf  *[]byte
	n    int
	err  error
}

// spare returns conn, which reads from raw, as a sparing connection. It returns conn itself if raw
// has no file descriptor.
func spare(conn, raw net.Conn) net.Conn {
	if c, ok := raw.(*port.Conn); ok {
		raw = c.Conn
	}
	file, ok := raw.(syscall.Conn)
	if !ok {
		return conn
	}
	control, err := file.SyscallConn()
	if err != nil {
		return conn
	}
	s := &sparing{Conn: conn, raw: control}
	s.read = s.tryRead
	return s
}

// ReadOnReady waits for data and reads up to size bytes into a buffer from pool. The caller must
// return the buffer to the pool. buf is nil if n is 0. gRPC calls this method, with one call at a
// time.
func (s *sparing) ReadOnReady(size int, pool mem.BufferPool) (buf *[]byte, n int, err error) {
	s.size, s.pool = size, pool
	err = s.raw.Read(s.read)
	buf, n = s.buf, s.n
	if err == nil {
		err = s.err
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	s.pool, s.buf, s.n, s.err = nil, nil, 0, nil
	return buf, n, err
}

// tryRead reads what has arrived. It returns false if the caller must wait for data.
func (s *sparing) tryRead(fd uintptr) bool {
	buf := s.pool.Get(s.size)
	for {
		if s.n, s.err = syscall.Read(int(fd), *buf); s.err != syscall.EINTR {
			break
		}
	}
	if s.n > 0 {
		s.buf = buf
		return true
	}
	s.n = 0 // -1 after an error
	s.pool.Put(buf)
	return s.err != syscall.EAGAIN
}
