// Package managertest replaces the MR-cluster manager in agent tests. Start with [Direct].
package managertest

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// Director replaces the manager in tests. Agents obey it like a manager, but the test decides what
// each node runs and when a node leaves. It is safe for concurrent use.
type Director struct {
	spec   *mrcluster.Spec
	master string // name of the master's node

	mu      sync.Mutex
	roles   map[string]*role
	reports map[string]*pool.ReportRequest
	heard   map[string]time.Time
	at      *pool.Endpoints
	drains  int64
}

// role describes the daemons that a node must run. A node without a role does not run daemons.
type role struct {
	kind   mrcluster.Kind
	master bool
	drain  int64 // number of the drain; 0 = not draining
}

// Direct starts a Director that serves agents on a port of host until the test ends, and returns it
// with its address. All nodes with a role belong to the same MR-cluster, whose master runs on the
// node named master.
func Direct(t testing.TB, host string, spec *mrcluster.Spec, master string) (d *Director, addr string) {
	d = &Director{spec: spec, master: master, roles: map[string]*role{}, reports: map[string]*pool.ReportRequest{},
		heard: map[string]time.Time{}}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	s := rpc.NewServer(rpctest.Options(t))
	pool.RegisterPoolServer(s, &server{d: d})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return d, l.Addr().String()
}

type server struct {
	pool.UnimplementedPoolServer
	d *Director
}

// Report implements pool.PoolServer.
func (s *server) Report(_ context.Context, in *pool.ReportRequest) (*pool.ReportReply, error) {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reports[in.Node], d.heard[in.Node] = in, time.Now()
	out := &pool.ReportReply{Pool: "test", Incarnation: 1}
	r := d.roles[in.Node]
	if r == nil {
		return out, nil
	}
	for _, x := range in.Running {
		if r.master && x.Endpoints != nil {
			d.at = x.Endpoints
		}
	}
	kind, _ := r.kind.MarshalText()
	out.Cluster, out.Deployment, out.Kind, out.Master, out.Drain = d.spec.Name, 1, string(kind), r.master, r.drain != 0
	out.MasterNode, out.MasterAddr, out.Spec, out.Endpoints = d.master, d.master, manager.SpecToWire(d.spec), d.at
	if r.master {
		for name, x := range d.roles {
			if x.drain != 0 {
				out.Leaving = append(out.Leaving, &pool.Leaving{Node: name, Id: x.drain})
			} else {
				out.Staying = append(out.Staying, name)
			}
		}
	}
	return out, nil
}

// Add adds nodes of the given kind to the MR-cluster.
func (d *Director) Add(kind mrcluster.Kind, names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		d.roles[name] = &role{kind: kind, master: name == d.master}
	}
}

// Release removes nodes from the MR-cluster. Their agents end all processes without a drain.
func (d *Director) Release(names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		delete(d.roles, name)
	}
}

// Drain starts to drain nodes, through the master.
func (d *Director) Drain(names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		d.drains++
		d.roles[name].drain = d.drains
	}
}

// Drained reports whether the MR-cluster no longer needs a node, according to the master. If the
// drain makes no progress, problem is the reason.
func (d *Director) Drained(name string) (done bool, problem string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.reports[d.master].GetMaster().GetDrain() {
		if x.Node == name && x.Id == d.roles[name].drain {
			return x.Done, x.Problem
		}
	}
	return false, ""
}

// Up reports whether all daemons that a node must run are up. If not, why is the reason.
func (d *Director) Up(name string) (ok bool, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.reports[name].GetRunning() {
		return mrcluster.Phase(x.Phase) == mrcluster.PhaseUp, x.Error
	}
	return false, ""
}

// Idle reports whether a node is running no daemons and has removed all their data, according to a
// report after since.
func (d *Director) Idle(name string, since time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.heard[name].After(since) && len(d.reports[name].GetRunning()) == 0
}

// Endpoints returns the master's last reported addresses.
func (d *Director) Endpoints() status.Endpoints {
	d.mu.Lock()
	defer d.mu.Unlock()
	return manager.EndpointsFromWire(d.at)
}

// Has reports whether a node has a role.
func (d *Director) Has(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.roles[name] != nil
}
