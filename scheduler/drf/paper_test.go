package drf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// A bench is a cluster whose tasks run in containers.
type bench struct {
	*policytest.Hand
	seq uint64
}

func newBench(t *testing.T, p scheduler.Policy) *bench { return &bench{Hand: policytest.NewHand(t, p)} }

func (b *bench) tracker(gib, cores int32) int32 {
	b.seq++
	return b.Do(jobtracker.Input{Kind: jobtracker.InRegister,
		Register: &jobtracker.Register{Name: string(rune('a' + b.seq)), Host: "h", Incarnation: 1, Memory: gib << 10,
			VCores: cores}}).Tracker
}

// submit submits a job with 100 maps for a user. Each map needs gib GiB of memory and the given
// number of cores.
func (b *bench) submit(user string, gib, cores int32) int32 {
	s := &job.Spec{User: user, MapAttempts: 4, ReduceAttempts: 4, MapMemory: gib << 10, MapVCores: cores,
		Splits: make([]job.SplitMeta, 100)}
	return b.Submit(s)
}

// beat sends a heartbeat of a tracker with all of its maps. If done is set, they have succeeded.
func (b *bench) beat(tracker int32, done bool) {
	b.seq++
	r := &heartbeat.Report{Tracker: tracker, Incarnation: 1, Seq: b.seq}
	for _, seq := range b.AllJobs() {
		for _, a := range b.Running(seq, job.Map, nil) {
			if a.Tracker == tracker {
				s := job.AttemptRunning
				if done {
					s = job.AttemptSucceeded
				}
				r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: a.ID, State: s})
			}
		}
	}
	b.Do(jobtracker.Input{Kind: jobtracker.InBeat, Report: r})
}

func (b *bench) running(seq int32) int32 { return b.Job(seq).Running[job.Map] }

// Section 4.1, the example of figure 3, with 9 CPUs and 18 GB. A's tasks need <1 CPU, 4 GB>, and
// B's need <3 CPUs, 1 GB>. A gets three tasks and B two, so that each has two thirds of its
// dominant resource.
func TestExample(t *testing.T) {
	p := build(t)
	b := newBench(t, p)
	x, y := b.submit("A", 4, 1), b.submit("B", 1, 3)
	tt := b.tracker(18, 9)
	b.beat(tt, false)
	require.EqualValues(t, 3, b.running(x))
	require.EqualValues(t, 2, b.running(y))
	require.InDelta(t, 2.0/3, p.byName["A"].share, 1e-12)
	require.InDelta(t, 2.0/3, p.byName["B"].share, 1e-12)
}

// Section 4.1, Table 1: Algorithm 1 assigns tasks in the order B, A, B, A, A. Here users with equal
// shares are ordered by name, so A comes first.
func TestOrderOfAlgorithm1(t *testing.T) {
	b := newBench(t, build(t))
	x, y := b.submit("A", 4, 1), b.submit("B", 1, 3)
	tt := b.tracker(18, 9)
	var order []string
	plan := planFunc(func(task job.Task) bool {
		order = append(order, map[int32]string{x: "A", y: "B"}[task.Job])
		return b.Launch(task, tt, job.Container)
	})
	b.Policy().Assign(b.Machine, tt, plan)
	require.Equal(t, []string{"A", "B", "A", "B", "A"}, order)
}

type planFunc func(job.Task) bool

func (f planFunc) Launch(t job.Task, _ int32, _ job.TaskType) bool { return f(t) }
func (f planFunc) Kill(job.Attempt, string) bool                   { return false }

// Section 4.3: a user with twice the weight gets twice the share.
func TestWeights(t *testing.T) {
	b := newBench(t, build(t, conf.DRFWeights.Name, "A = 2"))
	x, y := b.submit("A", 1, 1), b.submit("B", 1, 1)
	b.beat(b.tracker(12, 12), false)
	require.EqualValues(t, 8, b.running(x))
	require.EqualValues(t, 4, b.running(y))
}

