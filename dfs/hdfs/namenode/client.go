// Package namenode calls NameNodes: one connection for each, many calls in flight, the active one of an HA pair found again when
// it changes, and calls repeated so that they happen once.
package namenode

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/pb"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
)

const protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"

// Options say where the NameNodes of one name service are and how patiently to call them.
type Options struct {
	Addrs    []string // "host:port"; several of an HA pair
	Service  string   // the name of an HA pair, "" for a single NameNode
	User     string   // in whose name calls are made
	Security rpc.Security
	// Dial connects; nil = net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	Connect     time.Duration // ipc.client.connect.timeout; 0 = 20 s
	Call        time.Duration // ipc.client.rpc-timeout.ms; 0 = 120 s
	Ping        time.Duration // ipc.ping.interval; 0 = 60 s
	Idle        time.Duration // ipc.client.connection.maxidletime; 0 = 10 s
	MaxResponse int           // bytes, ipc.maximum.response.length; 0 = 128 MiB

	FirstContact time.Duration // how long a NameNode is looked for that was never reached; 0 = 10 s
	Patience     time.Duration // how long one that was lost, or is starting; 0 = 120 s
	SafeMode     time.Duration // how long one in safe mode is asked again; 0 = 120 s, negative = not at all
	// Log tells of waits and of failovers; nil = nobody hears of them.
	Log func(text string)
}

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.Connect, 20*time.Second)
	def(&o.Call, 120*time.Second)
	def(&o.Ping, 60*time.Second)
	def(&o.Idle, 10*time.Second)
	def(&o.FirstContact, 10*time.Second)
	def(&o.Patience, 120*time.Second)
	def(&o.SafeMode, 120*time.Second)
	if o.MaxResponse == 0 {
		o.MaxResponse = 128 << 20
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

var errClosed = errors.New("the file system was closed")

// Client calls the NameNodes of one name service. All methods may be called concurrently.
type Client struct {
	o        Options
	name     string // of the holder of leases
	clientID [16]byte
	callID   atomic.Int32
	servers  []*server
	active   atomic.Int32 // index of the server that is asked first
	reached  atomic.Bool  // some NameNode answered once
	served   atomic.Bool  // some call succeeded
}

// New makes a client; nothing is connected before the first call.
func New(o Options) *Client {
	c := &Client{o: o.withDefaults()}
	rand.Read(c.clientID[:])
	c.name = "DFSClient_NONMAPREDUCE_" + hex.EncodeToString(c.clientID[:8]) + "_1"
	ro := rpc.Options{Protocol: protocol, User: o.User, ClientID: c.clientID, Security: o.Security, Dial: c.o.Dial,
		Connect: c.o.Connect, Call: c.o.Call, Ping: c.o.Ping, Idle: c.o.Idle, MaxResponse: c.o.MaxResponse}
	for _, a := range o.Addrs {
		ro.Service = a
		if o.Service != "" {
			ro.Service = "ha-hdfs:" + o.Service
		}
		s := &server{addr: a, o: ro, turn: make(chan struct{}, 1)}
		s.turn <- struct{}{}
		c.servers = append(c.servers, s)
	}
	return c
}

// Members gives a client for each NameNode of a pair alone, for what has to be said to both; for a single NameNode one. Close them.
func (c *Client) Members() []*Client {
	var all []*Client
	for _, s := range c.servers {
		o := c.o
		o.Addrs = []string{s.addr}
		all = append(all, New(o))
	}
	return all
}

// Addrs gives "host:port" of the NameNodes.
func (c *Client) Addrs() []string { return append([]string{}, c.o.Addrs...) }

// Name gives the name that leases are held in.
func (c *Client) Name() string { return c.name }

// User gives the name that calls are made in.
func (c *Client) User() string { return c.o.User }

// Close ends all connections; calls fail from now on.
func (c *Client) Close() {
	for _, s := range c.servers {
		s.close()
	}
}

// server is one NameNode and the connection to it, made when it is needed.
type server struct {
	addr string
	o    rpc.Options

	turn   chan struct{} // holds a token while nobody looks at the rest
	conn   *rpc.Conn
	closed bool
}

// connection gives the live connection, made now if there is none. Others that need it at the same time wait for the same one.
func (s *server) connection(ctx context.Context) (*rpc.Conn, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if s.closed {
		return nil, errClosed
	}
	if s.conn != nil && s.conn.Alive() {
		return s.conn, nil
	}
	conn, err := rpc.Connect(ctx, s.addr, s.o)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	return conn, nil
}

func (s *server) close() {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	s.closed = true
	if s.conn != nil {
		s.conn.Close()
	}
}

// Raw makes any call of ClientProtocol: request and answer are encoded messages. The error is a *failure.Error that wraps *Failed.
func (c *Client) Raw(ctx context.Context, method string, request []byte) ([]byte, error) {
	t := try{c: c, ctx: ctx, call: rpc.Call{ID: c.callID.Add(1) & 0x7fffffff, Method: method, Request: request}, began: time.Now()}
	return t.run()
}

// ask makes a call of which only the first field of the answer matters, an embedded message: nil if it is missing.
func (c *Client) ask(ctx context.Context, method string, request pb.Message) ([]byte, error) {
	body, err := c.Raw(ctx, method, request)
	if err != nil {
		return nil, err
	}
	r := pb.Read(body)
	for r.Next() {
		if r.Num == 1 {
			return r.Bytes(), nil
		}
	}
	if r.Err != nil {
		return nil, damaged(method, r.Err)
	}
	return nil, nil
}

// tell makes a call whose answer is empty or a truth value.
func (c *Client) tell(ctx context.Context, method string, request pb.Message) (bool, error) {
	body, err := c.Raw(ctx, method, request)
	if err != nil {
		return false, err
	}
	r := pb.Read(body)
	for r.Next() {
		if r.Num == 1 {
			return r.Bool(), nil
		}
	}
	return false, r.Err
}

func damaged(method string, err error) error {
	return &Failed{Method: method, Err: fmt.Errorf("the answer is damaged: %w", err)}
}
