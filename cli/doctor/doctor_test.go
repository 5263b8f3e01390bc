package doctor

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
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
	dial := func(string) (client.JobsClient, func() error, error) { return nil, nil, errors.New("nobody there") }
	noStorage := func(context.Context) error { return failure.New(failure.Unreachable, "open", "hdfs://nn", nil) }
	r := Examine(context.Background(), c, noStorage, dial)

	require.Equal(t, Fail, find(r, "storage")[0].Level)

	dirs := find(r, "local directory")
	require.Len(t, dirs, 2)
	require.Contains(t, []Level{OK, Warn}, dirs[0].Level)
	require.Equal(t, Fail, dirs[1].Level)
	ports := find(r, "port")
	require.Equal(t, Note, ports[0].Level)
	require.Equal(t, Fail, ports[1].Level)
	require.Equal(t, Fail, find(r, "JobTracker")[0].Level)
	c.Set("mapreduce.framework.name", "yarn", "test")
	require.Equal(t, Note, find(Examine(context.Background(), c, noStorage, dial), "JobTracker")[0].Level, "jobs do not go there")
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
	busy := &client.ClusterStatus{Tracker: []*client.TrackerStatus{{Name: "t", MapSlots: 2, MapsUsed: 2, ReduceSlots: 2, ReducesUsed: 2}}}
	idle := &client.ClusterStatus{Tracker: []*client.TrackerStatus{{Name: "t", MapSlots: 2, ReduceSlots: 2}}}
	sick := &client.ClusterStatus{Tracker: []*client.TrackerStatus{{Name: "t", MapSlots: 2, Blacklisted: true, Why: "4 failures"}}}
	running := &client.JobStatus{Id: "job_1_0002", State: "RUNNING", Priority: "NORMAL", SubmitMs: 2, Maps: 4, Reduces: 1}
	older := &client.JobStatus{Id: "job_1_0001", State: "RUNNING", Priority: "NORMAL", SubmitMs: 1}
	low := &client.JobStatus{Id: "job_1_0003", State: "RUNNING", Priority: "LOW", SubmitMs: 0}
	failed := &client.JobStatus{Id: "job_1_0002", State: "RUNNING", Maps: 1, MapsRunning: 1, Attempt: []*client.AttemptStatus{{Id: "a", State: "FAILED", Diagnostics: "no luck"}}}
	scheduler := &client.SchedulerStatus{Name: "reverse-adaptive", Problem: "bad.txt:3", Group: []*client.GroupStatus{{Name: "other"},
		{Name: "etl", Maps: &client.SlotGroup{Running: 1, Fair: 2, Max: 3, Demand: 4}, Reduces: &client.SlotGroup{Max: -1}}}}
	poor := &client.JobStatus{Id: "job_1_0002", State: "RUNNING", Maps: 4, Pool: "etl", DeadlineMs: 1, PredictedFinishMs: 2}
	maps := &client.JobStatus{Id: "job_1_0002", State: "RUNNING", Maps: 4, MapsDone: 4, Reduces: 3, ReducesRunning: 1}
	for name, x := range map[string]struct {
		job     *client.JobStatus
		cluster *client.ClusterStatus
		others  []*client.JobStatus
		check   string
		detail  string
	}{
		"no trackers":    {running, &client.ClusterStatus{}, nil, "TaskTrackers", "none has joined"},
		"all sick":       {running, sick, nil, "TaskTrackers", "none of 1 may take work"},
		"no map slot":    {running, busy, nil, "map slots", "4 maps wait"},
		"no reduce slot": {running, busy, nil, "reduce slots", "1 reduces wait"},
		"held back":      {poor, idle, nil, "held back", "4 maps wait and 2 map slots are free; scheduler reverse-adaptive gives the job none of them now"},
		"reduces held":   {maps, idle, nil, "held back", "2 reduces wait and 2 reduce slots are free"},
		"its pool":       {poor, idle, nil, "pool", "etl: 1 map slots in use of a share of 2, demand 4, at most 3; 0 reduce slots in use of a share of 0, demand 0"},
		"its deadline":   {poor, idle, nil, "deadline", "missed"},
		"prediction":     {poor, idle, nil, "prediction", "expected to end"},
		"bad file":       {poor, idle, nil, "scheduler", "bad.txt:3"},
		"older job":      {running, idle, []*client.JobStatus{older, running, low}, "jobs ahead", "1 jobs come first: [job_1_0001 (NORMAL)]"},
		"slow start":     {running, idle, nil, "reduces", "when enough maps are done"},
		"failures":       {failed, idle, nil, "failed attempt", "no luck"},
		"over":           {&client.JobStatus{State: "FAILED", Diagnostics: "bad luck"}, idle, nil, "state", "bad luck"},
		"nothing":        {&client.JobStatus{Id: "job_1_0002", State: "RUNNING", Maps: 1, MapsRunning: 1}, idle, nil, "waiting", "nothing holds it up"},
	} {
		var r Report
		r.explain(x.job, x.cluster, x.others, scheduler)
		found := find(r, x.check)
		require.NotEmpty(t, found, "%s: %v", name, r)
		require.Contains(t, found[0].Detail, x.detail, name)
	}

	full := &client.ClusterStatus{Tracker: []*client.TrackerStatus{{Name: "t", MapSlots: 2, MemoryMb: 1024, MemoryUsedMb: 1024}}}
	for name, cluster := range map[string]*client.ClusterStatus{"no slot": busy, "no memory": full, "no tracker": sick} {
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
	r.neighbours(c)
	require.Contains(t, find(r, "JobTracker")[0].Detail, "existing YARN")
	require.Equal(t, Fail, find(r, "hadoop")[0].Level)
	require.Empty(t, find(r, "java"))
	require.Equal(t, failure.Config.ExitCode(), r.ExitCode())
}
