package doctor

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

func find(r Report, check string) []Finding {
	var out []Finding
	for _, f := range r {
		if f.Check == check {
			out = append(out, f)
		}
	}
	return out
}

func TestExamine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", t.TempDir()+"/a/b,/proc/none", "test")
	c.Set("mapreduce.jobtracker.http.address", taken.Addr().String(), "test")
	c.Set("mapreduce.tasktracker.http.address", "nonsense", "test")
	c.Set("mapreduce.tasktracker.map.tasks.maximum", "10000", "test")
	c.Set("mapreduce.map.memory.mb", "1000000", "test")
	c.Set("mapreduce.jobtracker.address", "jt:9001", "test")
	dial := func(string) (*client.Client, error) {
		return nil, failure.New(failure.Config, "read", "secret", nil).Fix("get a token")
	}
	noStorage := func(context.Context) error { return failure.New(failure.Unreachable, "open", "hdfs://nn", nil) }
	r := Examine(context.Background(), c, nil, noStorage, dial)

	require.Equal(t, Fail, find(r, "storage")[0].Level)

	dirs := find(r, "local directory")
	require.Len(t, dirs, 2)
	require.Contains(t, []Level{OK, Warn}, dirs[0].Level)
	require.Equal(t, Fail, dirs[1].Level)
	ports := find(r, "port")
	require.Equal(t, Note, ports[0].Level)
	require.Equal(t, Fail, ports[1].Level)
	require.Equal(t, Fail, find(r, "JobTracker")[0].Level)
	require.Equal(t, "get a token", find(r, "JobTracker")[0].Remedy)
	c.Set("mapreduce.framework.name", "yarn", "test")
	require.Equal(t, Note, find(Examine(context.Background(), c, nil, noStorage, dial), "JobTracker")[0].Level,
		"jobs do not go there")
	if m := find(r, "memory"); len(m) > 0 {
		require.Equal(t, Warn, m[0].Level)
	}
	require.Len(t, find(r, "java"), 1)
	require.NotZero(t, r.ExitCode())

	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	for _, f := range r {
		require.Contains(t, b.String(), f.Detail)
		require.Contains(t, b.String(), f.Remedy)
		if f.Level == Fail || f.Level == Warn {
			require.NotEmpty(t, f.Detail+f.Remedy)
		}
	}
}

func TestExitCode(t *testing.T) {
	require.Zero(t, Report{{Level: OK}, {Level: Warn}}.ExitCode())
	require.Equal(t, 5, Report{{Level: OK}, {Level: Fail, Kind: failure.Unreachable}}.ExitCode())
}

func TestWhyAJobWaits(t *testing.T) {
	slots := func(total, used int32) status.Slots { return status.Slots{Total: total, Used: used} }
	cluster := func(t *status.Tracker) *status.Cluster { return &status.Cluster{Trackers: []*status.Tracker{t}} }
	id := func(n int32) job.ID { return job.ID{Cluster: "1", Seq: n} }
	busy := cluster(&status.Tracker{Name: "t", Maps: slots(2, 2), Reduces: slots(2, 2)})
	idle := cluster(&status.Tracker{Name: "t", Maps: slots(2, 0), Reduces: slots(2, 0)})
	sick := cluster(&status.Tracker{Name: "t", Maps: slots(2, 0), Blacklisted: true, Why: "4 failures"})
	running := &status.Job{ID: id(2), State: job.Running, SubmitMs: 2, Maps: status.Tasks{Total: 4},
		Reduces: status.Tasks{Total: 1}}
	older := &status.Job{ID: id(1), State: job.Running, SubmitMs: 1}
	low := &status.Job{ID: id(3), State: job.Running, Priority: job.Low, SubmitMs: 0}
	oneMap := status.Tasks{Total: 1, Running: 1}
	failed := &status.Job{ID: id(2), State: job.Running, Maps: oneMap,
		Attempts: []*status.Attempt{{State: job.AttemptFailed, Diagnostics: "no luck"}}}
	scheduler := &status.Scheduler{Name: "reverse-adaptive", Problem: "bad.txt:3", Groups: []*status.Group{{Name: "other"},
		{Name: "etl", Maps: status.Shares{Running: 1, Fair: 2, Max: 3, Demand: 4}, Reduces: status.Shares{Max: -1}}}}
	poor := &status.Job{ID: id(2), State: job.Running, Maps: status.Tasks{Total: 4}, Pool: "etl", DeadlineMs: 1,
		PredictedFinishMs: 2}
	maps := &status.Job{ID: id(2), State: job.Running, Maps: status.Tasks{Total: 4, Done: 4},
		Reduces: status.Tasks{Total: 3, Running: 1}}
	for name, x := range map[string]struct {
		job     *status.Job
		cluster *status.Cluster
		others  []*status.Job
		check   string
		detail  string
	}{
		"no trackers":    {running, &status.Cluster{}, nil, "TaskTrackers", "no TaskTracker has joined"},
		"all sick":       {running, sick, nil, "TaskTrackers", "none of 1 can take work"},
		"no map slot":    {running, busy, nil, "map slots", "4 maps are waiting"},
		"no reduce slot": {running, busy, nil, "reduce slots", "1 reduces are waiting"},
		"held back": {poor, idle, nil, "held back",
			"4 maps are waiting and 2 map slots are free; scheduler reverse-adaptive " +
				"does not assign them to the job"},
		"reduces held": {maps, idle, nil, "held back", "2 reduces are waiting and 2 reduce slots are free"},
		"its pool": {poor, idle, nil, "pool", "etl: 1 map slots in use, share 2, demand 4, at most 3; 0 " +
			"reduce slots in use, share 0, demand 0"},
		"its deadline": {poor, idle, nil, "deadline", "missed"},
		"prediction":   {poor, idle, nil, "prediction", "expected to end"},
		"bad file":     {poor, idle, nil, "scheduler", "bad.txt:3"},
		"older job": {running, idle, []*status.Job{older, running, low}, "jobs ahead",
			"1 job ahead of this job: [job_1_0001 (NORMAL)]"},
		"early reduces": {maps, busy, []*status.Job{{ID: id(4), State: job.Running,
			Maps: status.Tasks{Total: 2000, Done: 100}, Reduces: status.Tasks{Total: 8, Running: 2}}}, "early reduces",
			"reduces of 1 job occupy slots while they wait for maps: [job_1_0004 (2 reduces; 1900 maps to go)]"},
		"slow start": {running, idle, nil, "reduces", "when enough maps are done"},
		"failures":   {failed, idle, nil, "failed attempt", "no luck"},
		"over":       {&status.Job{State: job.Failed, Diagnostics: "bad luck"}, idle, nil, "state", "bad luck"},
		"nothing": {&status.Job{ID: id(2), State: job.Running, Maps: oneMap}, idle, nil, "waiting",
			"nothing blocks the job"},
	} {
		var r Report
		r.explain(x.job, x.cluster, x.others, scheduler)
		found := find(r, x.check)
		require.NotEmpty(t, found, "%s: %v", name, r)
		require.Contains(t, found[0].Detail, x.detail, name)
	}

	var r Report
	r.explain(maps, busy, []*status.Job{maps, {ID: id(4), Maps: oneMap, Reduces: status.Tasks{Total: 2}}}, scheduler)
	require.Empty(t, find(r, "early reduces"), "no other job's reduces run")

	full := cluster(&status.Tracker{Name: "t", Maps: slots(2, 0), Memory: slots(1024, 1024)})
	for name, cluster := range map[string]*status.Cluster{"no slot": busy, "no memory": full, "no tracker": sick} {
		var r Report
		r.explain(poor, cluster, nil, scheduler)
		require.Empty(t, find(r, "held back"), name)
	}
}