// Section 3: with one resource, DRF is max-min fairness. A user with several jobs counts once.
func TestOneResource(t *testing.T) {
	for group, want := range map[string][]int32{"user": {6, 0, 6}, "job": {4, 4, 4}} {
		b := newBench(t, build(t, conf.DRFShareBy.Name, group))
		jobs := []int32{b.submit("A", 1, 1), b.submit("A", 1, 1), b.submit("B", 1, 1)}
		b.beat(b.tracker(12, 0), false)
		got := []int32{b.running(jobs[0]), b.running(jobs[1]), b.running(jobs[2])}
		require.Equal(t, want, got, "%s: within a user the first job comes first", group)
	}
}

// Section 5.2, strategy-proofness: a user who requests more than a task needs gets fewer tasks.
func TestLyingDoesNotHelp(t *testing.T) {
	b := newBench(t, build(t))
	x, y := b.submit("A", 4, 4), b.submit("B", 1, 3)
	b.beat(b.tracker(18, 9), false)
	require.Less(t, b.running(x), int32(3))
	require.GreaterOrEqual(t, b.running(y), int32(1))
}

// Section 5.3, sharing incentive: every user gets at least as much as in a cluster that is split
// into equal parts.
func TestSharingIncentive(t *testing.T) {
	for _, d := range [][4]int32{{1, 1, 1, 1}, {4, 1, 1, 3}, {2, 1, 1, 2}, {1, 3, 3, 1}, {1, 2, 6, 1}} {
		b := newBench(t, build(t))
		x, y := b.submit("A", d[0], d[1]), b.submit("B", d[2], d[3])
		b.beat(b.tracker(36, 36), false)
		require.GreaterOrEqual(t, b.running(x), min(18/d[0], 18/d[1]), "%v", d)
		require.GreaterOrEqual(t, b.running(y), min(18/d[2], 18/d[3]), "%v", d)
	}
}

// The policy never assigns a core twice. It must check that itself, because the machine checks only
// memory.
func TestCoresAreKept(t *testing.T) {
	b := newBench(t, build(t))
	x := b.submit("A", 1, 2)
	b.beat(b.tracker(100, 9), false)
	require.EqualValues(t, 4, b.running(x))
}

// A tracker is reserved for the large task of the user with the smallest share. Without
// reservations, small tasks always take the free resources first.
func TestLargeTaskIsNotStarved(t *testing.T) {
	for hold, want := range map[string]bool{"true": true, "false": false} {
		b := newBench(t, build(t, conf.DRFHold.Name, hold))
		small := b.submit("A", 1, 1)
		tt := b.tracker(4, 4)
		b.beat(tt, false)
		require.EqualValues(t, 4, b.running(small))
		large := b.submit("B", 3, 3)
		for range 20 { // A's tasks end one at a time
			oldest := b.Running(small, job.Map, nil)
			b.seq++
			r := &heartbeat.Report{Tracker: tt, Incarnation: 1, Seq: b.seq}
			for i, a := range oldest {
				s := job.AttemptRunning
				if i == 0 {
					s = job.AttemptSucceeded
				}
				r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: a.ID, State: s})
			}
			for _, a := range b.Running(large, job.Map, nil) {
				r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: a.ID, State: job.AttemptRunning})
			}
			b.Do(jobtracker.Input{Kind: jobtracker.InBeat, Report: r})
		}
		require.Equal(t, want, b.running(large) > 0, "hold=%s", hold)
	}
}

// A policy takes over reserved trackers only if it reserves trackers itself.
func TestInheritsHolds(t *testing.T) {
	for hold, want := range map[string]int{"true": 1, "false": 0} {
		old := build(t)
		b := newBench(t, old)
		b.submit("A", 3, 3)
		tt := b.tracker(4, 4)
		b.beat(tt, false)
		require.Len(t, old.holds, 1, "for A's second task")
		p := build(t, conf.DRFHold.Name, hold)
		p.Reset(b)
		p.Inherit(b, old)
		require.Len(t, p.holds, want, "hold=%s", hold)
	}
}
