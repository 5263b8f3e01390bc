package daemon

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// fakeKernel is a directory whose files imitate version 1 control groups.
type fakeKernel struct {
	t     *testing.T
	mount string
	group *cgroup.Group
}

func newFakeKernel(t *testing.T) *fakeKernel {
	k := &fakeKernel{t: t, mount: t.TempDir()}
	for _, c := range []string{"cpu", "cpuacct", "memory"} {
		k.write(c+"/cgroup.procs", "")
	}
	tree, err := cgroup.Open(cgroup.Config{Mount: k.mount, Name: "test", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	k.group, err = tree.Group("child-1", cgroup.Limits{})
	require.NoError(t, err)
	for name, text := range map[string]string{"cpu/cpu.shares": "1024", "cpu/cpu.cfs_quota_us": "-1",
		"cpu/cpu.cfs_period_us": "100000", "memory/memory.limit_in_bytes": "-1", "memory/memory.soft_limit_in_bytes": "-1"} {
		k.write(filepath.Dir(name)+k.group.Path()+"/"+filepath.Base(name), text)
	}
	t.Cleanup(func() { require.NoError(t, tree.Close(context.Background())) })
	return k
}

func (k *fakeKernel) write(name, text string) {
	path := filepath.Join(k.mount, name)
	require.NoError(k.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(k.t, os.WriteFile(path, []byte(text), 0o644))
}

// tell sets the usage of the group.
func (k *fakeKernel) tell(cpuMillis, mib, oomKills int64) {
	path := k.group.Path()
	k.write("cpuacct"+path+"/cpuacct.usage", fmt.Sprint(cpuMillis*1_000_000))
	k.write("cpu"+path+"/cpu.stat", "throttled_time 0\n")
	k.write("cpu"+path+"/cgroup.procs", "")
	k.write("memory"+path+"/memory.stat", fmt.Sprintf("total_rss %d\n", mib<<20))
	k.write("memory"+path+"/memory.max_usage_in_bytes", fmt.Sprint(mib<<20))
	k.write("memory"+path+"/memory.oom_control", fmt.Sprintf("oom_kill %d\n", oomKills))
}

// TestTasksOfOneChildAreToldApart runs several tasks in a child with a single group. The counters
// of each task must contain only its own usage.
func TestTasksOfOneChildAreToldApart(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(100, 5, 0)
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Weight: 100, Memory: 64 << 20}))
	k.tell(350, 40, 0)
	p := &tasktracker.Progress{}
	m.count(p, job.Map)
	require.EqualValues(t, 250, value(p, job.CPUMillis))
	k.tell(400, 20, 0)
	p = &tasktracker.Progress{Builtin: []tasktracker.BuiltinValue{{ID: job.CPUMillis, Value: 7},
		{ID: job.VirtualMemoryBytes, Value: 9}}}
	m.close(tasktracker.Input{Progress: p}, job.Map)
	require.EqualValues(t, 300, value(p, job.CPUMillis), "what its commands used counts, not only what it knows of itself")
	require.EqualValues(t, 40<<20, value(p, job.MapPhysicalMemoryMax))
	require.EqualValues(t, 9, value(p, job.MapVirtualMemoryMax))
	require.Zero(t, value(p, job.ReducePhysicalMemoryMax))

	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Weight: 100, Memory: 64 << 20}))
	k.tell(450, 21, 0)
	p = &tasktracker.Progress{}
	m.close(tasktracker.Input{Progress: p}, job.Reduce)
	require.EqualValues(t, 50, value(p, job.CPUMillis))
	require.EqualValues(t, 21<<20, value(p, job.ReducePhysicalMemoryMax))
}

