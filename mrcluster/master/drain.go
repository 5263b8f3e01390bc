package master

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// why marks the drains that are ours: those of people are left alone.
const why = "the node leaves the MR-cluster"

// leaver is a node on its way out.
type leaver struct {
	left     int64 // bytes and attempts that were left when it last got on
	attempts int32
	at       time.Time
	idle     time.Time // since when only map outputs are waited for; zero = they are not
}

// drain brings about that the leaving nodes are emptied and that those that stay are not, and tells how far the former are. An error
// concerns what could not be ordered; it is tried again at the next look.
func (m *Master) drain(ctx context.Context, leaving, staying []string, j *cluster, s *stores) ([]daemon.Draining, error) {
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

// disown has what ran on the TaskTrackers of former nodes run again elsewhere. They are told to say goodbye, but may have no time for it,
// and the JobTracker would wait for them until they expire. A node that has only just come is strange for a moment, too.
func (m *Master) disown(ctx context.Context, leaving, staying []string, j *cluster) (err error) {
	var strange []string
	for _, t := range j.status.Tracker {
		if len(staying) > 0 && !slices.Contains(staying, t.Host) && !slices.Contains(leaving, t.Host) {
			strange = append(strange, t.Name)
		}
	}
	now := time.Now()
	m.strange.mark(strange, now)
	for _, t := range j.status.Tracker {
		since, known := m.strange[t.Name]
		ours := t.Drain == nil || t.Drain.Why == why && t.Drain.DoneMs == 0 && t.Drain.How != jobtracker.DrainImmediate.String()
		if known && ours && now.Sub(since) >= m.cfg.Gone {
			_, failed := j.order(ctx, t.Name, jobtracker.DrainImmediate)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// move looks how far a node is and takes its next step.
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
	for _, t := range j.status.Tracker {
		if t.Host != name {
			continue
		}
		how := jobtracker.DrainDelayed
		if !l.idle.IsZero() && time.Since(l.idle) >= m.cfg.OutputsWait {
			how = jobtracker.DrainRerun
		}
		drain := t.Drain
		// One that is done stays as it is: the JobTracker would write down an order that changes nothing.
		if drain == nil || drain.Why == why && drain.DoneMs == 0 && drain.How != how.String() {
			drain, err = j.order(ctx, t.Name, how)
		}
		if drain == nil || drain.DoneMs == 0 {
			d.Done = false
			attempts += drain.GetAttempts()
			outputs = drain != nil && drain.Attempts == 0
		}
	}
	l.waits(outputs && d.Left == 0)
	m.watch(l, &d, attempts)
	return d, err
}

// waits notes since when a node waits for nothing but its map outputs.
func (l *leaver) waits(forOutputs bool) {
	switch {
	case !forOutputs:
		l.idle = time.Time{}
	case l.idle.IsZero():
		l.idle = time.Now()
	}
}

// watch says of a node that it does not get on.
func (m *Master) watch(l *leaver, d *daemon.Draining, attempts int32) {
	now := time.Now()
	if d.Done || d.Left != l.left || attempts != l.attempts {
		l.left, l.attempts, l.at = d.Left, attempts, now
		return
	}
	if now.Sub(l.at) >= m.cfg.Stuck {
		d.Problem = fmt.Sprintf("nothing has left it since %s: %d bytes have no other place, %d attempts run", l.at.Format(time.TimeOnly), d.Left, attempts)
	}
}

// callOff lets TaskTrackers work again whose nodes stay.
func (j *cluster) callOff(ctx context.Context, staying []string) (err error) {
	for _, t := range j.status.Tracker {
		if t.Drain != nil && t.Drain.Why == why && slices.Contains(staying, t.Host) {
			_, failed := j.order(ctx, t.Name, jobtracker.DrainOff)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// order tells the JobTracker, which is run by the user who runs the agent.
func (j *cluster) order(ctx context.Context, name string, how jobtracker.Drain) (*client.DrainStatus, error) {
	t, err := j.client.DrainTracker(ctx, &client.DrainRequest{Tracker: name, How: how.String(), Why: why, User: passwd.Me()})
	return t.GetDrain(), err
}

// order has the NameNode decommission the DataNodes of leaving nodes and put those in service whose nodes stay. A DataNode of neither has
// handed over what it had: put in service in its last moments, its replicas would count again, and the NameNode would delete the others.
// The same holds for one whose node was given up and is back with another: the NameNode believes for a while that it lives, but hears of
// it no more. Both clocks are of the master's node.
func (s *stores) order(ctx context.Context, leaving []string, stays since) error {
	var out, in []string
	for _, d := range s.nodes {
		from, kept := stays[d.Host]
		switch {
		case slices.Contains(leaving, d.Host) && d.State == admin.InService:
			out = append(out, d.Addr())
		case kept && d.Live && d.LastContact.After(from) && (d.State == admin.Decommissioning || d.State == admin.Decommissioned):
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
