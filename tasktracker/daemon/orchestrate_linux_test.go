package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
)

// TestOrdersThatDoNotHold checks that a memory limit below the memory in use is refused. The
// TaskTracker reports the ordered limits and the limits in force until an order can be applied. A
// halted manager reports nothing.
func TestOrdersThatDoNotHold(t *testing.T) {
	k := newFakeKernel(t)
	k.tell(100, 300, 0)
	a := job.Attempt{Task: job.Task{Job: 1, Index: 2}}
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	began := cgroup.Limits{Weight: 100, Memory: 1000 << 20}
	require.NoError(t, m.begin(a, began))
	file := filepath.Join(t.TempDir(), "halt")
	l := newLocal(orchestrator.Settings{Mode: orchestrator.On, Config: orchestrator.DefaultConfig(), NodeCPU: 1000,
		HaltLocal: file}, 4000)
	defer l.close()
	c := &child{meter: m, attempt: a, grants: make(chan grant, 1)}
	l.sample(1, []running{{attempt: a, child: c, meter: m, base: m.base}}, 4000)
	obey := func(cpu, memory int32) {
		orders := []heartbeat.Limit{{Attempt: job.Attempt{N: 7}, CPU: 1}, {Attempt: a, CPU: cpu, Memory: memory}}
		l.obey(orders, &GroupConfig{Memory: true}, slog.New(slog.DiscardHandler))
	}
	holds := func(want cgroup.Limits) {
		got, err := k.group.Limits()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	obey(500, 200)
	holds(began)
	require.Len(t, l.unheldLimits(), 1)
	u := l.unheldLimits()[0]
	require.Equal(t, []int32{500, 200, 0, 0}, []int32{u.CPU, u.Memory, u.HeldCPU, u.HeldMemory})
	require.Equal(t, a, u.Attempt)
	require.Contains(t, u.Why, "314572800 bytes are in use, more than the new limit of 209715200")
	obey(500, 400)
	require.Empty(t, l.unheldLimits())
	holds(cgroup.Limits{Weight: 50, Memory: 400 << 20})
	obey(600, 200)
	u = l.unheldLimits()[0]
	require.Equal(t, []int32{600, 200, 500, 400}, []int32{u.CPU, u.Memory, u.HeldCPU, u.HeldMemory})
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.Empty(t, l.unheldLimits(), "a manager that stalls reports nothing")
	require.NoError(t, os.Remove(file))
	obey(500, 1500)
	k.tell(200, 1200, 0)
	obey(0, 0)
	u = l.unheldLimits()[0]
	require.Equal(t, []int32{0, 0, 500, 1500}, []int32{u.CPU, u.Memory, u.HeldCPU, u.HeldMemory}, "nor can it be lifted")
	takes := func(mb int64) {
		t.Helper()
		require.Equal(t, mb<<20, (<-c.grants).bytes)
	}
	takes(1000)
	late := func(what *time.Time) { *what = what.Add(-time.Hour) }
	late(&l.seen[a].ordered)
	obey(500, 1500)
	require.Empty(t, l.unheldLimits(), "the JobTracker knows")
	takes(1000) // the child frees memory nevertheless
	k.tell(200, 900, 0)
	obey(0, 0)
	require.Empty(t, l.unheldLimits())
	holds(began)
	takes(1000)

	obey(500, 1500)
	k.tell(200, 1200, 0)
	obey(500, 1100)
	takes(1100)
	late(&l.seen[a].spare.until)
	late(&l.seen[a].ordered)
	obey(500, 1500)
	takes(1500) // the child no longer has to free memory
	obey(500, 1100)
	obey(500, 1600)
	takes(1600)
}

// TestOrdersForAGroupThatIsGone checks that an attempt whose group was removed has no limits. The
// JobTracker must receive the reason before a lease ends. An order that lifts the limits must
// succeed.
func TestOrdersForAGroupThatIsGone(t *testing.T) {
	k := newFakeKernel(t)
	k.tell(100, 300, 0)
	a := job.Attempt{Task: job.Task{Job: 1, Index: 2}}
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	require.NoError(t, m.begin(a, cgroup.Limits{Weight: 100, Memory: 1000 << 20}))
	l := newLocal(orchestrator.Settings{Mode: orchestrator.On, Config: orchestrator.DefaultConfig(), NodeCPU: 1000}, 4000)
	defer l.close()
	c := &child{meter: m, attempt: a, grants: make(chan grant, 1)}
	observe := func(round int) {
		l.sample(round, []running{{attempt: a, child: c, meter: m, base: m.base}}, 4000)
	}
	obey := func(cpu, memory int32) {
		orders := []heartbeat.Limit{{Attempt: a, CPU: cpu, Memory: memory}}
		l.obey(orders, &GroupConfig{Memory: true}, slog.New(slog.DiscardHandler))
	}
	observe(1)
	obey(500, 400)
	require.Empty(t, l.unheldLimits())
	for _, c := range []string{"cpu", "cpuacct", "memory"} {
		require.NoError(t, os.RemoveAll(filepath.Join(k.mount, c, k.group.Path())))
	}
	l.seen[a].last = cgroup.Reading{} // files of a removed group are unreadable in a kernel, but readable in a file system
	l.seen[a].ordered = l.seen[a].ordered.Add(-l.lease / 2)
	obey(500, 400)
	require.Len(t, l.unheldLimits(), 1)
	u := l.unheldLimits()[0]
	require.Equal(t, []int32{500, 400, 0, 0}, []int32{u.CPU, u.Memory, u.HeldCPU, u.HeldMemory})
	require.Contains(t, u.Why, "its control group was removed")
	obey(0, 0)
	require.Empty(t, l.unheldLimits())
	l.seen[a].holds = share{500, 400}
	obey(0, 0)
	require.Empty(t, l.unheldLimits(), "there is nothing to lift")
}
