package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

func (f *fakeJobTracker) RefreshNodes(context.Context, *client.AdminRequest) (*client.AdminReply, error) {
	return &client.AdminReply{Text: "The files of hosts were read again."}, nil
}

func (f *fakeJobTracker) RefreshQueues(_ context.Context, r *client.AdminRequest) (*client.AdminReply, error) {
	if r.User != "root" {
		return nil, failure.New(failure.Permission, "administer the JobTracker as", r.User, nil).Fix("ask user root")
	}
	return &client.AdminReply{Text: "Queues were read again."}, nil
}

func (f *fakeJobTracker) SetScheduler(_ context.Context, r *client.SetSchedulerRequest) (*client.AdminReply, error) {
	if r.Name == "fiar" {
		return nil, failure.New(failure.Config, "choose scheduler", r.Name, nil).Fix("did you mean fair?")
	}
	var b strings.Builder
	for _, p := range r.Set {
		b.WriteString(" " + p.Name + "=" + p.Value)
	}
	return &client.AdminReply{Text: "Scheduler " + r.Name + " is in place" + b.String()}, nil
}

func (f *fakeJobTracker) DrainTracker(_ context.Context, r *client.DrainRequest) (*client.TrackerStatus, error) {
	if r.How == "off" {
		return &client.TrackerStatus{Name: r.Tracker}, nil
	}
	return &client.TrackerStatus{Name: r.Tracker, Drain: &client.DrainStatus{How: r.How, Attempts: 3}}, nil
}

func (f *fakeJobTracker) SafeMode(context.Context, *client.Empty) (*client.SafeModeReply, error) {
	f.safe++
	return &client.SafeModeReply{On: f.safe == 1, Awaited: 3}, nil
}

func TestAdminCommands(t *testing.T) {
	jt, _ := startFake(t)
	var all strings.Builder
	for _, c := range []struct {
		args string
		code int
	}{
		{"-refreshNodes", 0},
		{"-D mapreduce.job.user.name=root -refreshQueues", 0}, {"-D mapreduce.job.user.name=bob -refreshQueues", 2},
		{"-setScheduler fair -D mapred.fairscheduler.preemption=true -D mapreduce.job.user.name=root", 0}, {"setScheduler fiar", 3}, {"-setScheduler", 2},
		{"-drainTracker t1 delayed", 0}, {"-drainTracker t1 off", 0}, {"-drainTracker t1", 2},
		{"-drainTracker t4 wait", 0}, {"-drainTracker t1 wait", 1}, {"-drainTracker t0 wait", 2},
		{"-safemode get", 0}, {"-safemode wait", 0}, {"-safemode enter", 2}, {"-safemode", 2}, {"-refreshEverything", 2}, {"", 2}, {"--help", 0},
	} {
		code, out, errOut := call(t, append([]string{"admin", "-jt", jt}, strings.Fields(c.args)...)...)
		require.Equal(t, c.code, code, "%s: %s", c.args, errOut)
		all.WriteString("$ howdah admin " + c.args + "\n" + out + errOut)
	}
	golden.Compare(t, filepath.Join("testdata", "admin.txt"), []byte(all.String()))
}

func TestStatusTellsOfShares(t *testing.T) {
	t.Setenv("TZ", "UTC")
	a := &client.AttemptStatus{Id: "attempt_202611210753_0001_m_000000_0", Tracker: "tt1", LimitChange: []*client.LimitChange{
		{AtMs: 1_000, Cpu: 700, Memory: 300, Why: "cpu: straggles"}, {AtMs: 2_000, Why: "the orchestrator has ended"}}}
	j := &client.JobStatus{Id: "job_202611210753_0001", State: "RUNNING", Limited: []*client.AttemptStatus{a}, Attempt: []*client.AttemptStatus{a}}
	var b bytes.Buffer
	require.NoError(t, writeJobStatus(&b, j))
	require.Contains(t, b.String(), "share of attempt_202611210753_0001_m_000000_0 on tt1:\n"+
		"  1-Jan-1970 00:00:01 cpu 700m, memory 300 MiB (cpu: straggles)\n  1-Jan-1970 00:00:02 as at its launch (the orchestrator has ended)\n")
	require.Equal(t, []shareObject{{1_000, 700, 300, "cpu: straggles"}, {2_000, 0, 0, "the orchestrator has ended"}}, (*jobJSON(j, true).Attempts)[0].Shares)
}

func TestStatusTellsOfPoolsAndDeadlines(t *testing.T) {
	t.Setenv("TZ", "UTC")
	later := time.Now().Add(time.Hour).UnixMilli()
	j := &client.JobStatus{Id: "job_202611210753_0001", State: "RUNNING", User: "ada", Priority: "NORMAL", Pool: "etl", MapsBorrowed: 2, DeadlineMs: later,
		PredictedFinishMs: later - 61_000, Profile: "map=5/7", ProfileFrom: "job_202611210753_0000"}
	var b bytes.Buffer
	require.NoError(t, writeJobStatus(&b, j))
	for _, want := range []string{"pool: etl\n", "in borrowed slots: 2 maps, 0 reduces\n", "profile: map=5/7 (from job_202611210753_0000)\n", "(slack 1m1s)\n"} {
		require.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, writeJobList(&b, []*client.JobStatus{j}, false))
	require.Contains(t, b.String(), "\tpool etl, 2 borrowed slots, deadline slack 1m1s\n")

	o := jobJSON(j, true)
	require.EqualValues(t, 61_000, *o.SlackMs)
	require.False(t, o.Missed)
	require.Equal(t, later-61_000, o.PredictedMs)
	j.FinishMs, j.PredictedFinishMs = later+5, 0
	o = jobJSON(j, false)
	require.EqualValues(t, -5, *o.SlackMs)
	require.True(t, o.Missed)
}

// The cluster finds the user's files of schedulers although its configuration directory is another one.
func TestMiniclusterKeepsFilesOfSchedulers(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fair-scheduler.xml"), []byte("<allocations/>"), 0o600))
	c, err := conf.GenericOptions{ConfigDir: dir, Set: []conf.Property{{Name: "howdah.adaptive.capacity.file", Value: "f.txt", Source: "-D"}}}.Load()
	require.NoError(t, err)
	set := map[string]string{}
	for _, p := range settings(c) {
		set[p.Name] = p.Value
	}
	require.Equal(t, filepath.Join(dir, "fair-scheduler.xml"), set["mapred.fairscheduler.allocation.file"])
	require.Equal(t, filepath.Join(dir, "f.txt"), set["howdah.adaptive.capacity.file"], "a file that is missing is refused by the JobTracker")
	require.NotContains(t, set, "mapred.capacity-scheduler.file")
}

func TestHistoryTellsBorrowedSlots(t *testing.T) {
	j := &client.JobStatus{Id: "job_202611210753_0001", Attempt: []*client.AttemptStatus{
		{Id: "attempt_202611210753_0001_m_000000_0", State: "SUCCEEDED", Tracker: "t1", Slot: "REDUCE"}}}
	var b bytes.Buffer
	require.NoError(t, writeHistory(&b, j, true))
	require.Contains(t, b.String(), "on t1 (reduce slot): ")
}
