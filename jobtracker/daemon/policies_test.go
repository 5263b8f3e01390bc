package daemon

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/catalog"
)

const (
	onePool = `<allocations><pool name="etl"><minMaps>3</minMaps></pool></allocations>`
	twoPool = `<allocations><pool name="etl"><minMaps>4</minMaps></pool><pool name="adhoc"/></allocations>`
	badPool = "<allocations>\n<pool name=\"etl\"><minMaps>-3</minMaps></pool>\n</allocations>"
)

// The JobTracker reports misspelled keys at the start and to the user who sets a scheduler.
func TestUnknownKeysAreTold(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.drf.weightz", "a=1", "-D")
	var log bytes.Buffer
	c.logger = slog.New(slog.NewTextHandler(&log, nil))
	c.start()
	r, err := c.wire().SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: "drf", User: c.policies.Rules().Me,
		Set: []*client.Property{{Name: "howdah.drf.hodl", Value: "true"}}})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(r.Text, "\nwarning: -setScheduler: unknown key howdah.drf.hodl; did you mean "+
		"howdah.drf.hold?"), r.Text)
	require.NoError(t, c.stop())
	require.Contains(t, log.String(), "-D: unknown key howdah.drf.weightz; did you mean howdah.drf.weights?")
	require.Contains(t, log.String(), "howdah.drf.hodl")
}

// fairCluster returns a cluster for the fair scheduler, not yet started, and the name of the
// scheduler's file.
func fairCluster(t *testing.T) (c *cluster, file string) {
	c = newCluster(t)
	file = filepath.Join(c.root, "fair.xml")
	write(t, file, onePool)
	c.conf.Set(conf.JobTrackerTaskScheduler.Name, "fair", "test")
	c.conf.Set(conf.FairSchedulerAllocationFile.Name, file, "test")
	c.prepare = func(d *Daemon) { d.policies.LookEvery, d.policies.SettledAfter = 5*time.Millisecond, 0 }
	return c, file
}

func write(t *testing.T, file, text string) {
	require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(file+".new", file))
}

func (c *cluster) scheduler() *client.SchedulerStatus {
	s, err := c.wire().Scheduler(c.ctx(), &client.SchedulerRequest{})
	require.NoError(c.t, err)
	return s
}

// minimum returns the minimum share of maps of a pool, or -1 if the pool does not exist.
func minimum(s *client.SchedulerStatus, name string) int32 {
	for _, g := range s.Group {
		if g.Name == name {
			return g.Maps.Min
		}
	}
	return -1
}

func TestPolicyFollowsItsFile(t *testing.T) {
	c, file := fairCluster(t)
	c.start()
	s := c.scheduler()
	require.Equal(t, "fair", s.Name)
	require.Equal(t, []string{file}, s.File)
	require.EqualValues(t, 3, minimum(s, "etl"))
	require.EqualValues(t, -1, minimum(s, "adhoc"))

	write(t, file, twoPool)
	require.Eventually(t, func() bool { s = c.scheduler(); return minimum(s, "etl") == 4 }, time.Minute,
		5*time.Millisecond)
	require.EqualValues(t, 0, minimum(s, "adhoc"))
	require.Contains(t, s.By, "files changed")

	write(t, file, badPool)
	require.Eventually(t, func() bool { s = c.scheduler(); return s.Problem != "" }, time.Minute, 5*time.Millisecond)
	require.Contains(t, s.Problem, file)
	require.Contains(t, s.Problem, "2")
	require.EqualValues(t, 4, minimum(s, "etl"), "the last good configuration stays")
	all, err := c.wire().Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.Equal(t, s.Problem, all.SchedulerProblem)

	write(t, file, twoPool)
	require.Eventually(t, func() bool { s = c.scheduler(); return s.Problem == "" }, time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 4, minimum(s, "etl"))
}

