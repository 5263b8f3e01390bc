//go:build integration && linux

package growshrink

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// director stands in for the manager: agents obey it as they do a manager, but the test says which node is what and when it leaves.
type director struct {
	pool.UnimplementedPoolServer
	spec *mrcluster.Spec

	mu      sync.Mutex
	roles   map[string]*role
	reports map[string]*pool.ReportRequest
	heard   map[string]time.Time
	at      *pool.Endpoints
	drains  int64
}

// role is what a node is to be. A node without one runs nothing.
type role struct {
	kind   mrcluster.Kind
	master bool
	drain  int64 // its number; 0 = it stays
}

const masterNode = "node-1"

// direct serves agents on an address until the test ends.
func direct(t *testing.T, host string, spec *mrcluster.Spec) (*director, string) {
	d := &director{spec: spec, roles: map[string]*role{}, reports: map[string]*pool.ReportRequest{}, heard: map[string]time.Time{}}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	s := rpc.NewServer(rpc.Options{})
	pool.RegisterPoolServer(s, d)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return d, l.Addr().String()
}

// Report implements pool.PoolServer.
func (d *director) Report(_ context.Context, in *pool.ReportRequest) (*pool.ReportReply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reports[in.Node], d.heard[in.Node] = in, time.Now()
	out := &pool.ReportReply{Pool: "growshrink", Incarnation: 1}
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
	out.MasterNode, out.MasterAddr, out.Spec, out.Endpoints = masterNode, masterNode, daemon.SpecToWire(d.spec), d.at
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

func (d *director) add(kind mrcluster.Kind, names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		d.roles[name] = &role{kind: kind, master: name == masterNode}
	}
}

// release gives nodes up: what runs there ends at once.
func (d *director) release(names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		delete(d.roles, name)
	}
}

func (d *director) drain(names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		d.drains++
		d.roles[name].drain = d.drains
	}
}

// drained reports whether the master has told that nothing on a node is needed any more, or what keeps it.
func (d *director) drained(name string) (done bool, problem string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.reports[masterNode].GetMaster().GetDrain() {
		if x.Node == name && x.Id == d.roles[name].drain {
			return x.Done, x.Problem
		}
	}
	return false, ""
}

// up reports whether all that a node is to run serves; why says what is wrong.
func (d *director) up(name string) (ok bool, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.reports[name].GetRunning() {
		return mrcluster.Phase(x.Phase) == mrcluster.PhaseUp, x.Error
	}
	return false, ""
}

// idle reports whether a node runs nothing and has removed what it had, by a report that is younger than since.
func (d *director) idle(name string, since time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.heard[name].After(since) && len(d.reports[name].GetRunning()) == 0
}

func (d *director) endpoints() *pool.Endpoints {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at
}
