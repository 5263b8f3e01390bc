// Package namenode calls NameNodes. It keeps one connection to each NameNode, with many calls in
// flight. It follows the failover of an HA pair. It retries calls under the same number, so that a
// NameNode with a retry cache executes them only once. Start with New, which returns a Client.
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

	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/internal/pb"
)

const protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"

// Options contains the addresses of a name service's NameNodes and the limits of calls.
type Options struct {
	Addrs    []string // "host:port"; several for an HA pair
	Service  string   // name of an HA pair; "" for a single NameNode
	User     string   // user who makes the calls
	Security rpc.Security
	// Dial connects to a NameNode. nil means net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	Connect     time.Duration // ipc.client.connect.timeout; 0 means 20 s
	Call        time.Duration // ipc.client.rpc-timeout.ms; 0 means 120 s
	Ping        time.Duration // ipc.ping.interval; 0 means 60 s
	Idle        time.Duration // ipc.client.connection.maxidletime; 0 means 10 s
	MaxResponse int           // ipc.maximum.response.length, in bytes; 0 means 128 MiB

	FirstContact time.Duration // how long to retry if no NameNode has ever answered; 0 means 10 s
	Patience     time.Duration // how long to retry if a NameNode was lost or is starting; 0 means 120 s
	SafeMode     time.Duration // how long to retry in safe mode; 0 means 120 s, negative means no retries
	// Log receives messages about waits and failovers. It may be nil.
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

// Client calls the NameNodes of one name service. It is safe for concurrent use.
type Client struct {
	o        Options
	name     string // name under which the client holds leases
	clientID [16]byte
	callID   atomic.Int32
	servers  []*server
	active   atomic.Int32 // index of the server to call first
	reached  atomic.Bool  // a NameNode has answered
	served   atomic.Bool  // a call has succeeded
}

// New returns a client. It connects on the first call.
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

// Members returns a separate client for each NameNode. They are for calls that must reach both
// NameNodes of a pair. The caller must close the clients.
func (c *Client) Members() []*Client {
	var all []*Client
	for _, s := range c.servers {
		o := c.o
		o.Addrs = []string{s.addr}
		all = append(all, New(o))
	}
	return all
}

// Addrs returns the addresses of the NameNodes as "host:port".
func (c *Client) Addrs() []string { return append([]string{}, c.o.Addrs...) }

// Name returns the name under which the client holds leases.
func (c *Client) Name() string { return c.name }

// User returns the user who makes the calls.
func (c *Client) User() string { return c.o.User }

// Close closes all connections. Later calls fail.
func (c *Client) Close() {
	for _, s := range c.servers {
		s.close()
	}
}

// server is one NameNode. It connects when needed.
type server struct {
	addr string
	o    rpc.Options

	turn   chan struct{} // contains a token while no goroutine uses the fields below
	conn   *rpc.Conn
	closed bool
}

// connection returns the live connection, or creates one. Only one caller connects at a time.
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

// Raw makes any ClientProtocol call. The request and the answer are encoded messages. The error is
// a *Failed.
func (c *Client) Raw(ctx context.Context, method string, request []byte) ([]byte, error) {
	t := try{c: c, ctx: ctx, call: rpc.Call{ID: c.callID.Add(1) & 0x7fffffff, Method: method, Request: request},
		began: time.Now()}
	return t.run()
}

// ask makes a call and returns the embedded message in the first field of the answer. If the answer
// lacks the field, ask returns nil.
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

// tell makes a call whose answer is empty or a bool, and returns the bool. It returns false for an
// empty answer.
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
