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
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

func (f *fakeJobTracker) RefreshNodes(context.Context, string) (string, error) {
	return "The host files were read again.", nil
}

func (f *fakeJobTracker) RefreshQueues(_ context.Context, user string) (string, error) {
	if user != "" {
		return "", failure.New(failure.Permission, "administer the JobTracker as", user, nil).Fix("ask user root")
	}
	return "Queues were read again.", nil
}

func (f *fakeJobTracker) SetScheduler(_ context.Context, name string, set []job.Property, _ transport.By) (string,
	error) {
	if name == "fiar" {
		return "", failure.New(failure.Config, "choose scheduler", name, nil).Fix("did you mean fair?")
	}
	var b strings.Builder
	for _, p := range set {
		b.WriteString(" " + p.Name + "=" + p.Value)
	}
	return "Scheduler " + name + " is in place" + b.String(), nil
}

func (f *fakeJobTracker) DrainTracker(_ context.Context, name string, how status.DrainMode,
	_ transport.By) (*status.Tracker, error) {
	if how == "off" {
		return &status.Tracker{Name: name}, nil
	}
	return &status.Tracker{Name: name, Drain: &status.Drain{How: how, Attempts: 3}}, nil
}

func (f *fakeJobTracker) SafeMode(context.Context) (int32, bool, error) {
	f.safe++
	return 3, f.safe == 1, nil
}

func TestAdminCommands(t *testing.T) {
	jt, _ := startFake(t)
	var all strings.Builder
	for _, c := range []struct {
		args string
		code int
	}{
		{"-refreshNodes", 0},
		{"-refreshQueues", 0}, {"-D mapreduce.job.user.name=bob -refreshQueues", 2},
		{"-setScheduler fair -D mapred.fairscheduler.preemption=true -D mapreduce.job.user.name=carol", 0},
		{"-setScheduler fair -D mapred.fairscheduler.preemptio=true -D ipc.client.connect.timeou=1", 0},
		{"setScheduler fiar", 3}, {"-setScheduler", 2},
		{"-drainTracker t1 delayed", 0}, {"-drainTracker t1 off", 0}, {"-drainTracker t1", 2},
		{"-drainTracker t4 wait", 0}, {"-drainTracker t1 wait", 1}, {"-drainTracker t0 wait", 2},
		{"-safemode get", 0}, {"-safemode wait", 0}, {"-safemode enter", 2}, {"-safemode", 2}, {"-refreshEverything", 2},
		{"", 2}, {"--help", 0},
	} {
		code, out, errOut := call(t, append([]string{"admin", "-jt", jt}, strings.Fields(c.args)...)...)
		require.Equal(t, c.code, code, "%s: %s", c.args, errOut)
		all.WriteString("$ howdah admin " + c.args + "\n" + out + errOut)
	}
	golden.Compare(t, filepath.Join("testdata", "admin.txt"), []byte(all.String()))
}

func TestStatusTellsOfShares(t *testing.T) {
	t.Setenv("TZ", "UTC")
	a := &status.Attempt{ID: mapAttempt(0, 0), Tracker: "tt1", Limits: []status.LimitChange{
		{AtMs: 1_000, CPU: 700, Memory: 300, Why: "cpu: straggles"}, {AtMs: 2_000, Why: "the orchestrator stopped"}}}
	j := &status.Job{ID: jobID, State: job.Running, Limited: []*status.Attempt{a}, Attempts: []*status.Attempt{a},
		Counters: &job.Counters{}}
	var b bytes.Buffer
	require.NoError(t, writeJobStatus(&b, j))
	require.Contains(t, b.String(), "share of attempt_202611210753_0001_m_000000_0 on tt1:\n"+
		"  1-Jan-1970 00:00:01 cpu 700m, memory 300 MiB (cpu: straggles)\n  1-Jan-1970 00:00:02 unchanged since launch (the "+
		"orchestrator stopped)\n")
	require.Equal(t, []jsonout.Share{{AtMs: 1_000, CPU: 700, Memory: 300, Why: "cpu: straggles"},
		{AtMs: 2_000, Why: "the orchestrator stopped"}},
		(*jsonout.OfJob(j, true).Attempts)[0].Shares)
}

func TestStatusTellsOfPoolsAndDeadlines(t *testing.T) {
	t.Setenv("TZ", "UTC")
	later := time.Now().Add(time.Hour).UnixMilli()
	j := &status.Job{ID: jobID, State: job.Running, User: "ada", Pool: "etl", Maps: status.Tasks{Borrowed: 2},
		DeadlineMs:        later,
		Counters:          &job.Counters{},
		PredictedFinishMs: later - 61_000, Profile: "map=5/7", ProfileFrom: "job_202611210753_0000"}
	var b bytes.Buffer
	require.NoError(t, writeJobStatus(&b, j))
	for _, want := range []string{"pool: etl\n", "in borrowed slots: 2 maps, 0 reduces\n",
		"profile: map=5/7 (from job_202611210753_0000)\n", "(slack 1m1s)\n"} {
		require.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, writeJobList(&b, []*status.Job{j}, false))
	require.Contains(t, b.String(), "\tpool etl, 2 borrowed slots, deadline slack 1m1s\n")

	o := jsonout.OfJob(j, true)
	require.EqualValues(t, 61_000, *o.SlackMs)
	require.False(t, o.Missed)
	require.Equal(t, later-61_000, o.PredictedMs)
	j.FinishMs, j.PredictedFinishMs = later+5, 0
	o = jsonout.OfJob(j, false)
	require.EqualValues(t, -5, *o.SlackMs)
	require.True(t, o.Missed)
}

// The cluster finds the user's scheduler files even though it has its own configuration directory.
func TestMiniclusterKeepsFilesOfSchedulers(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fair-scheduler.xml"), []byte("<allocations/>"), 0o600))
	c, err := conf.GenericOptions{ConfigDir: dir,
		Set: []conf.Property{{Name: "howdah.adaptive.capacity.file", Value: "f.txt", Source: "-D"}}}.Load()
	require.NoError(t, err)
	set := map[string]string{}
	for _, p := range settings(c) {
		set[p.Name] = p.Value
	}
	require.Equal(t, filepath.Join(dir, "fair-scheduler.xml"), set["mapred.fairscheduler.allocation.file"])
	require.Equal(t, filepath.Join(dir, "f.txt"), set["howdah.adaptive.capacity.file"],
		"a file that is missing is refused by the JobTracker")
	require.NotContains(t, set, "mapred.capacity-scheduler.file")
}

func TestHistoryTellsBorrowedSlots(t *testing.T) {
	j := &status.Job{ID: jobID, Counters: &job.Counters{}, Attempts: []*status.Attempt{
		{ID: mapAttempt(0, 0), State: job.AttemptSucceeded, Tracker: "t1", Slot: job.Reduce}}}
	var b bytes.Buffer
	require.NoError(t, writeHistory(&b, j, true))
	require.Contains(t, b.String(), "on t1 (reduce slot): ")
}
