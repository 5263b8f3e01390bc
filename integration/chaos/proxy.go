package chaos

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Trouble is the kind of disturbance that a Proxy causes on its connections.
type Trouble int

// The kinds of trouble.
const (
	Clear    Trouble = iota // none
	Refusing                // all connections are closed, and new ones are closed as soon as they arrive
	Delaying                // each piece of data is delayed
	Deaf                    // data from the JobTracker is silently lost
	Dumb                    // data to the JobTracker is silently lost
)

// Proxy forwards connections to an address and can disturb them. It is safe for concurrent use.
type Proxy struct {
	l    net.Listener
	to   string
	done sync.WaitGroup

	mu      sync.Mutex
	trouble Trouble
	delay   time.Duration
	change  chan struct{} // closed when the trouble field changes
	conns   map[net.Conn]bool
	closed  bool
}

// NewProxy returns a Proxy that listens on a loopback port and forwards connections to the given
// address.
func NewProxy(to string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{l: l, to: to, change: make(chan struct{}), conns: map[net.Conn]bool{}}
	p.done.Go(p.accept)
	return p, nil
}

// Addr returns the proxy's address.
func (p *Proxy) Addr() string { return p.l.Addr().String() }

// Close closes the listener and all connections, and waits for their goroutines.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.l.Close()
	p.Cut()
	p.done.Wait()
}

// Cut resets all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		c.Close()
		delete(p.conns, c)
	}
	p.wake()
}

func (p *Proxy) wake() {
	close(p.change)
	p.change = make(chan struct{})
}

// Disturb starts a kind of trouble or, with Clear, ends it. delay applies only to Delaying.
// Refusing resets all connections when it starts. Deaf and Dumb do so when they end, because the
// data that they have held back must be lost.
func (p *Proxy) Disturb(t Trouble, delay time.Duration) {
	p.mu.Lock()
	before := p.trouble
	p.trouble, p.delay = t, delay
	p.wake()
	p.mu.Unlock()
	if t == Refusing || before == Deaf || before == Dumb {
		p.Cut()
	}
}

func (p *Proxy) state() (Trouble, time.Duration, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble, p.delay, p.change
}

// add records a connection. If the proxy is closed or refuses connections, add closes the
// connection instead and returns false.
func (p *Proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.trouble == Refusing {
		c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) remove(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	p.wake()
}

func (p *Proxy) accept() {
	for {
		c, err := p.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			p.done.Go(func() { p.serve(c) })
		}
	}
}

func (p *Proxy) serve(near net.Conn) {
	if !p.add(near) {
		return
	}
	defer p.remove(near)
	far, err := net.Dial("tcp", p.to)
	if err != nil || !p.add(far) {
		return
	}
	defer p.remove(far)
	var both sync.WaitGroup
	for _, way := range []struct {
		from, to net.Conn
		blocked  Trouble
	}{{near, far, Dumb}, {far, near, Deaf}} {
		both.Go(func() {
			p.forward(way.from, way.to, way.blocked)
			p.remove(near)
			p.remove(far)
		})
	}
	both.Wait()
}

// forward copies data until one of the connections is closed. It holds the data back while the
// proxy's trouble is the one in blocked.
func (p *Proxy) forward(from io.Reader, to net.Conn, blocked Trouble) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		for {
			t, delay, change := p.state()
			if t == blocked {
				<-change
				if !p.open(to) {
					return
				}
				continue
			}
			if t == Delaying {
				time.Sleep(delay)
			}
			break
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// open reports whether connection c is still open.
func (p *Proxy) open(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns[c]
}
