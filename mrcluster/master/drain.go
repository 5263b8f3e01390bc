package master

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// why is the reason that marks the manager's own drains. The master does not touch drains ordered
// by an administrator.
const why = "the node leaves the MR-cluster"

// A leaver records the progress of a leaving node.
type leaver struct {
	left     int64 // bytes and attempts that remained when the node last made progress
	attempts int32
	at       time.Time
	idle     time.Time // when the node had only map outputs left; zero if it has attempts or data left
}

// drain drains the leaving nodes, cancels the drains of the staying nodes, and returns the progress
// of the leaving nodes. The error joins the errors of all failed orders. The next look repeats
// these orders.
func (m *Master) drain(ctx context.Context, leaving, staying []string, j *cluster,
	s *stores) ([]daemon.Draining, error) {
	maps.DeleteFunc(m.leaving, func(name string, _ *leaver) bool { return !slices.Contains(leaving, name) })
	m.stays.mark(staying, time.Now())
	err := errors.Join(j.callOff(ctx, staying), m.disown(ctx, leaving, staying, j))
	if s != nil {
		err = errors.Join(err, s.order(ctx, leaving, m.stays))
	}
	var out []daemon.Draining
	for _, name := range leaving {
		d, failed := m.move(ctx, name, j, s)
		err = errors.Join(err, failed)
		out = append(out, d)
	}
	return out, err
}

// disown orders immediate drains of the TaskTrackers of former nodes, so that their tasks run again
// elsewhere. A released TaskTracker might have no time to deregister, and the JobTracker would wait
// until it expires. The Config.Gone delay protects a node that has just joined and is not yet in
// staying.
func (m *Master) disown(ctx context.Context, leaving, staying []string, j *cluster) (err error) {
	var strange []string
	for _, t := range j.status.Trackers {
		if len(staying) > 0 && !slices.Contains(staying, t.Host) && !slices.Contains(leaving, t.Host) {
			strange = append(strange, t.Name)
		}
	}
	now := time.Now()
	m.strange.mark(strange, now)
	for _, t := range j.status.Trackers {
		since, known := m.strange[t.Name]
		ours := t.Drain == nil || t.Drain.Why == why && t.Drain.DoneMs == 0 &&
			t.Drain.How != status.DrainImmediate
		if known && ours && now.Sub(since) >= m.cfg.Gone {
			_, failed := j.order(ctx, t.Name, jobtracker.DrainImmediate)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// move checks the progress of a leaving node, orders the next drain step, and returns the progress.
func (m *Master) move(ctx context.Context, name string, j *cluster, s *stores) (daemon.Draining, error) {
	l := m.leaving[name]
	if l == nil {
		l = &leaver{at: time.Now()}
		m.leaving[name] = l
	}
	d := daemon.Draining{Node: name, Done: true}
	if s != nil {
		d.Left, d.Done = s.left(name)
	}
	attempts, outputs := int32(0), false
	var err error
	for _, t := range j.status.Trackers {
		if t.Host != name {
			continue
		}
		how := jobtracker.DrainDelayed
		if !l.idle.IsZero() && time.Since(l.idle) >= m.cfg.OutputsWait {
			how = jobtracker.DrainRerun
		}
		drain := t.Drain
		// Do not repeat the order after a completed drain. The JobTracker would journal an order
		// that changes nothing.
		if drain == nil || drain.Why == why && drain.DoneMs == 0 && drain.How != status.DrainMode(how.String()) {
			drain, err = j.order(ctx, t.Name, how)
		}
		if drain == nil || drain.DoneMs == 0 {
			d.Done = false
			if outputs = drain != nil && drain.Attempts == 0; drain != nil {
				attempts += drain.Attempts
			}
		}
	}
	l.waits(outputs && d.Left == 0)
	m.watch(l, &d, attempts)
	return d, err
}

// waits records when a node began to wait only for jobs that need its map outputs. If forOutputs is
// false, waits clears the record.
func (l *leaver) waits(forOutputs bool) {
	switch {
	case !forOutputs:
		l.idle = time.Time{}
	case l.idle.IsZero():
		l.idle = time.Now()
	}
}

// watch sets d.Problem if the node has made no progress for Config.Stuck.
func (m *Master) watch(l *leaver, d *daemon.Draining, attempts int32) {
	now := time.Now()
	if d.Done || d.Left != l.left || attempts != l.attempts {
		l.left, l.attempts, l.at = d.Left, attempts, now
		return
	}
	if now.Sub(l.at) >= m.cfg.Stuck {
		d.Problem = fmt.Sprintf("no progress since %s: %d bytes are stored only here, %d attempts are still running",
			l.at.Format(time.TimeOnly), d.Left, attempts)
	}
}

// callOff cancels the manager's drains of TaskTrackers on staying nodes.
func (j *cluster) callOff(ctx context.Context, staying []string) (err error) {
	for _, t := range j.status.Trackers {
		if t.Drain != nil && t.Drain.Why == why && slices.Contains(staying, t.Host) {
			_, failed := j.order(ctx, t.Name, jobtracker.DrainOff)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// order sends a drain order to the JobTracker. The JobTracker accepts orders from the agent because
// both run as the same user.
func (j *cluster) order(ctx context.Context, name string, how jobtracker.Drain) (*status.Drain, error) {
	return j.client.DrainTracker(ctx, name, status.DrainMode(how.String()), why)
}

// order makes the NameNode decommission the DataNodes of leaving nodes and recommission those of
// staying nodes. It leaves all other DataNodes as they are. If the NameNode recommissioned a
// drained DataNode just before the DataNode ended, its replicas would count again, and the NameNode
// would delete the other replicas.
//
// A released node can come back with a new DataNode. For a while, the NameNode still considers the
// old DataNode alive although it sends no heartbeats, so order leaves the old one alone as well.
// LastContact and stays are comparable because both use the clock of the master's node.
func (s *stores) order(ctx context.Context, leaving []string, stays since) error {
	var out, in []string
	for _, d := range s.nodes {
		from, kept := stays[d.Host]
		switch {
		case slices.Contains(leaving, d.Host) && d.State == admin.InService:
			out = append(out, d.Addr())
		case kept && d.Live && d.LastContact.After(from) &&
			(d.State == admin.Decommissioning || d.State == admin.Decommissioned):
			in = append(in, d.Addr())
		}
	}
	var err error
	if len(out) > 0 {
		err = s.s.Decommission(ctx, s.exclude, out...)
	}
	if len(in) > 0 {
		err = errors.Join(err, s.s.Join(ctx, s.exclude, in...))
	}
	return err
}