func TestWhereJobsGoToYARN(t *testing.T) {
	t.Setenv("HADOOP_HOME", t.TempDir())
	c := conf.New()
	c.Set("mapreduce.framework.name", "yarn", "test")
	var r Report
	r.jobTracker(t.Context(), c, nil)
	r.neighbors(c)
	require.Contains(t, find(r, "JobTracker")[0].Detail, "existing YARN")
	require.Equal(t, Fail, find(r, "hadoop")[0].Level)
	require.Empty(t, find(r, "java"))
	require.Equal(t, failure.Config.ExitCode(), r.ExitCode())
}

// TestLocalDirsOfOthers checks that a user who only submits jobs need not write to the directories of
// TaskTrackers.
func TestLocalDirsOfOthers(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can write to every directory")
	}
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	require.NoError(t, os.Chmod(dir, 0o500))
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", filepath.Join(dir, "local"), "test")
	var r Report
	r.localDirs(c)
	require.Equal(t, Fail, r[0].Level)
	require.Equal(t, failure.IO.ExitCode(), r.ExitCode())
	require.Equal(t, filepath.Join(dir, "local")+" is not writable: permission denied", r[0].Detail)
	text, _ := auth.NewSecret().Issue(auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	require.NoError(t, os.WriteFile(filepath.Join(home, "token"), []byte(text), 0o600))
	c.Set(conf.SecurityTokenFile.Name, filepath.Join(home, "token"), "test")
	r = nil
	r.localDirs(c)
	require.Equal(t, Note, r[0].Level)
	require.Zero(t, r.ExitCode())
}

// TestApart checks that a finding shows the remedy of its error on a line of its own.
func TestApart(t *testing.T) {
	var r Report
	c := conf.New()
	c.Set(conf.TaskTrackerCGroupsHierarchy.Name, "no/absolute/path", "test")
	r.cgroups(t.Context(), c)
	require.Equal(t, Note, r[0].Level)
	require.NotEmpty(t, r[0].Remedy)
	require.NotContains(t, r[0].Detail, r[0].Remedy)
}

// TestPortsOfDaemonsThatRun checks that nothing is said about the ports of daemons that answer.
func TestPortsOfDaemonsThatRun(t *testing.T) {
	name, err := os.Hostname()
	require.NoError(t, err)
	here, there := &status.Tracker{Host: strings.ToLower(name)}, &status.Tracker{Host: "elsewhere.example"}
	for _, x := range []struct {
		cluster *status.Cluster
		want    int
	}{{nil, 2}, {&status.Cluster{Trackers: []*status.Tracker{there}}, 1},
		{&status.Cluster{Trackers: []*status.Tracker{there, here}}, 0}} {
		var r Report
		r.ports(conf.New(), x.cluster)
		require.Len(t, r, x.want)
	}
}

// TestFullDiskOfTheJournal checks that a JobTracker that answers, but cannot change anything, is a
// failure.
func TestFullDiskOfTheJournal(t *testing.T) {
	var r Report
	r.journal(&status.Cluster{})
	require.Empty(t, r)
	r.journal(&status.Cluster{Disk: "the disk of /data is full"})
	require.Equal(t, Fail, r[0].Level)
	require.Equal(t, failure.DiskFull, r[0].Kind)
	require.Contains(t, r[0].Detail, "/data is full")
	require.NotEmpty(t, r[0].Remedy)
}
