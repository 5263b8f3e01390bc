package hdfs

import (
	"context"
	"net"
	"sync"

	library "github.com/colinmarc/hdfs/v2"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
)

// names accesses the namespace through the library github.com/colinmarc/hdfs/v2.
//
// With its own connection, the library would serialize calls without a time limit. It does not
// support tokens, mistakes a dropped connection for the end of a file, and never retries. Its
// clients therefore talk to bridges, which forward each call to our own client. The file system
// then has one login and one set of connections, limits, and retries.
type names struct {
	nn *namenode.Client

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// A session is a client of the library and the bridge that it uses. It serves one call at a time.
type session struct {
	lib *library.Client
	b   *bridge
}

// maxSessions limits the number of idle sessions. Each has a goroutine.
const maxSessions = 4

func (n *names) session() (*session, error) {
	n.mu.Lock()
	if k := len(n.idle); k > 0 {
		s := n.idle[k-1]
		n.idle = n.idle[:k-1]
		n.mu.Unlock()
		return s, nil
	}
	n.mu.Unlock()
	b := &bridge{nn: n.nn}
	lib, err := library.NewClient(library.ClientOptions{
		Addresses:        []string{"namenode"},
		User:             "bridge", // the NameNode sees the user of our own client
		NamenodeDialFunc: func(context.Context, string, string) (net.Conn, error) { return b, nil },
	})
	if err != nil {
		return nil, err
	}
	return &session{lib, b}, nil
}

func (n *names) release(s *session) {
	s.b.ctx, s.b.err = nil, nil
	n.mu.Lock()
	keep := !n.closed && len(n.idle) < maxSessions
	if keep {
		n.idle = append(n.idle, s)
	}
	n.mu.Unlock()
	if !keep {
		s.lib.Close()
	}
}

// do runs f with a client of the library. If a call to the NameNode failed, do returns our own
// client's error; otherwise, it returns f's.
func (n *names) do(ctx context.Context, f func(lib *library.Client) error) error {
	s, err := n.session()
	if err != nil {
		return err
	}
	defer n.release(s)
	s.b.ctx = ctx
	err = f(s.lib)
	if s.b.err != nil {
		return s.b.err
	}
	return err
}

func (n *names) close() {
	n.mu.Lock()
	idle := n.idle
	n.idle, n.closed = nil, true
	n.mu.Unlock()
	for _, s := range idle {
		s.lib.Close()
	}
}
