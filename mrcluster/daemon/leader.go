package daemon

import (
	"context"
	"errors"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// leader is the part of an agent that looks after one deployment whose master is on its node: it hands samples and the progress of
// drains to the manager and makes the copies that the manager orders. It belongs to the agent's goroutine.
type leader struct {
	cluster    string
	deployment int64
	follower   Follower
	drains     map[string]int64 // the numbers of drains that the follower was told of
	copying    *copying         // nil = none is ordered
}

// copying is a copy that is under way, or that has ended and is not yet known to have been heard of.
type copying struct {
	id     int64
	cancel context.CancelFunc
	done   chan struct{} // closed when err is set
	err    error
}

func newLeader(d mrcluster.Desired, f Follower) *leader {
	return &leader{cluster: d.Cluster, deployment: d.Deployment, follower: f, drains: map[string]int64{}}
}

// of tells whether it looks after a deployment. A nil leader looks after none.
func (l *leader) of(cluster string, deployment int64) bool {
	return l != nil && l.cluster == cluster && l.deployment == deployment
}

// follow takes what the manager answered.
func (l *leader) follow(d mrcluster.Desired, reply *pool.ReportReply, at node.Endpoints) {
	drains := map[string]int64{}
	again := false
	for _, x := range reply.GetLeaving() {
		drains[x.GetNode()] = x.GetId()
		before, ok := l.drains[x.GetNode()]
		again = again || ok && before != x.GetId()
	}
	if again { // called off and ordered anew between two beats: the follower must not take the old one's end for the new one's
		off := d
		off.Leaving = nil
		l.follower.Follow(off, at)
	}
	l.drains = drains
	l.follower.Follow(d, at)
	l.order(reply.GetCopy())
}

// order starts the copy that is wanted, unless it is under way, and ends any other.
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
	copies := copiesFromWire(o.GetCopy())
	go func() {
		defer close(c.done)
		c.err = l.follower.Copy(ctx, copies)
	}()
}

func (c *copying) stop() {
	c.cancel()
	<-c.done
}

// result tells how the copy ended; nil = it has not, or there is none.
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

// report is the master's part of a report.
func (l *leader) report() *pool.Master {
	if l == nil {
		return nil
	}
	m := &pool.Master{Cluster: l.cluster, Deployment: l.deployment, Copied: l.copying.result()}
	if s := l.follower.Sample(); s != nil {
		m.Sample = sampleToWire(s)
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
