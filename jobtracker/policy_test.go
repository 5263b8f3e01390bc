package jobtracker

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// heir is a policy that records its predecessor and whether Reset was called before Inherit.
type heir struct {
	lazy
	from        scheduler.Policy
	resetsFirst bool
}

func (p *heir) Inherit(_ scheduler.View, old scheduler.Policy) {
	p.from, p.resetsFirst = old, p.resets == 1
}

func TestPolicyChanges(t *testing.T) {
	r, old := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 0)
	full := r.register("full", "h2", "/r", 1, 0, 0)
	r.submit(spec(5, 0))
	r.beat(a)
	r.beat(full)
	heard := len(old.heard)
	next := &heir{}
	o := r.step(Input{Kind: InSetPolicy, Policy: next, Setup: &PolicySetup{Name: "next"}, Text: "admin"})
	require.Nil(t, o.Err)
	require.Same(t, next, r.m.Policy())
	require.Same(t, old, next.from)
	require.True(t, next.resetsFirst)
	require.Equal(t, []event.Type{event.SchedulerChanged}, next.heard, "what it can hear is the change")
	require.Len(t, old.heard, heard)
	last := r.facts[len(r.facts)-1]
	require.Equal(t, event.Event{Type: event.SchedulerChanged, Time: r.now, Name: "next", Text: "admin"}, last)
	require.Equal(t, []int32{a}, r.wakes, "it may have work for those with room")
	require.NoError(t, r.m.Apply(&last))

	o = r.step(Input{Kind: InSetPolicy})
	require.Equal(t, failure.Usage, o.Err.Kind)
	require.Same(t, next, r.m.Policy())
}

// lender is a policy that lends slots.
type lender struct{ lazy }

func (*lender) LendsSlots() bool { return true }

func TestBorrowedSlotsAreTakenBack(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(1, 2)
	s.SlowStart = 0
	seq := r.submit(s)
	require.True(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Map))
	require.True(t, r.m.Launch(reduceAttempt(seq, 1, 0).Task, a, job.Reduce))
	require.Nil(t, r.step(Input{Kind: InSetPolicy, Policy: &lender{}}).Err)
	require.Equal(t, job.AttemptAssigned, r.m.Attempt(reduceAttempt(seq, 0, 0)).State, "it sees to that itself")
	require.Nil(t, r.step(Input{Kind: InSetPolicy, Policy: &lazy{}}).Err)
	require.Equal(t, job.AttemptKilled, r.m.Attempt(reduceAttempt(seq, 0, 0)).State)
	require.Equal(t, job.AttemptAssigned, r.m.Attempt(reduceAttempt(seq, 1, 0)).State)
	require.EqualValues(t, 1, r.m.Job(seq).Pending[job.Reduce], "it runs again")
}

func TestSpeculatorChanges(t *testing.T) {
	r, _ := lazyRig(t)
	first, second := &heir{}, &heir{}
	require.Nil(t, r.step(Input{Kind: InSetSpeculator, Policy: first, Setup: &PolicySetup{Name: "late"}}).Err)
	require.Nil(t, first.from)
	require.Nil(t, r.step(Input{Kind: InSetSpeculator, Policy: second}).Err)
	require.Same(t, first, second.from)
	require.Equal(t, 1, second.resets)
	require.Nil(t, r.step(Input{Kind: InSetSpeculator}).Err)
	require.Nil(t, r.m.Speculator())
	require.Equal(t, 3, r.count(event.SchedulerChanged))
	require.Equal(t, event.Event{Type: event.SchedulerChanged, Time: r.now, Name: "late", N: 1}, r.facts[len(r.facts)-3])
}

func TestRecoveredTellsBoth(t *testing.T) {
	p, s := &lazy{}, &lazy{}
	m, err := New(DefaultConfig(), p)
	require.NoError(t, err)
	m.SetSpeculator(s)
	require.Zero(t, p.resets)
	require.Equal(t, 1, s.resets)
	m.Recovered(1, nil)
	require.Equal(t, 1, p.resets)
	require.Equal(t, 2, s.resets)
	require.Equal(t, []event.Type{event.Started}, s.heard)
}

// warden is a policy that rejects jobs of some queues.
type warden struct{ lazy }

func (*warden) Admit(_ scheduler.View, s *job.Spec) error {
	switch s.Queue {
	case "closed":
		return errors.New("the queue is closed")
	case "full":
		return failure.New(failure.Limit, "submit job", s.Name, errors.New("the queue is full"))
	}
	return nil
}

func TestAdmission(t *testing.T) {
	r := newRig(t)
	r.m.SetPolicy(&warden{})
	try := func(queue string) *failure.Error {
		s := spec(1, 0)
		s.Queue, s.SubmitKey = queue, "key "+queue
		return r.step(Input{Kind: InSubmit, Spec: s}).Err
	}
	before := len(r.facts)
	require.Equal(t, failure.Permission, try("closed").Kind)
	require.Equal(t, failure.Limit, try("full").Kind)
	require.Len(t, r.facts, before, "refused before it is a job")
	require.Nil(t, try("open"))
	require.Nil(t, try("open"), "the same submission again")
	require.Nil(t, try("other"))
	require.EqualValues(t, 2, r.m.LastJob())
}