func TestFilesAreNotReadInTheMiddleOfWriting(t *testing.T) {
	c, file := fairCluster(t)
	c.prepare = func(d *Daemon) { d.policies.LookEvery, d.policies.SettledAfter = time.Hour, time.Hour }
	c.start()
	write(t, file, twoPool)
	c.policies.LookAtFiles(c.ctx())
	require.EqualValues(t, 3, minimum(c.scheduler(), "etl"), "it has just been written")
	c.policies.LookAtFiles(c.ctx())
	require.EqualValues(t, 4, minimum(c.scheduler(), "etl"), "it was the same at the look before")
	require.NoError(t, os.Remove(file))
	c.policies.LookAtFiles(c.ctx())
	require.Empty(t, c.scheduler().Problem, "an editor may be replacing it")
	c.policies.LookAtFiles(c.ctx())
	require.Contains(t, c.scheduler().Problem, file)
}

func TestBadFileAtTheStart(t *testing.T) {
	c, file := fairCluster(t)
	write(t, file, badPool)
	cfg, err := FromConf(c.conf)
	require.NoError(t, err)
	cfg.FS = c.fs
	_, err = New(t.Context(), cfg)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, file)
}

func TestRefreshQueues(t *testing.T) {
	c, file := fairCluster(t)
	c.prepare = func(d *Daemon) {
		d.policies.LookEvery = time.Hour
		d.policies.Reload = func() (*conf.Config, error) { return c.conf, nil }
	}
	c.start()
	jobs := c.wire()
	me := c.policies.Rules().Me
	_, err := jobs.RefreshQueues(c.ctx(), &client.AdminRequest{User: "mallory"})
	require.True(t, failure.Is(err, failure.Permission))

	write(t, file, twoPool)
	c.conf.Set("mapred.queue.names", "default,fast", "test")
	c.conf.Set("mapreduce.cluster.administrators", "eve,bob ops", "test")
	r, err := jobs.RefreshQueues(c.ctx(), &client.AdminRequest{User: me})
	require.NoError(t, err)
	require.Contains(t, r.Text, "fair")
	require.EqualValues(t, 4, minimum(c.scheduler(), "etl"))
	require.NoError(t, c.policies.CheckSubmit("eve", "fast"))

	write(t, file, badPool)
	_, err = jobs.RefreshQueues(c.ctx(), &client.AdminRequest{User: "bob"})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.EqualValues(t, 4, minimum(c.scheduler(), "etl"))
	require.Contains(t, c.scheduler().Problem, file)
}

// The name of the scheduler takes effect only at the start. A refresh that reads a different name
// reports the difference. It also reports whether the JobTracker could start with that name.
func TestRefreshTellsOfAnotherScheduler(t *testing.T) {
	c, _ := fairCluster(t)
	c.prepare = func(d *Daemon) { d.policies.Reload = func() (*conf.Config, error) { return c.conf, nil } }
	c.start()
	jobs, me := c.wire(), &client.AdminRequest{User: c.policies.Rules().Me}
	r, err := jobs.RefreshQueues(c.ctx(), me)
	require.NoError(t, err)
	require.NotContains(t, r.Text, conf.JobTrackerTaskScheduler.Name)

	c.conf.Set(conf.JobTrackerTaskScheduler.Name, "capacity", "test")
	r, err = jobs.RefreshQueues(c.ctx(), me)
	require.NoError(t, err)
	require.Contains(t, r.Text, conf.JobTrackerTaskScheduler.Name+"=capacity takes effect when the JobTracker restarts")
	require.Equal(t, "fair", c.scheduler().Name)

	c.conf.Set(conf.JobTrackerTaskScheduler.Name, "fiar", "test")
	_, err = jobs.RefreshQueues(c.ctx(), me)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "did you mean fair?")
	require.Equal(t, "fair", c.scheduler().Name)
}

