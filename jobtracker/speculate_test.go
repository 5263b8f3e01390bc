package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
)

// eager is a speculator that starts a second attempt whenever the machine allows it. It also tries
// to start waiting tasks, which the machine must reject.
type eager struct {
	lazy
	refusedWaiting bool
}

func (p *eager) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.asked++
	for _, seq := range v.Jobs() {
		for k := range job.TaskType(2) {
			for _, a := range v.Running(seq, k, nil) {
				plan.Launch(a.ID.Task, tracker, a.Slot)
			}
			if i, _, ok := v.PickMap(seq, tracker, job.OffSwitch); ok && !plan.Launch(job.Task{Job: seq, Index: i},
				tracker, job.Map) {
				p.refusedWaiting = true
			}
		}
	}
}

func eagerRig(t *testing.T) (*rig, *eager) {
	r, p := newRig(t), &eager{}
	r.m.SetSpeculator(p)
	require.Same(t, p, r.m.Speculator())
	return r, p
}

func TestSpeculatorIsAskedAfterThePolicy(t *testing.T) {
	r, p := eagerRig(t)
	require.Equal(t, 1, p.resets)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	b := r.register("b", "h2", "/r", 1, 2, 1)
	r.beat(a)
	require.Zero(t, p.asked, "no job runs")
	plain := spec(1, 0)
	plain.MapSpeculative, plain.ReduceSpeculative = false, false
	first := r.submit(plain)
	r.beat(a)
	require.Zero(t, p.asked, "no job allows it")
	seq := r.submit(spec(2, 0))
	require.Contains(t, p.heard, event.JobStarted)
	r.beat(a)
	require.Equal(t, 1, p.asked)
	require.Len(t, r.run(a), 2, "its own tasks are not doubled on one tracker")
	require.True(t, p.refusedWaiting, "what waits is the policy's")
	d := r.beat(b)
	require.Equal(t, []job.Attempt{mapAttempt(seq, 1, 0), mapAttempt(seq, 0, 1)}, d.Run, "one waits, one is doubled")
	asked := p.asked
	r.beat(b)
	require.Equal(t, asked+1, p.asked, "the reduce slot is free")
	r.step(Input{Kind: InKillJob, Job: seq})
	asked = p.asked
	r.beat(b)
	require.Equal(t, asked, p.asked, "the job that allowed it is over")
	require.Equal(t, job.Running, r.state(first))
	r.m.SetSpeculator(nil)
	require.Nil(t, r.m.Speculator())
	r.beat(b)
}

func TestSecondAttempts(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 3)
	b := r.register("b", "h2", "/r", 1, 3, 3)
	c := r.register("c", "h3", "/r", 1, 3, 3)
	s := spec(3, 1)
	s.SlowStart, s.ReduceSpeculative, s.TrackerFailures = 0, false, 1
	seq := r.submit(s)
	task := mapAttempt(seq, 0, 0).Task
	require.False(t, r.twin(task, a), "it waits")
	require.False(t, r.twin(mapAttempt(9, 0, 0).Task, a), "no such job")
	require.True(t, r.m.Launch(task, a, job.Map))
	require.False(t, r.twin(task, 99), "no such tracker")
	require.False(t, r.m.Launch(task, b, job.Map), "policies do not speculate")
	require.True(t, r.twin(task, b))
	require.False(t, r.twin(task, c), "two are enough")
	require.True(t, r.m.Kill(mapAttempt(seq, 0, 1), "x"))
	require.False(t, r.twin(task, b), "it was tried there")
	require.True(t, r.twin(task, c))

	reduce := reduceAttempt(seq, 0, 0).Task
	require.True(t, r.m.Launch(reduce, a, job.Reduce))
	require.False(t, r.twin(reduce, b), "not for reduces of this job")

	other := mapAttempt(seq, 1, 0).Task
	require.True(t, r.m.Launch(other, a, job.Map))
	r.beat(b, failed(failure.User, "boom", mapAttempt(seq, 0, 1))...)
	require.True(t, (*speculation)(r.m).Kill(mapAttempt(seq, 1, 0), "enough"))
	require.Equal(t, int32(2), r.m.Job(seq).Pending[job.Map])
}