// TestOutOfMemoryIsRecognized checks that a task fails if it lost a process for lack of memory,
// even if it reports success. Kills before the task's start must not count.
func TestOutOfMemoryIsRecognized(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(0, 5, 1)
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Weight: 100, Memory: 64 << 20}))
	done := tasktracker.Input{Kind: tasktracker.InDone, Files: []job.OutputFile{{Name: "part"}},
		Progress: &tasktracker.Progress{}}
	require.Equal(t, done, m.close(done, job.Map))
	require.EqualValues(t, 5<<20, value(done.Progress, job.MapPhysicalMemoryMax))
	k.tell(0, 63, 2)
	for _, in := range []tasktracker.Input{done, {Kind: tasktracker.InFailed, Failure: failure.User, Text: "broken pipe"},
		{Kind: tasktracker.InExited, Text: "signal 9"}} {
		got := m.close(in, job.Map)
		require.Equal(t, failure.OutOfMemory, got.Failure)
		require.Contains(t, got.Text, "ended 1 process(es) of the task because they needed more memory than the limit of "+
			"64 MiB (at most 63 MiB were in use)")
		require.Contains(t, got.Text, in.Text)
		require.NotEqual(t, tasktracker.InDone, got.Kind)
		require.Empty(t, got.Files)
	}
}

// TestJudgeReadsOnlyKills checks that the end of a process costs no full reading of its usage.
func TestJudgeReadsOnlyKills(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(100, 5, 0)
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{}))
	k.tell(300, 7, 0)
	require.Empty(t, m.judge(tasktracker.Input{}))
	require.EqualValues(t, 100, m.last.cpu.Milliseconds())
	k.tell(300, 7, 2)
	require.Contains(t, m.judge(tasktracker.Input{}).Text, "ended 2 process(es)")
}

// TestOutOfMemoryPeakIsWithinTheLimit checks that no reported peak exceeds the kernel's limit. A
// child's own value includes shared pages, and the kernel's peak includes the child's earlier
// tasks.
func TestOutOfMemoryPeakIsWithinTheLimit(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(0, 5, 0)
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Weight: 100, Memory: 64 << 20}))
	m.count(&tasktracker.Progress{Builtin: []tasktracker.BuiltinValue{{ID: job.PhysicalMemoryBytes, Value: 75 << 20}}},
		job.Map)
	k.tell(0, 63, 1)
	got := m.judge(tasktracker.Input{Kind: tasktracker.InExited, Text: "signal 9"})
	require.Contains(t, got.Text, "limit of 64 MiB (at most 64 MiB were in use)")
}

// TestOutOfMemoryBelowWhatTheTaskAskedFor checks that a task is not at fault if the orchestrator
// has moved some of its memory to other tasks.
func TestOutOfMemoryBelowWhatTheTaskAskedFor(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(0, 5, 0)
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Weight: 100, Memory: 64 << 20}))
	require.NoError(t, k.group.Lease(cgroup.Limits{Weight: 100, Memory: 32 << 20}, time.Hour))
	k.tell(0, 31, 1)
	got := m.judge(tasktracker.Input{Kind: tasktracker.InExited, Text: "signal 9"})
	require.Equal(t, failure.Node, got.Failure)
	require.Contains(t, got.Text, "limit of 32 MiB (at most 31 MiB were in use). The task requested 64 MiB")
}

// TestMeterOfALostGroup checks that the meter keeps the last values of a removed group, and logs
// the removal once.
func TestMeterOfALostGroup(t *testing.T) {
	k := newFakeKernel(t)
	var said bytes.Buffer
	m := &meter{group: k.group, log: slog.New(slog.NewTextHandler(&said, nil))}
	k.tell(100, 5, 0)
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Weight: 100}))
	k.tell(300, 5, 0)
	require.EqualValues(t, 200, m.now().cpu.Milliseconds())
	for _, c := range []string{"cpu", "cpuacct", "memory"} {
		require.NoError(t, os.RemoveAll(filepath.Join(k.mount, c, k.group.Path())))
	}
	require.EqualValues(t, 200, m.now().cpu.Milliseconds())
	in := tasktracker.Input{Kind: tasktracker.InDone}
	require.Equal(t, in, m.judge(in))
	require.Equal(t, 1, strings.Count(said.String(), "is gone"), "%s", &said)
}

