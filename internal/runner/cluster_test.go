package runner

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// master is a JobTracker that takes one job and tells what the test wants of it.
type master struct {
	wire.UnimplementedJobsServer
	root    string
	program string
	states  chan *wire.JobStatus // answers of Status without counters
	counter []*wire.Counter
	events  []*wire.TaskEvent
	details []*wire.AttemptStatus
	away    bool // it takes no job, and nobody knows whether it did

	onEvents func()

	mu     sync.Mutex
	killed string
}

const jobID = "job_202611210753_0001"

func (m *master) NewJob(context.Context, *wire.NewJobRequest) (*wire.NewJobReply, error) {
	return &wire.NewJobReply{Id: jobID, StagingDir: "file:" + m.root + "/staging", Program: m.program, ProbePath: "file:" + m.root + "/probe", ProbeText: "probe"}, nil
}

func (m *master) Submit(context.Context, *wire.SubmitRequest) (*wire.SubmitReply, error) {
	if m.away {
		return nil, failure.New(failure.Unreachable, "submit", jobID, nil)
	}
	return &wire.SubmitReply{Id: jobID, TrackingUrl: "http://page"}, nil
}

func (m *master) Status(ctx context.Context, r *wire.StatusRequest) (*wire.JobStatus, error) {
	switch {
	case r.Attempts:
		return &wire.JobStatus{Attempt: m.details}, nil
	case r.Counters:
		return &wire.JobStatus{Counter: m.counter, Diagnostics: "too bad"}, nil
	}
	select {
	case s := <-m.states:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *master) Events(_ context.Context, r *wire.EventsRequest) (*wire.EventsReply, error) {
	if m.onEvents != nil {
		m.onEvents()
	}
	return &wire.EventsReply{Event: m.events[min(int(r.From), len(m.events)):]}, nil
}

func (m *master) Kill(_ context.Context, r *wire.KillRequest) (*wire.Empty, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.killed = r.Id
	return &wire.Empty{}, nil
}

// newMaster starts a JobTracker and gives the configuration of a job for it.
func newMaster(t *testing.T) (*master, *conf.Config) {
	self, err := program.Self()
	require.NoError(t, err)
	m := &master{root: t.TempDir(), program: self.ID, states: make(chan *wire.JobStatus, 10)}
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "probe"), []byte("probe"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "in"), []byte("a\n"), 0o644))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpc.Options{})
	wire.RegisterJobsServer(s, m)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rpc.Serve(ctx, s, l) }()
	t.Cleanup(func() { cancel(); <-done })
	c := conf.New()
	c.Set("mapreduce.jobtracker.address", l.Addr().String(), "test")
	mapreduce.AddInputPaths(c, filepath.Join(m.root, "in"))
	mapreduce.SetOutputPath(c, filepath.Join(m.root, "out"))
	return m, c
}

var lines = &mapreduce.Job{Name: "lines"}

func submit(t *testing.T, ctx context.Context, c *conf.Config, kill bool) (*mapreduce.Result, string, error) {
	fs, err := local.Resolver(c)
	require.NoError(t, err)
	var log strings.Builder
	r, err := New(Config{Conf: c, FS: fs, Watcher: &Lines{W: &log}, KillOnInterrupt: kill})
	require.NoError(t, err)
	defer r.(*clusterRunner).client.Close()
	res, err := r.Run(ctx, lines, c)
	return res, log.String(), err
}

func TestJobOnACluster(t *testing.T) {
	m, c := newMaster(t)
	m.states <- &wire.JobStatus{State: "RUNNING", MapProgress: 0.5}
	m.states <- &wire.JobStatus{State: "SUCCEEDED", MapProgress: 1, ReduceProgress: 1}
	m.counter = []*wire.Counter{{Id: uint32(job.MapInputRecords), Builtin: true, Value: 7}}
	res, log, err := submit(t, context.Background(), c, false)
	require.NoError(t, err)
	require.EqualValues(t, 7, res.Counters.Builtin[job.MapInputRecords])
	require.True(t, strings.HasPrefix(log, "The url to track the job: http://page\nRunning job: "+jobID+
		"\n map 50% reduce 0%\n map 100% reduce 100%\nJob "+jobID+" completed successfully\nCounters: "), log)
}