// A tracker gets no second attempt if it is unhealthy, or if the job or the cluster has blacklisted
// it.
func TestBadNodesGetNoSecondAttempts(t *testing.T) {
	r, p := lazyRig(t)
	spec5 := spec(5, 0)
	spec5.TrackerFailures = 1
	tts := []int32{}
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		tts = append(tts, r.register(n, "h"+n, "/r", 1, 3, 3))
	}
	r.m.SetSpeculator(p)
	seq := r.submit(spec5)
	require.True(t, r.m.Launch(mapAttempt(seq, 1, 0).Task, tts[1], job.Map))
	r.beat(tts[1], failed(failure.User, "boom", mapAttempt(seq, 1, 0))...)
	require.Equal(t, event.TrackerBlacklisted, r.facts[len(r.facts)-1].Type)
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, tts[0], job.Map))
	require.False(t, r.twin(mapAttempt(seq, 0, 0).Task, tts[1]), "on the job's list")
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Tracker: tts[2]}))
	require.False(t, r.twin(mapAttempt(seq, 0, 0).Task, tts[2]), "on the cluster's")
	asked := p.asked
	r.beat(tts[2])
	require.Equal(t, asked, p.asked)
	r.report(&heartbeat.Report{Tracker: tts[3], Unhealthy: "the disk is full"})
	require.False(t, r.twin(mapAttempt(seq, 0, 0).Task, tts[3]), "unhealthy")
	require.Equal(t, asked, p.asked)
	require.True(t, r.twin(mapAttempt(seq, 0, 0).Task, tts[4]))
}

// Second attempts count toward the job's limit on running tasks and need slots.
func TestSecondAttemptsNeedRoom(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 3)
	b := r.register("b", "h2", "/r", 1, 1, 0)
	s := spec(3, 0)
	s.MapLimit = 2
	seq := r.submit(s)
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	require.True(t, r.m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Map))
	require.False(t, r.twin(mapAttempt(seq, 0, 0).Task, b), "at its limit")
	require.True(t, r.m.Kill(mapAttempt(seq, 1, 0), "x"))
	require.True(t, r.twin(mapAttempt(seq, 0, 0).Task, b))
	require.True(t, r.m.Kill(mapAttempt(seq, 0, 1), "x"))
	require.True(t, r.m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Map))
	require.False(t, r.twin(mapAttempt(seq, 1, 0).Task, b), "the killed one still has the slot")
}

func TestSpeculatorTicks(t *testing.T) {
	r, p := eagerRig(t)
	p.next = r.now + 70
	require.Equal(t, p.next, r.m.NextDeadline())
	r.now += 69
	r.step(Input{Kind: InTick})
	require.Zero(t, p.ticks)
	r.now++
	r.step(Input{Kind: InTick})
	require.Equal(t, 1, p.ticks)
	p.next = 0
	r.step(Input{Kind: InTick})
	require.Equal(t, 1, p.ticks)
	require.Zero(t, r.m.NextDeadline())
}

// A job that allows second attempts of only one type of task still makes the machine ask the
// speculator.
func TestSpeculationOfOneType(t *testing.T) {
	for _, maps := range []bool{true, false} {
		r, p := eagerRig(t)
		a := r.register("a", "h1", "/r", 1, 2, 2)
		s := spec(1, 1)
		s.MapSpeculative, s.ReduceSpeculative, s.SlowStart = maps, !maps, 0
		r.submit(s)
		require.Len(t, r.beat(a).Run, 2)
		require.Equal(t, 1, p.asked, "maps %v", maps)
		b := r.register("b", "h2", "/r", 1, 2, 2)
		twins := r.beat(b).Run
		require.Len(t, twins, 1)
		require.Equal(t, maps, twins[0].Type == job.Map)
	}
}
