package estimate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A fakeView contains one job. The test supplies its attempts.
type fakeView struct {
	scheduler.View
	now            int64
	job            scheduler.Job
	running, ended [2][]*scheduler.Attempt
	slots          [2]int32
}

func newView(maps, reduces int32, profile string) *fakeView {
	v := &fakeView{now: 1000, slots: [2]int32{4, 4}}
	v.job = scheduler.Job{Seq: 1, State: job.Running, Spec: &job.Spec{}, Tasks: [2]int32{maps, reduces}}
	if profile != "" {
		v.job.Spec.Conf = []job.Property{{Name: conf.JobProfile.Name, Value: profile}}
	}
	return v
}

func (v *fakeView) Now() int64                { return v.now }
func (v *fakeView) Jobs() []int32             { return []int32{1} }
func (v *fakeView) Cluster() scheduler.Totals { return scheduler.Totals{Slots: v.slots} }
func (v *fakeView) Job(seq int32) *scheduler.Job {
	if seq == 1 {
		return &v.job
	}
	return nil
}
func (v *fakeView) Running(_ int32, t job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	return append(buf, v.running[t]...)
}
func (v *fakeView) Ended(_ int32, t job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	return append(buf, v.ended[t]...)
}
func (v *fakeView) Attempt(id job.Attempt) *scheduler.Attempt {
	for _, a := range v.ended[id.Type] {
		if a.ID == id {
			return a
		}
	}
	return nil
}

func (v *fakeView) start(t job.TaskType, index int32, at int64) *scheduler.Attempt {
	a := &scheduler.Attempt{ID: job.Attempt{Task: job.Task{Job: 1, Type: t, Index: index}}, Start: at,
		State: job.AttemptRunning}
	v.running[t] = append(v.running[t], a)
	v.job.Running[t]++
	return a
}

// end makes the oldest running attempt of a type succeed and returns the fact.
func (v *fakeView) end(t job.TaskType, sortDone, at int64) *event.Event {
	a := v.running[t][0]
	v.running[t] = v.running[t][1:]
	a.State, a.SortDone, a.Finish = job.AttemptSucceeded, sortDone, at
	v.ended[t] = append(v.ended[t], a)
	v.job.Running[t]--
	v.job.Finished[t]++
	v.now = at
	return &event.Event{Type: event.AttemptFinished, Job: 1, Attempt: a.ID, State: a.State}
}

// SIM section III-A: a reduce that starts before the last map ends has a first shuffle, which is
// measured from the end of that map. Any other reduce has a typical shuffle.
func TestPhasesAreToldApart(t *testing.T) {
	v := newView(2, 2, "")
	l := NewLearner()
	l.Reset(v)
	v.start(job.Map, 0, 1000)
	v.start(job.Map, 1, 1000)
	v.start(job.Reduce, 0, 1500)
	l.Observe(v, v.end(job.Map, 0, 2000))
	l.Observe(v, v.end(job.Map, 0, 5000))
	l.Observe(v, v.end(job.Reduce, 5300, 6000))
	v.start(job.Reduce, 1, 6000)
	l.Observe(v, v.end(job.Reduce, 6900, 7100))

	want := Profile{Map: Phase{2500, 4000}, First: Phase{300, 300}, Typical: Phase{900, 900}, Reduce: Phase{450, 700}}
	require.Equal(t, want, l.Profile(1))
	require.Equal(t, [2]int32{2, 2}, l.Measured(1))
	require.EqualValues(t, 7100, l.LastEnd(1))

	again := NewLearner()
	again.Reset(v)
	require.Equal(t, l.jobs.Get(1), again.jobs.Get(1), "rebuilt from View.Ended")

	l.Observe(v, &event.Event{Type: event.JobCommitting, Job: 1})
	require.Zero(t, l.Profile(1))
}

// If a map's output is lost after a reduce has ended, the second run of the map does not change the
// measured shuffle of that reduce.
func TestReopenedMap(t *testing.T) {
	v := newView(2, 1, "")
	l := NewLearner()
	l.Reset(v)
	v.start(job.Map, 0, 1000)
	v.start(job.Map, 1, 1000)
	v.start(job.Reduce, 0, 1500)
	l.Observe(v, v.end(job.Map, 0, 2000))
	l.Observe(v, v.end(job.Map, 0, 3000))
	l.Observe(v, v.end(job.Reduce, 3300, 4000))
	lost := v.ended[job.Map][0]
	lost.State = job.AttemptKilled
	l.Observe(v, &event.Event{Type: event.TaskReopened, Job: 1, Attempt: lost.ID, State: job.AttemptKilled})
	v.start(job.Map, 0, 4000).ID.N = 1
	l.Observe(v, v.end(job.Map, 0, 8000))
	require.Equal(t, Profile{Map: Phase{3000, 4000}, First: Phase{300, 300}, Reduce: Phase{700, 700}}, l.Profile(1))
	again := NewLearner()
	again.Reset(v)
	require.Equal(t, l.jobs.Get(1).measure.Profile(), again.jobs.Get(1).measure.Profile())
}

// No duration is negative, even if times from different clocks are in the wrong order.
func TestOddTimes(t *testing.T) {
	var m Measure
	m.Map(500, 400)
	m.Reduce(1000, 500, 1200)  // sorted before the start
	m.Reduce(1000, 9000, 1200) // sorted after the end
	m.Reduce(1000, 0, 1500)    // not known
	require.Equal(t, Profile{Typical: Phase{100, 200}, Reduce: Phase{(200. + 0 + 500) / 3, 500}}, m.Profile())
}

