package daemon

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
)

// TestOrderedLimits checks that orders change an attempt's initial limits, in the kernel's units.
func TestOrderedLimits(t *testing.T) {
	g := &GroupConfig{SoftShare: 90}
	x := &limited{base: cgroup.Limits{Weight: 100, Memory: 1000 << 20, SoftMemory: 900 << 20}}
	require.Equal(t, x.base, x.limits(share{}, g))
	require.Equal(t, cgroup.Limits{Weight: 25, Memory: 1000 << 20, SoftMemory: 900 << 20}, x.limits(share{cpu: 250}, g))
	o := share{250, 500}
	l := x.limits(o, g)
	require.Equal(t, cgroup.Limits{Weight: 25, Memory: 500 << 20, SoftMemory: 500 << 20 / 100 * 90}, l)
	require.Equal(t, orchestrator.Vector{250, 500}, allocation(cgroup.Reading{Weight: l.Weight, Limit: l.Memory}, 9))
	require.Zero(t, l.Quota)
	x.base.Quota = 400 // a node of two cores that counts as five vcores
	require.EqualValues(t, 100, x.limits(o, g).Quota)
	require.EqualValues(t, 800, x.limits(share{cpu: 2000}, g).Quota)
	x.base.Memory = 0
	require.Zero(t, x.limits(o, g).Memory, "memory that is not limited stays so")
	require.Equal(t, orchestrator.Vector{250, 9}, allocation(cgroup.Reading{Weight: 25}, 9))
}

// TestNeededMemory checks that a child needs the memory that its garbage collector leaves free, but
// never more than its limit.
func TestNeededMemory(t *testing.T) {
	require.EqualValues(t, 98<<20, needed(cgroup.Reading{Memory: 50 << 20}))
	require.EqualValues(t, 128<<20, needed(cgroup.Reading{Memory: 100 << 20, Limit: 128 << 20}))
}

// TestMovableMemory checks that the manager moves no memory if memory is not limited.
func TestMovableMemory(t *testing.T) {
	require.EqualValues(t, 5, (&Daemon{cfg: Config{Memory: 5, Groups: GroupConfig{Memory: true}}}).movableMemory())
	require.Zero(t, (&Daemon{cfg: Config{Memory: 5}}).movableMemory())
}

// TestLocalManager checks three things: advice reaches the manager, the latest orders wait for the
// goroutine that applies them, and reports respond to advice.
func TestLocalManager(t *testing.T) {
	require.Nil(t, newLocal(orchestrator.Settings{Mode: orchestrator.Off}, 1))
	var none *local
	require.Nil(t, none.report())
	none.hear(&heartbeat.Desired{})

	c := orchestrator.DefaultConfig()
	l := newLocal(orchestrator.Settings{Mode: orchestrator.On, Config: c, NodeCPU: 2000}, 3000)
	require.Equal(t, 3*20*time.Second, l.lease)
	a := job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce, Index: 2}, N: 1}
	for i := range int64(3) {
		l.machine.Observe(i*5000, []orchestrator.Sample{{Attempt: a, CPUMillis: 1000 * i, Memory: 100,
			Allocation: orchestrator.Vector{1000, 500}}})
	}
	l.hear(fromDesired(&tracker.Desired{Limits: limitsFor(a, 1)}))
	advice := &tracker.Advice{Epoch: 4, Attempt: &tracker.Attempts{}, CpuMean: []int64{300}, MemoryMean: []int64{100}}
	advice.Attempt.Append(a)
	advice.Attempt.Append(job.Attempt{})
	l.hear(fromDesired(&tracker.Desired{Limits: limitsFor(a, 2), Advice: advice}))
	require.Equal(t, []heartbeat.Limit{{Attempt: a, CPU: 2}}, <-l.orders)
	r := toShares(l.report())
	require.Nil(t, l.report(), "nothing is new")
	require.EqualValues(t, 2000, r.Cpu)
	require.EqualValues(t, 3000, r.Memory)
	require.Equal(t, 1, r.Attempt.Len())
	got, ok := r.Attempt.At(0)
	require.True(t, ok)
	require.Equal(t, a, got)
	require.Equal(t, []int64{200}, r.CpuUsed)
	require.Equal(t, []int64{4}, r.Answers)
	require.Equal(t, []int64{200}, r.CpuWanted)

	l.settings.Mode = orchestrator.Watch
	l.hear(fromDesired(&tracker.Desired{Limits: limitsFor(a, 3)}))
	require.Empty(t, l.orders, "a manager that only watches changes nothing")
}

// TestSharesOverTime checks that a running attempt has a record of what it used, had, and needed, and that
// the record goes with the attempt.
func TestSharesOverTime(t *testing.T) {
	l := newLocal(orchestrator.Settings{Mode: orchestrator.On, Config: orchestrator.DefaultConfig(), NodeCPU: 2000}, 3000)
	one, two := job.Attempt{Task: job.Task{Job: 1}}, job.Attempt{Task: job.Task{Job: 1, Index: 1}}
	sample := func(a job.Attempt, i int64) orchestrator.Sample {
		return orchestrator.Sample{Attempt: a, CPUMillis: 1000 * i, Memory: 100, Allocation: orchestrator.Vector{1000, 500}}
	}
	for i := range int64(3) {
		l.observe(i*5000, []orchestrator.Sample{sample(one, i), sample(two, 2*i)}, 3000, 0)
	}
	l.machine.Hear([]heartbeat.Advice{{Attempt: two, Epoch: 4, Mean: heartbeat.Vector{300, 100}}})
	l.observe(15_000, []orchestrator.Sample{sample(two, 6)}, 3000, 0)
	require.Len(t, l.records, 1)
	r := l.records[two].Record()
	require.Equal(t, []int64{5000, 10_000, 15_000}, r.Times, "the first sample measures nothing")
	require.Equal(t, "CPU, thousandths of a core", r.Series[0].Name)
	require.Equal(t, trend.Value{Used: 400, Limit: 1000}, r.Series[0].Values[1])
	require.Equal(t, float32(400), r.Series[0].Values[2].Need)
	require.Equal(t, float32(100), r.Series[1].Values[0].Used)
}

func limitsFor(a job.Attempt, cpu int32) *tracker.Limits {
	l := &tracker.Limits{Attempt: &tracker.Attempts{}, Cpu: []int32{cpu}}
	l.Attempt.Append(a)
	return l
}
