package simulator

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
)

// restart is the pending restart of a killed JobTracker.
type restart struct {
	at      int64
	policy  scheduler.Policy
	shorten bool
}

// Restart kills the JobTracker, which loses its in-memory state. At the given time, a new
// JobTracker with policy p replays the journal, so Config.KeepJournal must be set. If shorten is
// set, a snapshot of the new JobTracker then replaces the journal, as it does for a real JobTracker
// with a long journal. While the JobTracker is down, TaskTrackers continue their tasks. They resume
// heartbeats after the restart.
func (l *Live) Restart(at int64, p scheduler.Policy, shorten bool) error {
	if l.kept == nil || p == nil {
		return failure.New(failure.Internal, "restart the JobTracker", "",
			errors.New("the journal was not kept, or no policy is set"))
	}
	l.back = &restart{at: at, policy: p, shorten: shorten}
	return nil
}

// Down reports whether the JobTracker is down. While it is down, callers must not submit jobs or
// add or drain nodes.
func (l *Live) Down() bool { return l.back != nil }

// recover starts a new JobTracker from the journal.
func (l *Live) recover() error {
	e, r := l.e, l.back
	l.back = nil
	e.now = max(e.now, r.at)
	m, err := jobtracker.New(e.mcfg, r.policy)
	if err != nil {
		return err
	}
	e.journal.flush()
	if err := history.NewDecoder(bytes.NewReader(l.kept.Bytes())).Each(m.Apply); err != nil {
		return err
	}
	if r.shorten {
		if err := l.shorten(m); err != nil {
			return err
		}
	}
	e.m, e.cfg.Policy = m, r.policy
	e.shares.restarted(e.now)
	e.take(m.Recovered(e.now, e.buffer()))
	if e.cfg.Speculator != nil {
		m.SetSpeculator(e.cfg.Speculator)
	}
	for _, n := range e.nodes {
		if n.up {
			n.ask(e)
		}
	}
	return e.err
}

// shorten replaces the journal with a snapshot of m.
func (l *Live) shorten(m *jobtracker.Machine) (err error) {
	text := history.AppendHeader(nil)
	m.Snapshot(func(x *event.Event) {
		if err == nil {
			text, err = history.AppendRecord(text, x)
		}
	})
	l.kept.Reset()
	l.kept.Write(text)
	return err
}

// ask makes the tracker send a heartbeat immediately after the JobTracker's restart.
func (n *node) ask(e *engine) {
	n.dirty, n.rearrange = true, true
	n.beatAt, n.due = e.now, e.now
	e.wakeups.fix(n)
}

// arrange sorts the tracker's attempts in the order of run, the attempts in a response. Attempts
// not in run come last. This is necessary because a JobTracker that restarts from a snapshot loses
// the launch order.
func (n *node) arrange(run []job.Attempt) {
	place := func(t *task) uint { return uint(slices.Index(run, t.id)) }
	slices.SortStableFunc(n.tasks, func(a, b *task) int { return cmp.Compare(place(a), place(b)) })
	n.rearrange = false
}
