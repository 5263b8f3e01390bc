package daemon

import (
	"context"
	"errors"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// leader is the part of an agent that serves a deployment whose master is on the agent's node. It
// sends samples and drain progress to the manager and performs the copies that the manager orders.
// Only the agent's goroutine uses it.
type leader struct {
	cluster    string
	deployment int64
	follower   Follower
	drains     map[string]int64 // by node: number of the drain that the follower performs
	copying    *copying         // nil = no copy is ordered
}

// copying is a running copy, or a finished copy whose result might not have reached the manager.
type copying struct {
	id     int64
	cancel context.CancelFunc
	done   chan struct{} // closed after err is set
	err    error
}

func newLeader(d mrcluster.Desired, f Follower) *leader {
	return &leader{cluster: d.Cluster, deployment: d.Deployment, follower: f, drains: map[string]int64{}}
}

// of reports whether the leader serves the given deployment. It returns false for a nil leader.
func (l *leader) of(cluster string, deployment int64) bool {
	return l != nil && l.cluster == cluster && l.deployment == deployment
}

// follow processes the manager's reply.
func (l *leader) follow(d mrcluster.Desired, reply *pool.ReportReply, at node.Endpoints) {
	drains := map[string]int64{}
	again := false
	for _, x := range reply.GetLeaving() {
		drains[x.GetNode()] = x.GetId()
		before, ok := l.drains[x.GetNode()]
		again = again || ok && before != x.GetId()
	}
	// The manager canceled the drain and ordered it again between two beats. Report the
	// cancellation to the follower first, so that it does not confuse the two drains.
	if again {
		off := d
		off.Leaving = nil
		l.follower.Follow(off, at)
	}
	l.drains = drains
	l.follower.Revoke(transport.List(reply.GetRevoked(), func(t *pool.Revoked) auth.Claims {
		return auth.Claims{ID: t.GetId(), Expires: t.GetExpires()}
	}))
	l.follower.Follow(d, at)
	l.order(reply.GetCopy())
}

// order starts the ordered copy unless it has already started, and ends any other copy.
func (l *leader) order(o *pool.CopyOrder) {
	if l.copying != nil && o.GetId() != l.copying.id {
		l.copying.stop()
		l.copying = nil
	}
	if o == nil || l.copying != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &copying{id: o.GetId(), cancel: cancel, done: make(chan struct{})}
	l.copying = c
	copies := manager.CopiesFromWire(o.GetCopy())
	go func() {
		defer close(c.done)
		c.err = l.follower.Copy(ctx, copies)
	}()
}

func (c *copying) stop() {
	c.cancel()
	<-c.done
}

// result returns the result of a finished copy. It returns nil if the copy is still running or c is
// nil.
func (c *copying) result() *pool.CopyResult {
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
	default:
		return nil
	}
	r := &pool.CopyResult{Id: c.id}
	if c.err != nil {
		r.Error, r.Missing = c.err.Error(), errors.Is(c.err, ErrMissing)
	}
	return r
}

// report returns the master's part of a report.
func (l *leader) report() *pool.Master {
	if l == nil {
		return nil
	}
	m := &pool.Master{Cluster: l.cluster, Deployment: l.deployment, Copied: l.copying.result()}
	if s := l.follower.Sample(); s != nil {
		m.Sample = manager.SampleToWire(s)
	}
	for _, d := range l.follower.Drains() {
		if id, ok := l.drains[d.Node]; ok {
			m.Drain = append(m.Drain, &pool.Drain{Node: d.Node, Id: id, Left: d.Left, Done: d.Done, Problem: d.Problem})
		}
	}
	return m
}

func (l *leader) stop() {
	l.order(nil)
	l.follower.Stop()
}
