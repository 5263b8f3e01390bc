package jobtracker

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
)

// compacted returns the number of the job's compacted tasks.
func (r *rig) compacted(seq int32) (n int) {
	for _, tasks := range r.m.jobs.Get(seq).tasks {
		for i := range tasks {
			if tasks[i].course == &compacted {
				n++
			}
		}
	}
	return n
}

// finish ends the tracker's attempts after some time, in the reverse order of their launch, and
// returns the ends. One more step follows.
func (r *rig) finish(tt int32, by int64) (ended []AttemptInfo) {
	r.beat(tt)
	r.now += by
	reports := says(job.AttemptSucceeded, r.run(tt)...)
	slices.Reverse(reports)
	for i := range reports {
		if reports[i].Attempt.Type == job.Reduce {
			reports[i].Phase, reports[i].ShuffleDone, reports[i].SortDone = job.PhaseReduce, r.now-3, r.now-1
		}
	}
	r.beat(tt, reports...)
	for i := range reports {
		a, _ := r.m.AttemptInfo(reports[i].Attempt)
		ended = append(ended, a)
	}
	r.step(Input{Kind: InTick})
	return ended
}

// journaled returns a new machine to which all facts of the rig have been applied. It compacts nothing.
func (r *rig) journaled() *Machine {
	m, err := New(r.m.cfg, &lazy{})
	require.NoError(r.t, err)
	for i := range r.facts {
		require.NoError(r.t, m.Apply(&r.facts[i]))
	}
	return m
}

// A compacted task loses nothing that facts, policies, or users can see.
func TestCompactedTasks(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 0)
	b := r.register("b", "h2", "/r", 1, 3, 1)
	seq := r.submit(spec(7, 2))
	ended := append(r.finish(a, 10), r.finish(b, 20)...)
	r.beat(b)
	require.Len(t, ended, 6)
	require.Equal(t, len(ended), r.compacted(seq))
	snapshot := func(m *Machine) (facts []event.Event) {
		m.Snapshot(func(e *event.Event) { facts = append(facts, *e) })
		return facts
	}
	require.Equal(t, snapshot(r.journaled()), snapshot(r.m))
	require.Equal(t, r.journaled().TaskEvents(seq, 0, 100, nil), r.m.TaskEvents(seq, 0, 100, nil))
	infos := map[job.Attempt]AttemptInfo{}
	r.m.Attempts(seq, func(i AttemptInfo) bool {
		infos[i.ID] = i
		return true
	})
	won := 0
	for k := range job.TaskType(2) {
		won += len(r.m.Ended(seq, k, nil))
		r.m.Winners(seq, k, func(i AttemptInfo) { require.Equal(t, infos[i.ID], i) })
	}
	require.Equal(t, len(ended), won)
	require.Equal(t, len(ended), r.compacted(seq), "nothing has needed the tasks themselves")
	for _, e := range ended {
		require.Equal(t, e, infos[e.ID])
		require.Equal(t, e.Attempt, r.m.Attempt(e.ID))
	}
	r.step(Input{Kind: InTick})
	require.Equal(t, len(ended), r.compacted(seq), "they are compacted again")

	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Equal(t, 2, r.count(event.TaskReopened))
	require.Equal(t, dump(r.journaled()), dump(r.m))
	for range 3 {
		r.finish(b, 5)
	}
	require.Equal(t, job.Committing, r.state(seq))
	size := r.m.jobs.Get(seq).footprint()
	require.Equal(t, r.journaled().jobs.Get(seq).footprint(), size)
	require.Nil(t, r.step(Input{Kind: InCommitDone, Job: seq}).Err)
	require.Empty(t, r.m.trackers.Get(b).jobs)
	require.Equal(t, dump(r.journaled()), dump(r.m))
}

// Attempts with counters, and tasks with several attempts, stay as they are.
func TestTasksWithDetailAreNotCompacted(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 0)
	r.register("b", "h2", "/r", 1, 1, 0)
	seq := r.submit(spec(2, 1))
	r.beat(a)
	run := r.run(a)
	r.report(&heartbeat.Report{Tracker: a, Attempts: []heartbeat.AttemptReport{
		{Attempt: run[0], State: job.AttemptSucceeded, Counters: &job.Counters{}},
		{Attempt: run[1], State: job.AttemptKilled}}})
	again := run[1]
	again.N++
	r.beat(a, says(job.AttemptSucceeded, again)...)
	r.step(Input{Kind: InTick})
	require.Equal(t, [2]int32{2, 0}, r.m.Job(seq).Finished)
	require.Zero(t, r.compacted(seq))
}
