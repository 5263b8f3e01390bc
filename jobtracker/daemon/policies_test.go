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
	"github.com/howdah/howdah/scheduler/pool"
	"github.com/howdah/howdah/scheduler/speculation"
)

const (
	onePool = `<allocations><pool name="etl"><minMaps>3</minMaps></pool></allocations>`
	twoPool = `<allocations><pool name="etl"><minMaps>4</minMaps></pool><pool name="adhoc"/></allocations>`
	badPool = "<allocations>\n<pool name=\"etl\"><minMaps>-3</minMaps></pool>\n</allocations>"
)

// Whatever a site file sets wrong is told with file and line.
func TestBadSettingsNameFileAndLine(t *testing.T) {
	for _, x := range []struct{ scheduler, key, value string }{
		{"fiar", catalog.Key, "fiar"},
		{"fifo", speculation.Key, "foo"},
		{"fifo", "howdah.speculation.late.threshold", "foo"},
		{"fifo", "howdah.fifo.assign.multiple", "foo"},
		{"minedf", "howdah.edf.bound", "mid"},
		{"adaptive", "howdah.adaptive.late", "foo"},
		{"fair", pool.KeyWeightAdjuster, "foo"},
		{"fair", pool.KeyFile, "none.xml"},
		{"fair", pool.KeyPreemptionInterval, "-1"},
		{"pi-dhfs", "howdah.dhfs.percentage.of", "foo"},
		{"pd-dhfs", "howdah.dhfs.percentageOfBorrowedMapSlots", "101"},
		{"drf", "howdah.drf.share.by", "foo"},
		{"drf", "howdah.drf.weights", "a=-1"},
		{"capacity", "howdah.capacity.assign.multiple", "foo"},
		{"capacity", "mapred.queue.default.state", "foo"},
		{"fifo", "howdah.dhfs.percentageOfBorrowedMapSlots", "101"}, // of another scheduler
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "mapred-site.xml")
		write(t, file, "<configuration>\n<property>\n<name>"+x.key+"</name>\n<value>"+x.value+"</value>\n</property></configuration>")
		c, err := conf.GenericOptions{ConfigDir: dir}.Load()
		require.NoError(t, err)
		p := &policies{table: catalog.Builtin()}
		_, err = p.make(x.scheduler, c, nil, [2]int32{})
		require.True(t, failure.Is(err, failure.Config), "%v: %v", x, err)
		require.ErrorContains(t, err, "read "+x.key+"="+x.value+" ("+file+":4): ")
	}
}

// Misspelt keys are told of, at the start and to whoever sets a scheduler.
func TestUnknownKeysAreTold(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.drf.weightz", "a=1", "-D")
	var log bytes.Buffer
	c.logger = slog.New(slog.NewTextHandler(&log, nil))
	c.start()
	r, err := c.client().Jobs().SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: "drf", User: c.Daemon.me,
		Set: []*client.Property{{Name: "howdah.drf.hodl", Value: "true"}}})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(r.Text, "\nwarning: -setScheduler: unknown key howdah.drf.hodl; did you mean howdah.drf.hold?"), r.Text)
	require.NoError(t, c.stop())
	require.Contains(t, log.String(), "-D: unknown key howdah.drf.weightz; did you mean howdah.drf.weights?")
	require.Contains(t, log.String(), "howdah.drf.hodl")
}

// fairCluster runs the fair scheduler, whose file it gives.
func fairCluster(t *testing.T) (c *cluster, file string) {
	c = newCluster(t)
	file = filepath.Join(c.root, "fair.xml")
	write(t, file, onePool)
	c.conf.Set(catalog.Key, "fair", "test")
	c.conf.Set(pool.KeyFile, file, "test")
	c.prepare = func(d *Daemon) { d.lookAtFiles, d.settledAfter = 5*time.Millisecond, 0 }
	return c, file
}

func write(t *testing.T, file, text string) {
	require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(file+".new", file))
}

func (c *cluster) scheduler() *client.SchedulerStatus {
	s, err := c.client().Jobs().Scheduler(c.ctx(), &client.Empty{})
	require.NoError(c.t, err)
	return s
}

// minimum gives the minimum share of maps of a pool, -1 = there is no such pool.
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
	require.Eventually(t, func() bool { s = c.scheduler(); return minimum(s, "etl") == 4 }, time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 0, minimum(s, "adhoc"))
	require.Contains(t, s.By, "files changed")

	write(t, file, badPool)
	require.Eventually(t, func() bool { s = c.scheduler(); return s.Problem != "" }, time.Minute, 5*time.Millisecond)
	require.Contains(t, s.Problem, file)
	require.Contains(t, s.Problem, "2")
	require.EqualValues(t, 4, minimum(s, "etl"), "the last good configuration stays")
	all, err := c.client().Jobs().Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.Equal(t, s.Problem, all.SchedulerProblem)

	write(t, file, twoPool)
	require.Eventually(t, func() bool { s = c.scheduler(); return s.Problem == "" }, time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 4, minimum(s, "etl"))
}

