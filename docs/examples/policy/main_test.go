package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
	tasktracker "github.com/howdah/howdah/tasktracker/daemon"
)

// TestConformance runs the conformance suite. The policy fills all slots that it can, and replacing
// it with a new instance does not change its decisions.
func TestConformance(t *testing.T) {
	policytest.Run(t, policytest.Options{Cases: 30, Starves: "the shortest job comes first",
		New: func() scheduler.Policy {
			p, err := newShortestFirst(scheduler.Setup{Conf: conf.New()})
			require.NoError(t, err)
			return p
		}})
}

var served = regexp.MustCompile(`JobTracker serves.* rpc=(\S+)`)

// startJobTracker builds and starts the program and returns the address of its JobTracker.
func startJobTracker(t *testing.T, dir string) (address string) {
	program := filepath.Join(dir, "policy")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.Command(program, "-D", "hadoop.tmp.dir="+dir, "-D", "mapreduce.jobtracker.address=127.0.0.1:0",
		"-D", "mapreduce.jobtracker.http.address=127.0.0.1:0", "jobtracker", "-D",
		"howdah.jobtracker.heartbeat.interval.min=20")
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, log)
		require.NoError(t, cmd.Wait())
	})
	for lines := bufio.NewScanner(log); address == "" && lines.Scan(); {
		if m := served.FindStringSubmatch(lines.Text()); m != nil {
			address = m[1]
		}
	}
	require.NotEmpty(t, address, "the JobTracker did not start")
	return address
}

// startTaskTracker runs an ordinary TaskTracker with one map slot.
func startTaskTracker(t *testing.T, dir, jobTracker string, fs dfs.Resolver) {
	c := conf.New()
	for k, v := range map[string]string{"hadoop.tmp.dir": dir, "mapreduce.tasktracker.http.address": "127.0.0.1:0",
		"mapreduce.tasktracker.map.tasks.maximum": "1", "mapreduce.tasktracker.reduce.tasks.maximum": "1",
		"howdah.tasktracker.warm.children": "0"} { // a child would be this test again
		c.Set(k, v, "test")
	}
	cfg, err := tasktracker.FromConf(c)
	require.NoError(t, err)
	cfg.JobTracker, cfg.FS = func(context.Context) (string, error) { return jobTracker, nil }, fs
	cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	d, err := tasktracker.New(cfg)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-done) })
}

// TestShortJobOvertakes runs this program's JobTracker with an ordinary TaskTracker. The short job
// overtakes the long one.
func TestShortJobOvertakes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	address := startJobTracker(t, dir)
	c := conf.New()
	for k, v := range map[string]string{"hadoop.tmp.dir": dir, "mapreduce.jobtracker.address": address,
		"mapreduce.job.reduces": "0", "howdah.sleep.in-tracker": "true",
		"mapreduce.sleepjob.map.sleep.time": "50"} {
		c.Set(k, v, "test")
	}
	fs, err := local.Resolver(c)
	require.NoError(t, err)
	x, err := client.Dial(c, fs)
	require.NoError(t, err)
	defer x.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cluster, err := x.Cluster(ctx)
	require.NoError(t, err)
	require.Equal(t, "sjf", cluster.Scheduler)
	require.NotEmpty(t, cluster.Version)

	submit := func(maps int) job.ID {
		s, err := x.Submit(ctx, client.Job{Name: "sleep", Conf: c, Splits: make([]mapreduce.Split, maps)})
		require.NoError(t, err)
		return s.ID
	}
	long, short := submit(8), submit(2)
	startTaskTracker(t, dir, address, fs)
	finish := func(id job.ID) int64 {
		_, err := x.Wait(ctx, id, nil)
		require.NoError(t, err)
		s, err := x.Status(ctx, id, status.Query{})
		require.NoError(t, err)
		return s.FinishMs
	}
	require.Less(t, finish(short), finish(long))
}
