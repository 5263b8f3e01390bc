// Package transfer reads and writes blocks over the DataNodes' data-transfer protocol. One block, one replica or one pipeline at a
// time: which replica is next, and what becomes of a broken pipeline, is decided by who calls.
package transfer

import (
	"bufio"
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

	"github.com/howdah/howdah/dfs/hdfs/pb"
)

// The operations and the version in front of each.
const (
	dataTransferVersion = 28

	opWriteBlock    = 80
	opReadBlock     = 81
	opTransferBlock = 86
	opChecksum      = 85
)

// Options tell how to reach DataNodes. The zero value has Hadoop's defaults.
type Options struct {
	Name        string   // of the client, for the DataNodes' logs
	Security    Security // nil = none
	UseHostname bool     // dfs.client.use.datanode.hostname
	// Dial connects; nil = net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Key fetches the key of encrypted transfer for Security.
	Key func(ctx context.Context) (*EncryptionKey, error)

	Timeout  time.Duration // dfs.client.socket-timeout: of each wait for a DataNode; 0 = 60 s
	CacheFor time.Duration // dfs.client.socketcache.expiryMsec: how long an unused connection is kept; 0 = 3 s
	CacheMax int           // dfs.client.socketcache.capacity: how many; 0 = 16, negative = none
}

// Client talks to DataNodes. All methods may be called concurrently.
type Client struct {
	o Options

	mu     sync.Mutex
	idle   []cached // the oldest first
	closed bool
}

type cached struct {
	key   string
	c     *conn
	since time.Time
}

// New makes a client.
func New(o Options) *Client {
	if o.Timeout == 0 {
		o.Timeout = 60 * time.Second
	}
	if o.CacheFor == 0 {
		o.CacheFor = 3 * time.Second
	}
	if o.CacheMax == 0 {
		o.CacheMax = 16
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	return &Client{o: o}
}

// Close closes the connections that are kept.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.idle {
		i.c.nc.Close()
	}
	c.idle, c.closed = nil, true
}

// Timeout gives how long each wait for a DataNode may take.
func (c *Client) Timeout() time.Duration { return c.o.Timeout }

// Addr gives the address that the DataNode is reached at.
func (c *Client) Addr(d DataNode) string {
	host := d.IP
	if c.o.UseHostname {
		host = d.Host
	}
	return net.JoinHostPort(host, strconv.Itoa(d.Port))
}

// conn is a connection to a DataNode of which every wait has a limit.
type conn struct {
	nc      net.Conn
	r       *bufio.Reader // of answers to operations; a block's packets follow in it
	timeout time.Duration
	ctx     context.Context
	key     string
	reused  bool
}

// armRead lets the next wait for the DataNode's bytes end in time: after the timeout, or with ctx.
func (c *conn) armRead() error {
	if err := c.nc.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	return c.ctx.Err() // had ctx ended before the deadline was set, nobody would set it again
}

// armWrite does the same for the next write.
func (c *conn) armWrite() error {
	if err := c.nc.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	return c.ctx.Err()
}

// follow ties the connection to a context until stop is called.
func (c *conn) follow(ctx context.Context) (stop func() bool) {
	c.ctx = ctx
	return context.AfterFunc(ctx, func() { c.nc.SetDeadline(time.Unix(1, 0)) })
}

// why prefers the reason of a context that ended to the error that this caused.
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

// blame gives the index of the node of a pipeline that an error on the connection to the first one speaks of: nobody knows who hangs.
func (c *conn) blame(err error) int {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return -1
	}
	return 0
}

// connect gives a connection to a DataNode: one that was kept, unless fresh is set, or a new one.
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

// kept takes a connection out of the cache, the one used last.
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

// keep puts a connection on which an operation ended well into the cache.
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

// expire closes what was kept for too long; DataNodes hang up themselves a little later.
func (c *Client) expire() {
	for len(c.idle) > 0 && time.Since(c.idle[0].since) > c.o.CacheFor {
		c.idle[0].c.nc.Close()
		c.idle = c.idle[1:]
	}
}

// request sends an operation.
func (c *conn) request(op byte, m pb.Message) error {
	b := binary.BigEndian.AppendUint16(make([]byte, 0, len(m)+8), dataTransferVersion)
	if err := c.armWrite(); err != nil {
		return err
	}
	_, err := c.nc.Write(pb.Delimited(append(b, op), m))
	return err
}

// maxAnswer limits the answer to an operation, in bytes.
const maxAnswer = 1 << 20

// message reads a length-delimited message into buf, which may grow.
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
