package cli

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// call runs a command line and gives what it wrote.
func call(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	var o, e bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// fakeJobTracker answers clients on loopback with two jobs.
type fakeJobTracker struct {
	client.UnimplementedJobsServer
	killed, priority string
	safe             int
}

var theJob = &client.JobStatus{
	Id: "job_202611210753_0001", Name: "wordcount", User: "ada", Queue: "default", Priority: "HIGH", State: "RUNNING", SubmitMs: 1000, StartMs: 2000,
	MapProgress: 0.5, ReduceProgress: 0, Maps: 2, Reduces: 1, JobFile: "file:/s/job.xml", TrackingUrl: "http://h:1/jobs/job_202611210753_0001",
	Counter: []*client.Counter{
		{Id: uint32(job.MapInputRecords), Builtin: true, Value: 7},
		{Group: "mine", GroupDisplay: "mine", Name: "x", Display: "x", Value: -1}},
	Attempt: []*client.AttemptStatus{
		{Id: "attempt_202611210753_0001_m_000000_0", Type: "MAP", State: "SUCCEEDED", Tracker: "t1", StartMs: 2000, FinishMs: 3000, Progress: 1, Phase: "MAP"},
		{Id: "attempt_202611210753_0001_m_000001_0", Type: "MAP", State: "FAILED", Tracker: "t2", StartMs: 2000, FinishMs: 2500, Diagnostics: "no luck"},
		{Id: "attempt_202611210753_0001_m_000001_1", Type: "MAP", State: "RUNNING", Tracker: "t1", StartMs: 2600}},
}

func (f *fakeJobTracker) Status(_ context.Context, r *client.StatusRequest) (*client.JobStatus, error) {
	if r.Id != theJob.Id {
		return nil, failure.New(failure.NotFound, "find job", r.Id, nil).Fix("howdah job -list all lists all")
	}
	return theJob, nil
}

func (f *fakeJobTracker) List(context.Context, *client.ListRequest) (*client.ListReply, error) {
	done := &client.JobStatus{Id: "job_202611210753_0002", User: "bob", Priority: "NORMAL", State: "KILLED", SubmitMs: 1500}
	return &client.ListReply{Job: []*client.JobStatus{theJob, done}}, nil
}

func (f *fakeJobTracker) Kill(_ context.Context, r *client.KillRequest) (*client.Empty, error) {
	f.killed = r.Id
	return &client.Empty{}, nil
}

func (f *fakeJobTracker) SetPriority(_ context.Context, r *client.PriorityRequest) (*client.Empty, error) {
	f.priority = r.Priority
	return &client.Empty{}, nil
}

func (f *fakeJobTracker) Cluster(context.Context, *client.Empty) (*client.ClusterStatus, error) {
	return &client.ClusterStatus{Cluster: "202611210753", Scheduler: "fifo", Tracker: []*client.TrackerStatus{
		{Name: "t1", MapSlots: 2, MapsUsed: 2, ReduceSlots: 2}, {Name: "t2", Blacklisted: true, Why: "4 failures"},
		{Name: "t3", Drain: &client.DrainStatus{How: "delayed", Attempts: 2, Outputs: 7}}, {Name: "t4", Drain: &client.DrainStatus{How: "rerun", DoneMs: 9}}}}, nil
}

func (f *fakeJobTracker) Queues(context.Context, *client.QueuesRequest) (*client.QueuesReply, error) {
	return &client.QueuesReply{Queue: []*client.QueueInfo{{Name: "default", State: "running", Info: "N/A", SubmitAcl: []string{"*"}, AdminAcl: []string{"nobody-else"}}}}, nil
}

func (f *fakeJobTracker) Events(_ context.Context, r *client.EventsRequest) (*client.EventsReply, error) {
	return &client.EventsReply{Event: []*client.TaskEvent{{Number: r.From, Attempt: theJob.Attempt[0].Id, State: "SUCCEEDED", TrackerUrl: "http://t1:50060"}}}, nil
}

func startFake(t *testing.T) (address string, f *fakeJobTracker) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f = &fakeJobTracker{}
	s := rpc.NewServer(rpc.Options{})
	client.RegisterJobsServer(s, f)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String(), f
}