func TestBlend(t *testing.T) {
	var m Measure
	prior := Profile{Map: Phase{100, 200}, Reduce: Phase{50, 50}}
	require.Equal(t, prior, m.Blend(prior))
	for range weight {
		m.Map(0, 300)
	}
	require.Equal(t, Profile{Map: Phase{200, 300}, Reduce: Phase{50, 50}}, m.Blend(prior), "both count alike")
	require.Equal(t, m.Profile(), m.Blend(Profile{}))
	prior.Map.Max = 500
	require.Equal(t, Phase{200, 400}, m.Blend(prior).Map, "the longest counts alike, too")
}

// A reduce that starts when the last map ends has a typical shuffle.
func TestReduceStartsAtTheEndOfTheMaps(t *testing.T) {
	var m Measure
	m.Map(0, 100)
	m.Map(0, 90)
	m.Reduce(100, 150, 200)
	require.Equal(t, Profile{Map: Phase{95, 100}, Typical: Phase{50, 50}, Reduce: Phase{50, 50}}, m.Profile())
}

// The Learner ignores facts about unknown jobs, unknown attempts, and jobs that are not running.
func TestLearnerIgnores(t *testing.T) {
	v := newView(1, 0, "map=5")
	v.start(job.Map, 0, 1000)
	done := v.end(job.Map, 0, 2000)
	l := NewLearner()
	l.Observe(v, done)
	l.Observe(v, &event.Event{Type: event.JobStarted, Job: 2})
	v.job.State = job.Prep
	l.Observe(v, &event.Event{Type: event.JobStarted, Job: 1})
	require.Empty(t, l.jobs)
	require.Zero(t, l.Given(1))
	require.Zero(t, l.LastEnd(1))
	v.job.State = job.Running
	l.Observe(v, &event.Event{Type: event.JobStarted, Job: 1})
	unknown := *done
	unknown.Attempt.Index = 7
	l.Observe(v, &unknown)
	require.Equal(t, [2]int32{1, 0}, l.Measured(1))
	require.Equal(t, Profile{Map: Phase{5, 5}}, l.Given(1))
	require.EqualValues(t, 2000, l.LastEnd(1))
}

func TestComplete(t *testing.T) {
	known := Phase{1, 2}
	require.True(t, Profile{}.IsZero())
	for _, p := range []Profile{{First: known}, {Typical: known}} {
		require.False(t, p.IsZero())
		require.Equal(t, Profile{First: known, Typical: known}, p.Complete())
		p.Map = Phase{3, 4}
		require.Equal(t, p, p.Guess())
	}
	require.Equal(t, Profile{Map: known, Reduce: known}, Profile{Map: known}.Guess())
	require.Equal(t, Profile{Map: known, Reduce: Phase{3, 4}}, Profile{Map: known, Reduce: Phase{3, 4}}.Guess())
}

func TestHistory(t *testing.T) {
	var h History
	id := func(k job.TaskType, i int32) job.Attempt {
		return job.Attempt{Task: job.Task{Job: 7, Type: k, Index: i}}
	}
	for _, e := range []event.Event{
		{Time: 1000, Type: event.AttemptStarted, Job: 7, Attempt: id(job.Map, 0)},
		{Time: 1500, Type: event.AttemptStarted, Job: 7, Attempt: id(job.Map, 1)},
		{Time: 1600, Type: event.AttemptStarted, Job: 7, Attempt: id(job.Reduce, 0)},
		{Time: 2000, Type: event.AttemptFinished, Job: 7, Attempt: id(job.Map, 0), State: job.AttemptFailed},
		{Time: 3500, Type: event.AttemptFinished, Job: 7, Attempt: id(job.Map, 1), State: job.AttemptSucceeded},
		// The start of this attempt is unknown.
		{Time: 3500, Type: event.AttemptFinished, Job: 7, Attempt: id(job.Map, 2), State: job.AttemptSucceeded},
		{Time: 4500, Type: event.AttemptFinished, Job: 7, Attempt: id(job.Reduce, 0), State: job.AttemptSucceeded,
			SortDone: 3900},
		{Time: 4500, Type: event.JobFinished, Job: 7},
	} {
		h.Add(&e)
	}
	require.Equal(t, Profile{Map: Phase{2000, 2000}, First: Phase{400, 400}, Reduce: Phase{600, 600}}, h.Profile(7))
	require.Zero(t, h.Profile(8))
	h.Add(&event.Event{Type: event.TaskReopened, Job: 7, Attempt: id(job.Map, 1)})
	require.Zero(t, h.Profile(7).Map)
}

// The Learner reuses the memory of a dropped job for one other job.
func TestFreshUsesSpareMemory(t *testing.T) {
	l := NewLearner()
	for seq := range int32(2) {
		l.jobs.Put(seq, &learned{prior: Profile{Map: Phase{1, 2}}})
	}
	old := l.jobs.Get(1)
	l.forget(0)
	l.forget(1)
	x := l.fresh()
	require.Same(t, old, x)
	require.Zero(t, *x)
	require.NotSame(t, x, l.fresh())
	require.Empty(t, l.spare)
	require.NotNil(t, l.fresh())
}