func TestFilesAreNotReadInTheMiddleOfWriting(t *testing.T) {
	c, file := fairCluster(t)
	c.prepare = func(d *Daemon) { d.lookAtFiles, d.settledAfter = time.Hour, time.Hour }
	c.start()
	write(t, file, twoPool)
	last := c.lookAtPolicy(c.ctx(), nil)
	require.EqualValues(t, 3, minimum(c.scheduler(), "etl"), "it has just been written")
	last = c.lookAtPolicy(c.ctx(), last)
	require.EqualValues(t, 4, minimum(c.scheduler(), "etl"), "it was the same at the look before")
	require.NoError(t, os.Remove(file))
	last = c.lookAtPolicy(c.ctx(), last)
	require.Empty(t, c.scheduler().Problem, "an editor may be replacing it")
	c.lookAtPolicy(c.ctx(), last)
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
		d.lookAtFiles = time.Hour
		d.cfg.Reload = func() (*conf.Config, error) { return c.conf, nil }
	}
	c.start()
	jobs := c.client().Jobs()
	me := c.Daemon.me
	_, err := jobs.RefreshQueues(c.ctx(), &client.AdminRequest{User: "mallory"})
	require.True(t, failure.Is(err, failure.Permission))

	write(t, file, twoPool)
	c.conf.Set("mapred.queue.names", "default,fast", "test")
	c.conf.Set("mapreduce.cluster.administrators", "eve,bob ops", "test")
	r, err := jobs.RefreshQueues(c.ctx(), &client.AdminRequest{User: me})
	require.NoError(t, err)
	require.Contains(t, r.Text, "fair")
	require.EqualValues(t, 4, minimum(c.scheduler(), "etl"))
	require.NoError(t, c.policies.checkQueue("fast"))

	write(t, file, badPool)
	_, err = jobs.RefreshQueues(c.ctx(), &client.AdminRequest{User: "bob"})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.EqualValues(t, 4, minimum(c.scheduler(), "etl"))
	require.Contains(t, c.scheduler().Problem, file)
}

// The scheduler's name counts at the start. Whoever has it read again is told so, and told if the JobTracker would not start.
func TestRefreshTellsOfAnotherScheduler(t *testing.T) {
	c, _ := fairCluster(t)
	c.prepare = func(d *Daemon) { d.cfg.Reload = func() (*conf.Config, error) { return c.conf, nil } }
	c.start()
	jobs, me := c.client().Jobs(), &client.AdminRequest{User: c.Daemon.me}
	r, err := jobs.RefreshQueues(c.ctx(), me)
	require.NoError(t, err)
	require.NotContains(t, r.Text, catalog.Key)

	c.conf.Set(catalog.Key, "capacity", "test")
	r, err = jobs.RefreshQueues(c.ctx(), me)
	require.NoError(t, err)
	require.Contains(t, r.Text, catalog.Key+"=capacity counts when the JobTracker restarts")
	require.Equal(t, "fair", c.scheduler().Name)

	c.conf.Set(catalog.Key, "fiar", "test")
	_, err = jobs.RefreshQueues(c.ctx(), me)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "did you mean fair?")
	require.Equal(t, "fair", c.scheduler().Name)
}

func TestSetScheduler(t *testing.T) {
	c, _ := fairCluster(t)
	c.start()
	jobs := c.client().Jobs()
	set := func(name string, p ...*client.Property) (string, error) {
		r, err := jobs.SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: name, Set: p, User: c.Daemon.me})
		return r.GetText(), err
	}
	_, err := set("fiar")
	require.ErrorContains(t, err, "did you mean fair?")
	_, err = set("fifo", &client.Property{Name: "howdah.fifo.assign.multiple", Value: "perhaps"})
	require.True(t, failure.Is(err, failure.Config))
	_, err = set("fair", &client.Property{Name: "howdah.dhfs.percentageOfBorrowedMapSlots", Value: "150"})
	require.ErrorContains(t, err, "read howdah.dhfs.percentageOfBorrowedMapSlots=150 (-setScheduler): want 0 to 100", "even if fair does not read it")
	_, err = jobs.SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: "fifo", User: "mallory"})
	require.True(t, failure.Is(err, failure.Permission))
	require.Equal(t, "fair", c.scheduler().Name, "the running one stays")

	text, err := set("org.apache.hadoop.mapred.JobQueueTaskScheduler", &client.Property{Name: speculation.Key, Value: "late"})
	require.NoError(t, err)
	require.Contains(t, text, "until the JobTracker restarts")
	require.NotContains(t, text, "warning")
	s := c.scheduler()
	require.Equal(t, "fifo", s.Name)
	require.Equal(t, "late", s.Speculation)
	require.True(t, s.UntilRestart)
	require.Empty(t, s.Group)
	require.NoError(t, c.stop())
	c.start()
	s = c.scheduler()
	require.Equal(t, "fair", s.Name)
	require.Equal(t, "hadoop1", s.Speculation)
	require.False(t, s.UntilRestart)
}

// What a live JobTracker decided under several policies, with files that changed, is decided again from the recording.
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
		_, err := x.Jobs().SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: name, User: c.Daemon.me})
		if name != "capacity" && name != "drf" && name != "ngm" { // these want queues in a file
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

// A guarantee that the cluster cannot give is refused as soon as its size is known.
func TestMinShareAboveTheCluster(t *testing.T) {
	c, file := fairCluster(t)
	c.start()
	_, err := c.trackers().Register(c.ctx(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "t", Host: "t", Addr: "t:1", Incarnation: 1, MapSlots: 3, ReduceSlots: 1})
	require.NoError(t, err)
	write(t, file, twoPool)
	var s *client.SchedulerStatus
	require.Eventually(t, func() bool { s = c.scheduler(); return s.Problem != "" }, time.Minute, 5*time.Millisecond)
	require.Contains(t, s.Problem, file+":1: <minMaps>4</minMaps>: the cluster has 3 slots")
	require.EqualValues(t, 3, minimum(s, "etl"), "the last good configuration stays")
}
