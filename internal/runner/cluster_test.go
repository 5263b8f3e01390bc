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
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// master is a JobTracker that accepts one job and answers as configured by the test.
type master struct {
	transport.Jobs
	root     string
	program  string
	states   chan *status.Job // replies to Status, without counters
	counters job.Counters
	events   []status.Event
	details  []*status.Attempt
	away     bool // submissions fail as if the JobTracker were unreachable

	onEvents func()

	mu     sync.Mutex
	killed string
}

const jobID = "job_202611210753_0001"

func (m *master) NewJob(context.Context, transport.NewJob) (*transport.Place, error) {
	return &transport.Place{ID: jobID, StagingDir: "file:" + m.root + "/staging", Program: m.program,
		ProbePath: "file:" + m.root + "/probe", ProbeText: "probe"}, nil
}

func (m *master) Submit(context.Context, transport.Submission) (*transport.Submitted, error) {
	if m.away {
		return nil, failure.New(failure.Unreachable, "submit", jobID, nil)
	}
	id, err := job.ParseID(jobID)
	return &transport.Submitted{ID: id, TrackingURL: "http://page"}, err
}

func (m *master) Status(ctx context.Context, _ job.ID, q status.Query) (*status.Job, error) {
	switch {
	case q.Attempts:
		return &status.Job{Attempts: m.details}, nil
	case q.Counters:
		return &status.Job{Counters: &m.counters, Diagnostics: "too bad"}, nil
	}
	select {
	case s := <-m.states:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *master) Events(_ context.Context, _ job.ID, from, _ int32, _ string) ([]status.Event, error) {
	if m.onEvents != nil {
		m.onEvents()
	}
	return m.events[min(int(from), len(m.events)):], nil
}

func (m *master) Kill(_ context.Context, id job.ID, _ transport.By) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.killed = id.String()
	return nil
}

// newMaster starts a JobTracker and returns the configuration of a job for it.
func newMaster(t *testing.T) (*master, *conf.Config) {
	self, err := program.Self()
	require.NoError(t, err)
	m := &master{root: t.TempDir(), program: self.ID, states: make(chan *status.Job, 10)}
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "probe"), []byte("probe"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "in"), []byte("a\n"), 0o644))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpctest.Options(t))
	transport.Register(s, m)
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
	var log strings.Builder
	res, err := submitTo(t, ctx, c, kill, &Lines{W: &log})
	return res, log.String(), err
}

func submitTo(t *testing.T, ctx context.Context, c *conf.Config, kill bool, w Watcher) (*mapreduce.Result, error) {
	fs, err := local.Resolver(c)
	require.NoError(t, err)
	r, err := New(Config{Conf: c, FS: fs, Watcher: w, KillOnInterrupt: kill})
	require.NoError(t, err)
	defer r.(*clusterRunner).client.Close()
	return r.Run(ctx, lines, c)
}

func TestJobOnACluster(t *testing.T) {
	m, c := newMaster(t)
	m.states <- &status.Job{State: job.Running, Maps: status.Tasks{Progress: 0.5}}
	m.states <- &status.Job{State: job.Succeeded, Maps: status.Tasks{Progress: 1}, Reduces: status.Tasks{Progress: 1}}
	m.counters.Builtin[job.MapInputRecords] = 7
	res, log, err := submit(t, context.Background(), c, false)
	require.NoError(t, err)
	require.EqualValues(t, 7, res.Counters.Builtin[job.MapInputRecords])
	require.True(t, strings.HasPrefix(log, "The url to track the job: http://page\nRunning job: "+jobID+
		"\n map 50% reduce 0%\n map 100% reduce 100%\nJob "+jobID+" completed successfully\nCounters: "), log)
}

func TestQuietClientFetchesNoEvents(t *testing.T) {
	m, c := newMaster(t)
	m.states <- &status.Job{State: job.Succeeded}
	m.onEvents = func() { t.Error("fetched events that nothing shows") }
	_, err := submitTo(t, context.Background(), c, false, nil)
	require.NoError(t, err)
}

// Before a job is submitted, the client can try another JobTracker. Afterward the job might
// already exist.
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
	require.True(t, Unsent(err), "its servers were given up during the call")
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
	attempt, err := job.ParseAttemptID("attempt_202611210753_0001_m_000000_0")
	require.NoError(t, err)
	again := attempt
	again.N = 1
	m.events = []status.Event{{Number: 0, Attempt: attempt, State: status.Failed},
		{Number: 1, Attempt: again, State: status.Killed}}
	m.details = []*status.Attempt{{ID: attempt, Diagnostics: "its reason", LogURL: logs.URL + "/tasklog?attemptid=x"}}
	m.states <- &status.Job{State: job.Running}
	m.states <- &status.Job{State: job.Failed}
	res, log, err := submit(t, context.Background(), c, false)
	require.Equal(t, failure.Failed, failure.KindOf(err))
	require.Equal(t, job.Failed, res.State)
	require.Equal(t, 1, strings.Count(log, "Task Id : "+attempt.String()+", Status : FAILED\nits reason\nwhat it said\n"),
		log)
	require.NotContains(t, log, "KILLED")
	require.Contains(t, log, "due to: too bad")
}

func TestInterruptedClient(t *testing.T) {
	for _, kill := range []bool{false, true} {
		m, c := newMaster(t)
		ctx, cancel := context.WithCancel(context.Background())
		m.states <- &status.Job{State: job.Running}
		m.onEvents = cancel // called after the client has seen the first state
		_, _, err := submit(t, ctx, c, kill)
		require.Equal(t, 6, failure.KindOf(err).ExitCode(), "%v", err)
		m.mu.Lock()
		if kill {
			require.Equal(t, jobID, m.killed)
		} else {
			require.Empty(t, m.killed)
			require.ErrorContains(t, err, "the job continues")
		}
		m.mu.Unlock()
	}
}

func TestRefusedBeforeTheJobTrackerHears(t *testing.T) {
	_, c := newMaster(t)
	c.Set(conf.InputFileInputFormatInputDir.Name, "/nonesuch", "test")
	_, _, err := submit(t, context.Background(), c, false)
	require.Equal(t, failure.NotFound, failure.KindOf(err))
	c.Set(conf.ClientOutputFilter.Name, "sometimes", "test")
	_, _, err = submit(t, context.Background(), c, false)
	require.Error(t, err)
}
