package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// call runs a command line and returns its exit code and output.
func call(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	var o, e bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// fakeJobTracker serves two jobs to clients on loopback.
type fakeJobTracker struct {
	transport.Jobs
	killed   job.ID
	priority job.Priority
	deadline string
	queue    string
	safe     int
	web      string // address of the web server
}

var jobID = job.ID{Cluster: "202611210753", Seq: 1}

func mapAttempt(index, n int32) job.AttemptID {
	return job.AttemptID{TaskID: job.TaskID{Job: jobID, Index: index}, N: n}
}

var theJob = &status.Job{
	ID: jobID, Name: "wordcount", User: "ada", Queue: "default", Priority: job.High, State: job.Running, SubmitMs: 1000,
	StartMs: 2000,
	Maps:    status.Tasks{Total: 2, Progress: 0.5}, Reduces: status.Tasks{Total: 1},
	JobFile: "file:/s/job.xml", TrackingURL: "http://h:1/jobs/job_202611210753_0001",
	Counters: func() *job.Counters {
		c := &job.Counters{}
		c.Builtin[job.MapInputRecords] = 7
		c.Add("mine", "x", -1)
		return c
	}(),
	Attempts: []*status.Attempt{
		{ID: mapAttempt(0, 0), State: job.AttemptSucceeded, Tracker: "t1", StartMs: 2000, FinishMs: 3000, Progress: 1,
			Phase: job.PhaseMap},
		{ID: mapAttempt(1, 0), State: job.AttemptFailed, Tracker: "t2", StartMs: 2000, FinishMs: 2500,
			Diagnostics: "no luck"},
		{ID: mapAttempt(1, 1), State: job.AttemptRunning, Tracker: "t1", StartMs: 2600}},
}

// ended holds the states of jobs that have ended, by number.
var ended = map[int32]job.State{2: job.Killed, 3: job.Succeeded, 4: job.Failed}

func (f *fakeJobTracker) Status(_ context.Context, id job.ID, _ status.Query) (*status.Job, error) {
	if state, ok := ended[id.Seq]; ok {
		return &status.Job{ID: id, State: state, TrackingURL: f.web + "/jobs/" + id.String()}, nil
	}
	if id.Seq == 5 {
		return &status.Job{ID: id, State: job.Running, Kind: failure.Killed, Diagnostics: "killed by user ada"}, nil
	}
	if id != theJob.ID {
		return nil, failure.New(failure.NotFound, "find job", id.String(), nil).Fix("howdah job -list all lists all")
	}
	return theJob, nil
}

func (f *fakeJobTracker) List(context.Context, status.Filter) ([]*status.Job, error) {
	done := &status.Job{ID: job.ID{Cluster: jobID.Cluster, Seq: 2}, User: "bob", State: job.Killed, SubmitMs: 1500}
	return []*status.Job{theJob, done}, nil
}

func (f *fakeJobTracker) Kill(_ context.Context, id job.ID, _ transport.By) error {
	f.killed = id
	return nil
}

func (f *fakeJobTracker) SetPriority(_ context.Context, _ job.ID, p job.Priority, _ string) error {
	f.priority = p
	return nil
}

func (f *fakeJobTracker) SetDeadline(_ context.Context, _ job.ID, deadline, _ string) error {
	f.deadline = deadline
	return nil
}

func (f *fakeJobTracker) Move(_ context.Context, id job.ID, queue, _ string) error {
	if queue == "lost" {
		return failure.New(failure.NotFound, "move job", id.String(), errors.New("unknown queue or pool lost"))
	}
	f.queue = queue
	return nil
}

func (f *fakeJobTracker) Cluster(context.Context) (*status.Cluster, error) {
	return &status.Cluster{ID: "202611210753", Web: "h:2", Scheduler: "fifo", Trackers: []*status.Tracker{
		{Name: "t1", Maps: status.Slots{Total: 2, Used: 2}, Reduces: status.Slots{Total: 2}},
		{Name: "t2", Blacklisted: true, Why: "4 failures"},
		{Name: "t3", Drain: &status.Drain{How: "delayed", Attempts: 2, Outputs: 7}},
		{Name: "t4", Drain: &status.Drain{How: "rerun", DoneMs: 9}}}}, nil
}

func (f *fakeJobTracker) Queues(context.Context, string) ([]status.Queue, error) {
	return []status.Queue{{Name: "default", State: "running", Info: "N/A", Submit: []string{"*"},
		Admin: []string{"nobody-else"}}}, nil
}

func (f *fakeJobTracker) Events(_ context.Context, _ job.ID, from, _ int32, _ string) ([]status.Event, error) {
	return []status.Event{{Number: from, Attempt: theJob.Attempts[0].ID, State: status.Succeeded,
		TrackerURL: "http://t1:50060"}}, nil
}

func startFake(t *testing.T) (address string, f *fakeJobTracker) {
	t.Helper()
	f = &fakeJobTracker{}
	return rpctest.Serve(t, func(s grpc.ServiceRegistrar) { transport.Register(s, f) }), f
}

func TestJobCommands(t *testing.T) {
	t.Setenv("TZ", "UTC")
	jt, f := startFake(t)
	var all strings.Builder
	for _, c := range []struct {
		args string
		code int
	}{
		{"-list", 0}, {"-list all", 0}, {"list all --json", 0}, {"-list --human", 0},
		{"-status job_202611210753_0001", 0}, {"-status job_202611210753_0001 --json", 0},
		{"-counter job_202611210753_0001 org.apache.hadoop.mapreduce.TaskCounter MAP_INPUT_RECORDS", 0},
		{"-counter job_202611210753_0001 mine x", 0},
		{"-counter job_202611210753_0001 mine y", 2},
		{"-counter job_202611210753_0001 org.apache.hadoop.mapreduce.JobCounter NUM_FAILED_MAPS", 0},
		{"-events job_202611210753_0001 0 10", 0},
		{"-events job_202611210753_0001 -1 10", 2},
		{"-kill job_202611210753_0001", 0}, {"-kill job_202611210753_0002", 2}, {"-kill job_202611210753_0003", 2},
		{"-kill job_202611210753_0004", 2}, {"-kill job_202611210753_0005", 0},
		{"-set-priority job_202611210753_0001 low", 0},
		{"-set-priority job_202611210753_0001 URGENT", 2},
		{"-set-deadline job_202611210753_0001 +2h", 0},
		{"-set-deadline job_1 none", 2}, {"set-deadline job_202611210753_0001", 2},
		{"-move job_202611210753_0001 prod", 0}, {"-move job_202611210753_0001 lost", 2},
		{"-move job_202611210753_0001", 2}, {"-move jab prod", 2},
		{"-list-attempt-ids job_202611210753_0001 map running", 0},
		{"-list-attempt-ids job_202611210753_0001 MAP completed", 0},
		{"-list-attempt-ids job_202611210753_0001 map lost", 2},
		{"-list-attempt-ids job_202611210753_0001 map failed", 0},
		{"-list-attempt-ids job_202611210753_0001 map succeeded --json", 0},
		{"-list-attempt-ids job_202611210753_0001 map killed", 0},
		{"-list-active-trackers", 0}, {"-list-blacklisted-trackers", 0},
		{"--json -list-active-trackers", 0}, {"-list-blacklisted-trackers --json", 0},
		{"-counter job_202611210753_0001 mine x --json", 0}, {"-events job_202611210753_0001 0 10 --json", 0},
		{"-history job_202611210753_0001 --json", 0}, {"-history -jhist d job_202611210753_0001 --json", 2},
		{"-kill job_202611210753_0001 --json", 2},
		{"-status job_202611210753_0009", 2}, {"-status jab", 2}, {"-status", 2}, {"-list some", 2},
	} {
		code, out, errOut := call(t, append([]string{"job", "-jt", jt}, strings.Fields(c.args)...)...)
		require.Equal(t, c.code, code, "%s: %s", c.args, errOut)
		if c.args == "-list --human" { // whose jobs are older every day
			out = regexp.MustCompile(`(\d+h\d+m\d+s|TIME) +`).ReplaceAllString(out, "TIME  ")
		}
		all.WriteString("$ howdah job " + c.args + "\n" + out + errOut)
	}
	golden.Compare(t, filepath.Join("testdata", "job.txt"), []byte(all.String()))
	require.Equal(t, theJob.ID, f.killed)
	require.Equal(t, job.Low, f.priority)
	require.Equal(t, "+2h", f.deadline)
	require.Equal(t, "prod", f.queue)
}

func TestQueueCommands(t *testing.T) {
	t.Setenv("USER", "ada")
	jt, _ := startFake(t)
	_, out, _ := call(t, "queue", "-jt", jt, "-list")
	require.Equal(t, "======================\nQueue Name : default \nQueue State : running \nScheduling Info : N/A \n",
		out)
	_, out, _ = call(t, "queue", "-jt", jt, "-info", "default", "-showJobs")
	require.Contains(t, out, "Job List\n2 jobs currently running\n")
	_, out, _ = call(t, "queue", "-jt", jt, "-showacls")
	require.Contains(t, out, "\nQueue    Operations\n=====================\ndefault  submit-job\n")
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

// doctor examines the rest if it cannot read a part of the configuration.
func TestDoctorWithoutItsConfiguration(t *testing.T) {
	none := t.TempDir() + "/none"
	code, out, errOut := call(t, "doctor", "--config", none, "-D", "mapreduce.jobtracker.address=127.0.0.1:1")
	require.Equal(t, failure.Config.ExitCode(), code)
	require.Empty(t, errOut)
	require.Regexp(t, "FAIL +configuration +read configuration directory "+none+".*\n"+
		" +-> --config must name a directory\n", out)
	require.Regexp(t, "FAIL +JobTracker .*127.0.0.1:1", out)
	code, out, _ = call(t, "doctor", "-D", "a=${b}", "-D", "b=${a}")
	require.Equal(t, failure.Config.ExitCode(), code)
	require.Regexp(t, "FAIL +configuration +expand ", out)
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

	// An option in the place of a path is an error that says where the option belongs.
	for option, want := range map[string]string{
		"-q":                  "write it before the application: howdah run -q wordcount ...",
		"--json":              "howdah run --json wordcount ...",
		"--kill-on-interrupt": "howdah run --kill-on-interrupt wordcount ...",
		"-Dx=y":               "write generic options before the arguments of wordcount: howdah run wordcount -Dx=y ...",
		"-x":                  "unknown option -x; howdah run --help lists the options of howdah run; for a path, write ./-x",
	} {
		code, _, errOut = call(t, "run", "wordcount", dir+"/in.txt", dir+"/in.txt", option)
		require.Equal(t, 2, code, option)
		require.Contains(t, errOut, want)
	}
	code, _, errOut = call(t, "run", "sleep", "-m", "5", "-D", "k=v")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "-D is a generic option; write generic options before the arguments of sleep: "+
		"howdah run sleep -D ...")
	code, _, errOut = call(t, "run", "-q", "wordcount", dir+"/in.txt", dir+"/-q")
	require.Zero(t, code, errOut)

	code, _, errOut = call(t, "run", "dbcount")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "it needs a bundled Java database")
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("index", nil, 0o700))
	code, _, errOut = call(t, "run", "index")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "did you mean ./index?")

	code, out, errOut = call(t, "run", "--json", "wordcount", dir+"/in.txt", dir+"/out3")
	require.Zero(t, code, errOut)
	require.Contains(t, out, `"state": "SUCCEEDED"`)
	require.Contains(t, out, `"MAP_INPUT_RECORDS": 1`)
}
