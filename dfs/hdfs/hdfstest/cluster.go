package hdfstest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
)

// A Cluster is a NameNode and some DataNodes. Callers must set the hooks of the nodes before the
// first connection.
type Cluster struct {
	NameNode  *NameNode
	DataNodes []*DataNode
}

// New returns a cluster with n DataNodes. Its files have n replicas.
func New(n int) *Cluster {
	c := &Cluster{}
	for i := range n {
		node := transfer.DataNode{IP: fmt.Sprintf("10.0.0.%d", i+1), Host: fmt.Sprintf("dn%d", i+1),
			UUID: fmt.Sprintf("uuid-%d", i+1), Port: 9866, Rack: "/default-rack"}
		c.DataNodes = append(c.DataNodes, &DataNode{Node: node, replicas: map[uint64]*replica{}, cluster: c})
	}
	c.NameNode = &NameNode{cluster: c, files: map[string]*inode{}}
	return c
}

// NameNodeAddr is the NameNode's address.
const NameNodeAddr = "nn:8020"

// Dial connects to a node of the cluster. It serves as the Dial option of NameNode and DataNode
// clients.
func (c *Cluster) Dial(_ context.Context, _, addr string) (net.Conn, error) {
	if addr == NameNodeAddr {
		return c.NameNode.dial()
	}
	for _, d := range c.DataNodes {
		if addr == fmt.Sprintf("%s:%d", d.Node.IP, d.Node.Port) {
			return d.dial()
		}
	}
	return nil, syscall.ECONNREFUSED
}

// conns contains the open connections of a node.
type conns struct {
	mu   sync.Mutex
	open map[net.Conn]bool
	made int
	down bool
	wg   sync.WaitGroup
}

// pipe calls serve with one end of a new connection and returns the other end.
func (c *conns) pipe(serve func(net.Conn)) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, syscall.ECONNREFUSED
	}
	client, server := net.Pipe()
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[server] = true
	c.made++
	c.wg.Go(func() {
		serve(server)
		server.Close()
		c.mu.Lock()
		delete(c.open, server)
		c.mu.Unlock()
	})
	return client, nil
}

// Stop closes all connections and rejects new ones.
func (c *conns) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = true
	for s := range c.open {
		s.Close()
	}
}

// Start accepts connections again.
func (c *conns) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = false
}

// Connections returns the number of connections made so far.
func (c *conns) Connections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}