// TestLeaseIsOfOneAttempt checks that a lease applies only to one attempt of a child. Each attempt
// begins with its own limits, not with the final limits of the previous attempt.
func TestLeaseIsOfOneAttempt(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(0, 5, 0)
	first, second := job.Attempt{N: 1}, job.Attempt{N: 2}
	_, _, ok := m.began(job.Attempt{})
	require.False(t, ok, "no attempt has begun")
	require.ErrorIs(t, m.lease(first, cgroup.Limits{}, time.Hour), errOver)

	own := cgroup.Limits{Weight: 100, Memory: 64 << 20}
	require.NoError(t, m.begin(first, own))
	less := cgroup.Limits{Weight: 50, Memory: 32 << 20}
	require.NoError(t, m.lease(first, less, time.Hour))
	_, _, ok = m.began(second)
	require.False(t, ok, "it was ordered, and its child has not heard of it yet")
	require.ErrorIs(t, m.lease(second, less, time.Hour), errOver)

	require.NoError(t, m.begin(second, own))
	since, base, ok := m.began(second)
	require.True(t, ok)
	require.Equal(t, own, base)
	require.WithinDuration(t, time.Now(), since, time.Minute)
	require.ErrorIs(t, m.lease(first, less, time.Hour), errOver)
	held, err := k.group.Limits()
	require.NoError(t, err)
	require.Equal(t, own, held)
	m.end()
	require.ErrorIs(t, m.lease(second, less, time.Hour), errOver)
}

// TestDisksAreCounted checks that the task's counters include the kernel's disk counters, but only
// for the task's own processes since its start.
func TestDisksAreCounted(t *testing.T) {
	k := newFakeKernel(t)
	k.tell(0, 5, 0)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	m.last = used{read: 1000, written: 2000}
	require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{}))
	m.mu.Lock()
	m.last.read, m.last.written = 1700, 2900
	m.mu.Unlock()
	p := &tasktracker.Progress{}
	m.close(tasktracker.Input{Progress: p}, job.Map)
	require.EqualValues(t, 700, value(p, job.DiskBytesRead))
	require.EqualValues(t, 900, value(p, job.DiskBytesWritten))
}

// TestReadingsAtTheStart checks that an attempt starts with the last reading of the child if that is
// recent. Otherwise, what the child's processes used in the meantime belongs to no attempt.
func TestReadingsAtTheStart(t *testing.T) {
	k := newFakeKernel(t)
	synctest.Test(t, func(t *testing.T) {
		m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
		k.tell(100, 5, 0)
		require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{}))
		k.tell(150, 5, 0)
		require.EqualValues(t, 50, m.now().cpu.Milliseconds())
		for _, x := range []struct {
			pause time.Duration
			used  int64
		}{{recent, 20}, {recent + 1, 10}} {
			time.Sleep(x.pause)
			before := m.last.cpu.Milliseconds()
			k.tell(before+10, 5, 0)
			require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{}))
			k.tell(before+20, 5, 0)
			require.EqualValues(t, x.used, m.now().cpu.Milliseconds())
		}
	})
}

// TestLimitsAreSetOnce checks that an attempt with the same limits as the child's previous one does
// not write the kernel's files again.
func TestLimitsAreSetOnce(t *testing.T) {
	k := newFakeKernel(t)
	m := &meter{group: k.group, log: slog.New(slog.DiscardHandler)}
	k.tell(0, 5, 0)
	file := filepath.Join(k.mount, "memory"+k.group.Path(), "memory.limit_in_bytes")
	for _, x := range []struct {
		limit int64
		want  string
	}{{64 << 20, "67108864"}, {64 << 20, "changed"}, {32 << 20, "33554432"}} {
		require.NoError(t, m.begin(job.Attempt{}, cgroup.Limits{Memory: x.limit}))
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, x.want, string(b))
		require.NoError(t, os.WriteFile(file, []byte("changed"), 0o644))
	}
}