// Before a job is submitted another JobTracker may be asked; afterwards it may be there.
func TestUnsent(t *testing.T) {
	m, c := newMaster(t)
	m.away = true
	c.Set("howdah.client.reconnect.timeout", "10", "test")
	_, _, err := submit(t, context.Background(), c, false)
	require.True(t, failure.Is(err, failure.Unreachable), err)
	require.False(t, Unsent(err))

	c.Set("mapreduce.jobtracker.address", "127.0.0.1:1", "test")
	_, _, err = submit(t, context.Background(), c, false)
	require.True(t, failure.Is(err, failure.Unreachable), err)
	require.True(t, Unsent(err))
	require.False(t, Unsent(nil))

	lost, end := context.WithCancelCause(context.Background())
	end(failure.New(failure.Failed, "use MR-cluster", "a", nil))
	_, c = newMaster(t)
	_, _, err = submit(t, lost, c, false)
	require.True(t, Unsent(err), "its servers were given up meanwhile")
	left, end := context.WithCancelCause(context.Background())
	end(nil)
	_, _, err = submit(t, left, c, false)
	require.Error(t, err)
	require.False(t, Unsent(err), "the user left")
}

func TestFailedAttemptsAreShown(t *testing.T) {
	logs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "stderr", r.URL.Query().Get("filter"))
		w.Write([]byte("what it said"))
	}))
	defer logs.Close()
	m, c := newMaster(t)
	attempt := "attempt_202611210753_0001_m_000000_"
	m.events = []*wire.TaskEvent{{Number: 0, Attempt: attempt + "0", State: "FAILED"}, {Number: 1, Attempt: attempt + "1", State: "KILLED"}}
	m.details = []*wire.AttemptStatus{{Id: attempt + "0", Diagnostics: "its reason", LogUrl: logs.URL + "/tasklog?attemptid=x"}}
	m.states <- &wire.JobStatus{State: "RUNNING"}
	m.states <- &wire.JobStatus{State: "FAILED"}
	res, log, err := submit(t, context.Background(), c, false)
	require.Equal(t, failure.Failed, failure.KindOf(err))
	require.Equal(t, job.Failed, res.State)
	require.Equal(t, 1, strings.Count(log, "Task Id : "+attempt+"0, Status : FAILED\nits reason\nwhat it said\n"), log)
	require.NotContains(t, log, "KILLED")
	require.Contains(t, log, "due to: too bad")
}

func TestInterruptedClient(t *testing.T) {
	for _, kill := range []bool{false, true} {
		m, c := newMaster(t)
		ctx, cancel := context.WithCancel(context.Background())
		m.states <- &wire.JobStatus{State: "RUNNING"}
		m.onEvents = cancel // asked for after the first state was seen
		_, _, err := submit(t, ctx, c, kill)
		require.Equal(t, 6, failure.KindOf(err).ExitCode(), "%v", err)
		m.mu.Lock()
		if kill {
			require.Equal(t, jobID, m.killed)
		} else {
			require.Empty(t, m.killed)
			require.ErrorContains(t, err, "the job goes on")
		}
		m.mu.Unlock()
	}
}

func TestRefusedBeforeTheJobTrackerHears(t *testing.T) {
	_, c := newMaster(t)
	c.Set(mapreduce.KeyInputDir, "/nonesuch", "test")
	_, _, err := submit(t, context.Background(), c, false)
	require.Equal(t, failure.NotFound, failure.KindOf(err))
	c.Set(keyFilter, "sometimes", "test")
	_, _, err = submit(t, context.Background(), c, false)
	require.Error(t, err)
}
