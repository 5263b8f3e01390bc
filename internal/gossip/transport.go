package gossip

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/memberlist"
)

// maxStreams and maxBytes limit all incoming streams together. memberlist reads up to 20 MiB from
// each stream before it checks the key, so strangers could otherwise use up the memory of a daemon.
// A cluster of 10,000 members needs about 5 MiB for a stream.
const (
	maxStreams = 128
	maxBytes   = 32 << 20
)

var errTooMuch = errors.New("the streams of all members together exceed the limit")

// transport is memberlist's transport with limits. A stream that exceeds a limit is closed, and its
// sender tries again.
type transport struct {
	*memberlist.NetTransport
	accepted chan net.Conn
	done     chan struct{}
	open     atomic.Int64 // streams
	held     atomic.Int64 // bytes read from open streams
}

func newTransport(c *memberlist.NetTransportConfig) (t *transport, err error) {
	t = &transport{accepted: make(chan net.Conn), done: make(chan struct{})}
	for range 10 { // a free TCP port can be in use for UDP
		if t.NetTransport, err = memberlist.NewNetTransport(c); err == nil {
			go t.limit()
			return t, nil
		}
		if c.BindPort != 0 {
			break
		}
	}
	return nil, err
}

// limit passes on incoming streams.
func (t *transport) limit() {
	for {
		select {
		case c := <-t.NetTransport.StreamCh():
			s := &stream{Conn: c, all: t}
			if t.open.Add(1) > maxStreams {
				s.Close()
				continue
			}
			select {
			case t.accepted <- s:
			case <-t.done:
				s.Close()
			}
		case <-t.done:
			return
		}
	}
}

// StreamCh implements memberlist.Transport.
func (t *transport) StreamCh() <-chan net.Conn { return t.accepted }

// Shutdown implements memberlist.Transport. memberlist calls it once.
func (t *transport) Shutdown() error {
	err := t.NetTransport.Shutdown() // its listeners wait until limit has accepted their streams
	close(t.done)
	return err
}

// stream is an incoming stream that counts the bytes read from it until it is closed.
type stream struct {
	net.Conn
	all   *transport
	read  atomic.Int64
	close sync.Once
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.read.Add(int64(n))
	if s.all.held.Add(int64(n)) > maxBytes {
		return n, errTooMuch
	}
	return n, err
}

func (s *stream) Close() error {
	s.close.Do(func() {
		s.all.held.Add(-s.read.Load())
		s.all.open.Add(-1)
	})
	return s.Conn.Close()
}
