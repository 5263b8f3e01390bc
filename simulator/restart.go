package simulator

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// restart is how a JobTracker that was killed comes back.
type restart struct {
	at      int64
	policy  scheduler.Policy
	shorten bool
}

// Restart kills the JobTracker with all that it has in memory. At a later time it starts again from its journal, which
// Config.KeepJournal kept, with a policy of its own; with shorten the journal first shrinks to a snapshot, as it does on disk
// when it has grown long. Until then nobody answers: TaskTrackers go on with what they run and ask again when it is back.
func (l *Live) Restart(at int64, p scheduler.Policy, shorten bool) error {
	if l.kept == nil || p == nil {
		return failure.New(failure.Internal, "restart the JobTracker", "", errors.New("its journal was not kept, or it has no policy"))
	}
	l.back = &restart{at: at, policy: p, shorten: shorten}
	return nil
}

// Down reports whether the JobTracker was killed and is not back: jobs cannot be submitted and nodes neither added nor drained.
func (l *Live) Down() bool { return l.back != nil }

// recover starts the JobTracker anew.
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

// shorten begins the journal anew with all that the machine knows.
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

// ask lets a tracker beat at once: the JobTracker is back.
func (n *node) ask(e *engine) {
	n.dirty, n.rearrange = true, true
	n.beatAt, n.due = e.now, e.now
	e.wakeups.fix(n)
}

// arrange puts a tracker's attempts into the order of an answer, and those that are not in it to the end. A JobTracker that
// started from a snapshot does not know the order of launches.
func (n *node) arrange(run []job.Attempt) {
	place := func(t *task) uint { return uint(slices.Index(run, t.id)) }
	slices.SortStableFunc(n.tasks, func(a, b *task) int { return cmp.Compare(place(a), place(b)) })
	n.rearrange = false
}