func TestSetScheduler(t *testing.T) {
	c, _ := fairCluster(t)
	c.start()
	jobs := c.wire()
	set := func(name string, p ...*client.Property) (string, error) {
		r, err := jobs.SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: name, Set: p, User: c.policies.Rules().Me})
		return r.GetText(), err
	}
	_, err := set("fiar")
	require.ErrorContains(t, err, "did you mean fair?")
	_, err = set("fifo", &client.Property{Name: "howdah.fifo.assign.multiple", Value: "perhaps"})
	require.True(t, failure.Is(err, failure.Config))
	_, err = set("fair", &client.Property{Name: "howdah.dhfs.percentageOfBorrowedMapSlots", Value: "150"})
	require.ErrorContains(t, err, "read howdah.dhfs.percentageOfBorrowedMapSlots=150 (-setScheduler): want 0 to 100",
		"even if fair does not read it")
	_, err = jobs.SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: "fifo", User: "mallory"})
	require.True(t, failure.Is(err, failure.Permission))
	require.Equal(t, "fair", c.scheduler().Name, "the running one stays")

	text, err := set("org.apache.hadoop.mapred.JobQueueTaskScheduler",
		&client.Property{Name: conf.Speculation.Name, Value: "late"})
	require.NoError(t, err)
	require.Contains(t, text, "until the JobTracker restarts")
	require.NotContains(t, text, "warning")
	s := c.scheduler()
	require.Equal(t, "fifo", s.Name)
	require.Equal(t, "late", s.Speculation)
	require.True(t, s.UntilRestart)
	require.Empty(t, s.Group)

	text, err = set("fair", &client.Property{Name: conf.Speculation.Name, Value: "late"})
	require.NoError(t, err)
	require.Contains(t, text, "until the JobTracker restarts", "the setting lasts until then")
	require.True(t, c.scheduler().UntilRestart)
	text, err = set("fair")
	require.NoError(t, err)
	require.Equal(t, "Scheduler fair is active.", text)
	require.False(t, c.scheduler().UntilRestart, "the configuration selects the same scheduler")
	_, err = set("fifo")
	require.NoError(t, err)
	require.NoError(t, c.stop())
	c.start()
	s = c.scheduler()
	require.Equal(t, "fair", s.Name)
	require.Equal(t, "hadoop1", s.Speculation)
	require.False(t, s.UntilRestart)
}

// A replay makes the same decisions as a live JobTracker with several policies and changing files.
func TestReplayOverSwitches(t *testing.T) {
	c, file := fairCluster(t)
	c.record = filepath.Join(c.root, "inputs")
	c.start()
	newFakeTracker(t, c, "t1").run()
	newFakeTracker(t, c, "t2").run()
	x := c.client()
	run := func(name, pool string) {
		j := c.job(name, 5, 2)
		j.Conf.Set("mapred.fairscheduler.pool", pool, "test")
		s, err := x.Submit(c.ctx(), j)
		require.NoError(t, err)
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	run("fair", "etl")
	write(t, file, twoPool)
	require.Eventually(t, func() bool { return minimum(c.scheduler(), "etl") == 4 }, time.Minute, 5*time.Millisecond)
	run("reloaded", "adhoc")
	for _, name := range catalog.Builtin().Names() {
		_, err := c.wire().SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: name, User: c.policies.Rules().Me})
		if name != "capacity" && name != "drf" && name != "ngm" { // these need queues in a file
			require.NoError(t, err)
		}
		run("under-"+name, "etl")
	}
	hash := c.Daemon.record.hash
	require.NoError(t, c.stop())
	f, err := os.Open(c.record)
	require.NoError(t, err)
	defer f.Close()
	r, err := ReplayInputs(f, catalog.Builtin())
	require.NoError(t, err)
	require.False(t, r.Torn)
	require.Equal(t, hash.Count(), r.Decisions)
	require.Equal(t, hash.String(), r.Hash)
}

// The JobTracker rejects a guarantee that the cluster cannot provide as soon as the size of the
// cluster is known.
func TestMinShareAboveTheCluster(t *testing.T) {
	c, file := fairCluster(t)
	c.start()
	_, err := c.trackers().Register(c.ctx(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "t", Host: "t",
		Addr: "t:1", Incarnation: 1, MapSlots: 3, ReduceSlots: 1})
	require.NoError(t, err)
	write(t, file, twoPool)
	var s *client.SchedulerStatus
	require.Eventually(t, func() bool { s = c.scheduler(); return s.Problem != "" }, time.Minute, 5*time.Millisecond)
	require.Contains(t, s.Problem, file+":1: <minMaps>4</minMaps>: the cluster has 3 such slots")
	require.EqualValues(t, 3, minimum(s, "etl"), "the last good configuration stays")
}
