package jobtracker

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// pooled is a policy with the pools a, b, and walled. It does not place jobs in walled, and rejects
// jobs in the queue full. The pool of a job that names no pool is its queue.
type pooled struct{ scheduler.Policy }

func (pooled) Admit(_ scheduler.View, s *job.Spec) error {
	if s.Queue == "full" {
		return errors.New("too many jobs")
	}
	return nil
}

func (pooled) Groups(_ scheduler.View, buf []scheduler.Group) []scheduler.Group {
	return append(buf, scheduler.Group{Name: "a"}, scheduler.Group{Name: "b"}, scheduler.Group{Name: "walled"})
}

func (pooled) GroupOf(v scheduler.View, seq int32) string {
	s := v.Job(seq).Spec
	switch pool := explicitPool(s); pool {
	case "":
		return s.Queue
	case "walled":
		return "b"
	default:
		return pool
	}
}

// A move changes the queue or pool of an unfinished job, but not the specification that other jobs
// and earlier facts refer to.
func TestMoveJob(t *testing.T) {
	r := newRig(t)
	r.m.SetPolicy(pooled{newFIFO(t)})
	s := spec(1, 0)
	s.Queue, s.Conf = "default", []job.Property{{Name: "a", Value: "1"}, {Name: "z", Value: "2"}}
	seq := r.submit(s)
	move := func(to, queue string) *failure.Error {
		return r.step(Input{Kind: InMoveJob, Job: seq, Name: to, Text: queue}).Err
	}
	where := func() [2]string { return [2]string{r.m.Job(seq).Spec.Queue, explicitPool(r.m.Job(seq).Spec)} }
	same := func() {
		t.Helper()
		require.Equal(t, dump(r.m), dump(r.replayed()))
	}

	require.Nil(t, move("prod", "prod"))
	require.Equal(t, [2]string{"prod", ""}, where(), "a queue that is not a pool is a label")
	same()
	require.Equal(t, []event.Event{{Type: event.JobMoved, Time: r.now, Job: seq, Name: "prod"}},
		r.snapshot(event.JobMoved))
	require.Nil(t, move("a", "a"))
	require.Equal(t, [2]string{"a", ""}, where(), "the queue determines the pool")
	require.Nil(t, move("b", ""))
	require.Equal(t, [2]string{"a", "b"}, where(), "only a pool")
	require.Equal(t, []job.Property{{Name: "a", Value: "1"}, {Name: conf.FairSchedulerPool.Name, Value: "b"},
		{Name: "z", Value: "2"}}, r.m.Job(seq).Spec.Conf)
	same()
	require.Nil(t, move("a", "a"))
	require.Equal(t, [2]string{"a", ""}, where(), "the queue determines the pool again")
	same()
	require.Nil(t, move("b", ""))
	require.Nil(t, move("prod", "prod"))
	require.Equal(t, [2]string{"prod", ""}, where(), "a move to a queue ends the stay in a pool")
	same()
	require.Nil(t, move("a", "a"))
	facts := r.count(event.JobMoved)
	require.Nil(t, move("a", "a"))
	require.Equal(t, facts, r.count(event.JobMoved), "no change, no fact")

	for to, want := range map[string]failure.Kind{"nowhere": failure.NotFound, "walled": failure.NotFound,
		"": failure.NotFound} {
		require.Equal(t, want, move(to, "").Kind, to)
	}
	require.ErrorContains(t, move("walled", ""), "does not accept the job in walled, but only in b")
	require.ErrorContains(t, move("\x1b[2J", ""), `unknown queue or pool "\x1b[2J"`)
	require.Equal(t, failure.Permission, move("full", "full").Kind)
	require.Equal(t, [2]string{"a", ""}, where(), "a rejected move changes nothing")
	require.Equal(t, "default", s.Queue)
	require.Len(t, s.Conf, 2, "a specification is immutable")
	require.Equal(t, failure.NotFound, r.step(Input{Kind: InMoveJob, Job: 99, Name: "a", Text: "a"}).Err.Kind)

	require.Nil(t, r.step(Input{Kind: InKillJob, Job: seq}).Err)
	require.Nil(t, r.step(Input{Kind: InAbortDone, Job: seq}).Err)
	require.ErrorContains(t, move("b", "b"), "the job has ended")
}

// The queue alone does not move a job that names its pool at its submission.
func TestMoveJobWithPool(t *testing.T) {
	r := newRig(t)
	r.m.SetPolicy(pooled{newFIFO(t)})
	s := spec(1, 0)
	s.Queue, s.Conf = "default", []job.Property{{Name: conf.FairSchedulerPool.Name, Value: "b"}}
	seq := r.submit(s)
	for _, to := range []struct{ queue, pool string }{{"a", "a"}, {"prod", "b"}} {
		require.Nil(t, r.step(Input{Kind: InMoveJob, Job: seq, Name: to.queue, Text: to.queue}).Err)
		got := r.m.Job(seq).Spec
		require.Equal(t, to, struct{ queue, pool string }{got.Queue, explicitPool(got)})
		require.Equal(t, dump(r.m), dump(r.replayed()))
	}
}

// A job that moves back is as it was at its submission.
func TestMoveJobBack(t *testing.T) {
	r := newRig(t)
	s := spec(1, 0)
	s.Queue = "default"
	seq := r.submit(s)
	for _, queue := range []string{"prod", "default"} {
		require.Nil(t, r.step(Input{Kind: InMoveJob, Job: seq, Name: queue, Text: queue}).Err)
	}
	require.Same(t, s, r.m.Job(seq).Spec)
	require.Empty(t, r.snapshot(event.JobMoved))
	require.Equal(t, dump(r.m), dump(r.replayed()))
}
