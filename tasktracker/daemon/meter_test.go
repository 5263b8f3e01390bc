package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

func TestLimitsOfAnAttempt(t *testing.T) {
	g := GroupConfig{Memory: true, SoftShare: 90}
	j := &localJob{info: &wire.JobInfo{MapMemoryMb: 100, ReduceMemoryMb: 200}, vcores: [2]int64{0, 3}}
	at := func(k job.TaskType) cgroup.Limits {
		return g.limits(&launch{job: j, attempt: job.Attempt{Task: job.Task{Type: k}}}, 4)
	}
	require.Equal(t, cgroup.Limits{Weight: 100, Memory: 100 << 20, SoftMemory: 90 << 20}, at(job.Map))
	require.Equal(t, cgroup.Limits{Weight: 300, Memory: 200 << 20, SoftMemory: 180 << 20}, at(job.Reduce))
	require.Equal(t, at(job.Map), at(job.Cleanup))
	g.StrictCPU, g.Memory = true, false
	require.Equal(t, at(job.Map).Quota*3, at(job.Reduce).Quota)
	require.Zero(t, at(job.Map).Memory)
}

func TestGroupSettings(t *testing.T) {
	for _, p := range []conf.Property{{Name: conf.TaskTrackerCGroups.Name, Value: "perhaps"},
		{Name: conf.TaskTrackerCGroupsHierarchy.Name, Value: "howdah"},
		{Name: conf.TaskTrackerCGroupsHierarchy.Name, Value: "/../howdah"},
		{Name: conf.TaskTrackerCGroupsMemorySoftLimitPercentage.Name,
			Value: "101"}, {Name: conf.TaskTrackerCGroupsMemory.Name, Value: "x"}} {
		key := p.Name
		c := conf.New()
		c.Set(key, p.Value, "test")
		r := reader{conf.Reader{Conf: c}}
		r.groups()
		require.True(t, failure.Is(r.Err, failure.Config), key)
		require.ErrorContains(t, r.Err, key)
	}
	r := reader{conf.Reader{Conf: conf.New()}}
	require.Equal(t, GroupConfig{Use: GroupsAuto, Mount: "/sys/fs/cgroup", Hierarchy: "/howdah", Memory: true,
		SoftShare: 90}, r.groups())
	require.NoError(t, r.Err)
}

// TestNoGroups checks that a TaskTracker continues if it cannot create control groups. If the groups
// are required, it must fail.
func TestNoGroups(t *testing.T) {
	d := &Daemon{}
	c := startCluster(t, nil)
	d.log, d.cfg = c.d.log, c.d.cfg
	d.cfg.Groups = GroupConfig{Use: GroupsAuto, Mount: t.TempDir()}
	require.NoError(t, d.openGroups())
	require.Nil(t, d.groups)
	require.Nil(t, d.makeGroup(1))
	d.removeGroup(nil)
	d.closeGroups()
	d.cfg.Groups.Use = GroupsRequired
	err := d.openGroups()
	require.True(t, failure.Is(err, failure.NotFound), err)
	require.ErrorContains(t, err, conf.TaskTrackerCGroups.Name)
}

func TestCountersInAMessage(t *testing.T) {
	p := &tasktracker.Progress{Builtin: []tasktracker.BuiltinValue{{ID: job.CPUMillis, Value: 5}}}
	put(p, job.CPUMillis, 7)
	put(p, job.GCTimeMillis, 0)
	put(p, job.PhysicalMemoryBytes, 9)
	require.Equal(t, []tasktracker.BuiltinValue{{ID: job.CPUMillis, Value: 7}, {ID: job.PhysicalMemoryBytes, Value: 9}},
		p.Builtin)
	require.EqualValues(t, 9, value(p, job.PhysicalMemoryBytes))
	require.Zero(t, value(p, job.GCTimeMillis))
}

// TestJudgeWithoutGroup checks that without a group the attempt's own report remains, because there
// is no evidence that memory ran out.
func TestJudgeWithoutGroup(t *testing.T) {
	in := tasktracker.Input{Kind: tasktracker.InFailed, Failure: failure.User, Text: errors.ErrUnsupported.Error()}
	require.Equal(t, in, (&meter{}).judge(in))
}

// TestUsesWithoutGroups checks that an attempt without a control group is measured but cannot be
// limited.
func TestUsesWithoutGroups(t *testing.T) {
	c := startCluster(t, nil)
	file := filepath.Join(t.TempDir(), "go")
	c.addJob(t, 1, "wait:"+file, nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	running := job.Attempt{Task: job.Task{Job: 1, Type: job.Map}}
	require.Eventually(t, func() bool {
		uses := c.d.Uses()
		return len(uses) == 1 && uses[0].Attempt == running && (uses[0].Memory > 0 || runtime.GOOS != "linux") &&
			!uses[0].Limited
	}, patience, 5*time.Millisecond)
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	c.jt.await(t, "success", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
}
