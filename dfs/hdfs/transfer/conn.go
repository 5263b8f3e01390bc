// Package transfer reads and writes blocks over the DataNodes' data-transfer protocol. Start with
// Client. Its Read returns a BlockReader, and its Write returns a Pipeline. A BlockReader uses only
// one replica, and a Pipeline is not repaired. The caller chooses the next replica and handles
// failures.
package transfer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/pb"
)

// The protocol's version and the codes of the operations.
const (
	dataTransferVersion = 28

	opWriteBlock    = 80
	opReadBlock     = 81
	opTransferBlock = 86
	opChecksum      = 85
)

// Options contains the settings of connections to DataNodes. Zero values mean Hadoop's defaults.
type Options struct {
	Name        string   // name of the client in the DataNodes' logs
	Security    Security // nil means none
	UseHostname bool     // dfs.client.use.datanode.hostname
	// Dial connects to a DataNode. nil means net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Key fetches the key for encrypted transfer. Security calls it.
	Key func(ctx context.Context) (*EncryptionKey, error)

	Timeout  time.Duration // dfs.client.socket-timeout, for each wait for a DataNode; 0 means 60 s
	CacheFor time.Duration // dfs.client.socketcache.expiryMsec: how long to keep an unused connection; 0 means 3 s
	CacheMax int           // dfs.client.socketcache.capacity: number of connections to keep; 0 means 16, negative none
}

// Client talks to DataNodes. It is safe for concurrent use.
type Client struct {
	o Options

	mu     sync.Mutex
	idle   []cached // oldest first
	closed bool
}

type cached struct {
	key   string
	c     *conn
	since time.Time
}

// New returns a client.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, 60*time.Second)
	o.CacheFor = cmp.Or(o.CacheFor, 3*time.Second)
	o.CacheMax = cmp.Or(o.CacheMax, 16)
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	return &Client{o: o}
}

// Close closes the cached connections.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.idle {
		i.c.nc.Close()
	}
	c.idle, c.closed = nil, true
}

// Timeout returns the time limit of each wait for a DataNode.
func (c *Client) Timeout() time.Duration { return c.o.Timeout }

// Addr returns the address at which to connect to a DataNode.
func (c *Client) Addr(d DataNode) string {
	host := d.IP
	if c.o.UseHostname {
		host = d.Host
	}
	return net.JoinHostPort(host, strconv.Itoa(d.Port))
}

// conn is a connection to a DataNode. Every wait on it has a time limit.
type conn struct {
	nc      net.Conn
	r       *bufio.Reader // reads answers to operations, and then a block's packets
	timeout time.Duration
	ctx     context.Context
	key     string
	reused  bool
}

// armRead sets the deadline of the next read, according to the timeout. It returns an error if ctx
// has ended.
func (c *conn) armRead() error {
	if err := c.nc.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	return c.ctx.Err() // the deadline above may have replaced the one that the end of ctx set
}

// armWrite sets the deadline of the next write, as armRead does for reads.
func (c *conn) armWrite() error {
	if err := c.nc.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	return c.ctx.Err()
}

// follow interrupts the connection's waits when ctx ends, until the caller calls stop.
func (c *conn) follow(ctx context.Context) (stop func() bool) {
	c.ctx = ctx
	return context.AfterFunc(ctx, func() { c.nc.SetDeadline(time.Unix(1, 0)) })
}

// why returns the context's error if the context has ended; otherwise, it returns err. It replaces
// io.EOF with io.ErrUnexpectedEOF and adds the duration to a timeout error.
func (c *conn) why(err error) error {
	if cause := c.ctx.Err(); cause != nil {
		return cause
	}
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("silent for %v: %w", c.timeout, err)
	}
	return err
}

// blame returns the index of the node to blame for an error on the connection to the pipeline's
// first node. It returns -1 for a timeout, which does not reveal which node is hanging.
func (c *conn) blame(err error) int {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return -1
	}
	return 0
}

// connect returns a connection to a DataNode. It returns a cached connection if there is one and
// fresh is not set. Otherwise, it makes a new connection.
func (c *Client) connect(ctx context.Context, d DataNode, t Token, fresh bool) (*conn, error) {
	addr := c.Addr(d)
	if !fresh {
		if kept := c.kept(addr); kept != nil {
			kept.ctx, kept.reused = ctx, true
			return kept, nil
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	nc, err := c.o.Dial(limited, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if s := c.o.Security; s != nil {
		stop := context.AfterFunc(limited, func() { nc.SetDeadline(time.Unix(1, 0)) })
		secured, err := s.Secure(limited, nc, Peer{DataNode: d, Token: t, Key: c.o.Key})
		if !stop() && err == nil {
			err = context.Cause(limited)
		}
		if err != nil {
			nc.Close()
			return nil, err
		}
		nc = secured
	}
	return &conn{nc: nc, r: bufio.NewReaderSize(nc, readBuffer), timeout: c.o.Timeout, ctx: ctx, key: addr}, nil
}

// kept removes the most recently used connection for key from the cache and returns it. It returns
// nil if there is none.
func (c *Client) kept(key string) *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire()
	for i := len(c.idle) - 1; i >= 0; i-- {
		if e := c.idle[i]; e.key == key {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return e.c
		}
	}
	return nil
}

// keep caches a connection after a successful operation, or closes it if it cannot be reused or
// caching is off.
func (c *Client) keep(k *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire()
	if c.closed || c.o.CacheMax < 0 || k.r.Buffered() > 0 {
		k.nc.Close()
		return
	}
	if len(c.idle) >= c.o.CacheMax {
		c.idle[0].c.nc.Close()
		c.idle = c.idle[1:]
	}
	k.ctx = nil
	c.idle = append(c.idle, cached{k.key, k, time.Now()})
}

// expire closes connections that have been in the cache too long. The DataNodes' timeout is
// slightly longer.
func (c *Client) expire() {
	for len(c.idle) > 0 && time.Since(c.idle[0].since) > c.o.CacheFor {
		c.idle[0].c.nc.Close()
		c.idle = c.idle[1:]
	}
}

func (c *conn) request(op byte, m pb.Message) error {
	b := binary.BigEndian.AppendUint16(make([]byte, 0, len(m)+8), dataTransferVersion)
	if err := c.armWrite(); err != nil {
		return err
	}
	_, err := c.nc.Write(pb.Delimited(append(b, op), m))
	return err
}

// maxAnswer is the maximum size of the answer to an operation, in bytes.
const maxAnswer = 1 << 20

// message reads a length-delimited message into buf or, if buf is too small, into a new buffer.
func (c *conn) message(buf []byte) ([]byte, error) {
	if err := c.armRead(); err != nil {
		return nil, err
	}
	n, err := binary.ReadUvarint(c.r)
	if err != nil {
		return nil, err
	}
	if n > maxAnswer {
		return nil, fmt.Errorf("an answer of %d bytes", n)
	}
	if uint64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err = io.ReadFull(c.r, buf)
	return buf, err
}