func TestJobCommands(t *testing.T) {
	t.Setenv("TZ", "UTC")
	jt, f := startFake(t)
	var all strings.Builder
	for _, c := range []struct {
		args string
		code int
	}{
		{"-list", 0}, {"-list all", 0}, {"list all --json", 0},
		{"-status job_202611210753_0001", 0}, {"-status job_202611210753_0001 --json", 0},
		{"-counter job_202611210753_0001 org.apache.hadoop.mapreduce.TaskCounter MAP_INPUT_RECORDS", 0}, {"-counter job_202611210753_0001 mine x", 0},
		{"-counter job_202611210753_0001 mine y", 2}, {"-counter job_202611210753_0001 org.apache.hadoop.mapreduce.JobCounter NUM_FAILED_MAPS", 0},
		{"-events job_202611210753_0001 0 10", 0},
		{"-events job_202611210753_0001 -1 10", 2},
		{"-kill job_202611210753_0001", 0}, {"-set-priority job_202611210753_0001 low", 0},
		{"-set-priority job_202611210753_0001 URGENT", 2},
		{"-list-attempt-ids job_202611210753_0001 map running", 0}, {"-list-attempt-ids job_202611210753_0001 MAP completed", 0},
		{"-list-attempt-ids job_202611210753_0001 map lost", 2},
		{"-list-active-trackers", 0}, {"-list-blacklisted-trackers", 0},
		{"-status job_202611210753_0009", 2}, {"-status jab", 2}, {"-status", 2}, {"-list some", 2},
	} {
		code, out, errOut := call(t, append([]string{"job", "-jt", jt}, strings.Fields(c.args)...)...)
		require.Equal(t, c.code, code, "%s: %s", c.args, errOut)
		all.WriteString("$ howdah job " + c.args + "\n" + out + errOut)
	}
	golden.Compare(t, filepath.Join("testdata", "job.txt"), []byte(all.String()))
	require.Equal(t, theJob.Id, f.killed)
	require.Equal(t, "LOW", f.priority)
}

func TestQueueCommands(t *testing.T) {
	t.Setenv("USER", "ada")
	jt, _ := startFake(t)
	_, out, _ := call(t, "queue", "-jt", jt, "-list")
	require.Equal(t, "======================\nQueue Name : default \nQueue State : running \nScheduling Info : N/A \n", out)
	_, out, _ = call(t, "queue", "-jt", jt, "-info", "default", "-showJobs")
	require.Contains(t, out, "Job List\n2 jobs currently running\n")
	_, out, _ = call(t, "queue", "-jt", jt, "-showacls")
	require.Contains(t, out, "default  submit-job\n")
	code, _, errOut := call(t, "queue", "-jt", jt, "-info", "other")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "howdah queue -list lists all")
}

func TestNoJobTracker(t *testing.T) {
	code, _, errOut := call(t, "job", "-list")
	require.Equal(t, 3, code)
	require.Contains(t, errOut, "-jt host:port")
	code, _, errOut = call(t, "job", "-jt", "127.0.0.1:1", "-list")
	require.Equal(t, 5, code)
	require.Contains(t, errOut, "127.0.0.1:1")
}

func TestRunApplications(t *testing.T) {
	code, out, _ := call(t, "run")
	require.Zero(t, code)
	require.Contains(t, out, "  wordcount ")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/in.txt", []byte("b a b\n"), 0o600))
	code, out, errOut := call(t, "run", "-q", "wordcount", "-D", "mapreduce.job.reduces=1", dir+"/in.txt", dir+"/out")
	require.Zero(t, code, errOut)
	require.Empty(t, out+errOut)
	b, err := os.ReadFile(dir + "/out/part-r-00000")
	require.NoError(t, err)
	require.Equal(t, "a\t1\nb\t2\n", string(b))

	for args, want := range map[string]int{
		"run wordcount " + dir + "/in.txt " + dir + "/out": 4,
		"run wordcount " + dir + "/nope " + dir + "/out2":  2,
		"run wordcount":        2,
		"run wordcunt":         2,
		"run ./no-such-binary": 2,
		"run -D mapreduce.job.reduces=x wordcount " + dir + "/in.txt " + dir + "/out2": 3,
		"run -qq wordcount": 2,
		"jbo":               2,
	} {
		code, _, errOut := call(t, strings.Fields(args)...)
		require.Equal(t, want, code, "%s: %s", args, errOut)
		require.NotEmpty(t, errOut, args)
	}

	code, _, errOut = call(t, "run", "dbcount")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "it counts in a Java database")

	code, out, errOut = call(t, "run", "--json", "wordcount", dir+"/in.txt", dir+"/out3")
	require.Zero(t, code, errOut)
	require.Contains(t, out, `"state": "SUCCEEDED"`)
	require.Contains(t, out, `"MAP_INPUT_RECORDS": 1`)
}
