package master

import (
	"context"
	"errors"

	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

var errNoNameNode = errors.New("the NameNode is not running")

// Storage is an administrator's connection to a NameNode. HDFS connects to a real one.
type Storage interface {
	// Report lists all DataNodes, including dead ones.
	Report(ctx context.Context) ([]admin.DataNode, error)
	// Missing returns, by DataNode.Addr, how many blocks of each decommissioning DataNode lack a
	// replica elsewhere.
	Missing(ctx context.Context) (map[string]int, error)
	// Decommission takes the DataNodes with the given addresses (DataNode.Addr) out of service.
	// Join puts them back.
	Decommission(ctx context.Context, excludeFile string, addrs ...string) error
	Join(ctx context.Context, excludeFile string, addrs ...string) error
	Close() error
}

// storage is the connection to an MR-cluster's NameNode.
type storage struct {
	open func(nameNode, nameNodeHTTP string) (Storage, error)
	addr string
	s    Storage
}

// stores is a NameNode's report. The host name of a DataNode is the name of its node.
type stores struct {
	nodes    []admin.DataNode
	missing  map[string]int
	stored   []mrcluster.Stored
	capacity int64
	s        Storage
	exclude  string
}

func (t *storage) look(ctx context.Context, at node.Endpoints, leaving bool) (*stores, error) {
	if at.NameNode == "" {
		return nil, errNoNameNode
	}
	if t.addr != at.NameNode {
		t.close()
		s, err := t.open(at.NameNode, at.NameNodeHTTP)
		if err != nil {
			return nil, err
		}
		t.addr, t.s = at.NameNode, s
	}
	out := &stores{s: t.s, exclude: at.ExcludeFile}
	var err error
	if out.nodes, err = t.s.Report(ctx); err != nil {
		return nil, err
	}
	if leaving {
		if out.missing, err = t.s.Missing(ctx); err != nil {
			return nil, err
		}
	}
	for _, d := range out.nodes {
		if !d.Live {
			continue
		}
		out.stored = append(out.stored, mrcluster.Stored{Node: d.Host, Bytes: d.Used})
		if d.State == admin.InService {
			out.capacity += d.Used + d.Remaining
		}
	}
	return out, nil
}

func (t *storage) close() {
	if t.s != nil {
		t.s.Close()
	}
	t.addr, t.s = "", nil
}

// left estimates how many of a node's bytes have no replica elsewhere. gone reports whether the
// MR-cluster no longer needs the node's DataNode. left ignores dead DataNodes that were
// decommissioned, because they are from an earlier use of the node. Any other dead DataNode might
// hold the only copy of some data, unless the node has a live one.
func (s *stores) left(name string) (bytes int64, gone bool) {
	gone = true
	live := false
	for _, d := range s.nodes {
		if d.Host != name || !d.Live {
			continue
		}
		live = true
		if d.State == admin.Decommissioned {
			continue
		}
		gone = false
		missing, known := s.missing[d.Addr()]
		switch {
		case !known || d.Blocks == 0: // the decommission has not started
			bytes += d.Used
		default:
			bytes += d.Used / int64(d.Blocks) * int64(min(missing, d.Blocks))
		}
	}
	if live {
		return bytes, gone
	}
	for _, d := range s.nodes {
		if d.Host == name && d.State != admin.Decommissioned {
			return d.Used, false
		}
	}
	return 0, true
}
