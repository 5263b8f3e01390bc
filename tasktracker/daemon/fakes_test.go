package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// TestMain also serves as the child program of the TaskTracker. The job's name selects the behavior
// of its attempts.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(envChild) == "1":
		fakeChild()
	case os.Getenv("TRACKER_HELPER") == "sleep":
		time.Sleep(time.Minute)
	case os.Getenv("TRACKER_HELPER") == "daemon":
		helperDaemon()
	default:
		goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(
			"google.golang.org/grpc/internal/grpcsync.(*CallbackSerializer).run"))
	}
}

func fakeChild() {
	os.Unsetenv(envChild)
	line := os.NewFile(3, "umbilical")
	syscall.CloseOnExec(3)
	in, out := frame.NewReader(line), frame.NewWriter(line)
	must(out.Write(&umbilical.FromChild{Ready: &umbilical.Ready{Pid: int32(os.Getpid()), Protocol: umbilical.Version}}))
	var reducer *umbilical.Launch
	for {
		var m umbilical.ToChild
		must(in.Read(&m))
		if m.Exit || m.Stop {
			os.Exit(0)
		}
		if l := m.Launch; l != nil {
			reducer = l
			runFake(l, out)
		}
		for _, e := range m.GetCompletions().GetEvent() {
			must(out.Write(&umbilical.FromChild{Progress: &umbilical.Progress{Status: fmt.Sprintf("map %d at %s", e.Map,
				e.Addr)}}))
			if reducer.JobName == "lossy" {
				must(out.Write(&umbilical.FromChild{FetchFailed: &umbilical.FetchFailed{Map: e.Map, Attempt: e.Attempt}}))
			}
		}
	}
}

func runFake(l *umbilical.Launch, out *frame.Writer) {
	done := func() {
		must(out.Write(&umbilical.FromChild{Done: &umbilical.Done{
			Last: &umbilical.Progress{Counter: []*umbilical.Counter{{Id: uint32(job.MapInputRecords), Value: 42},
				{Group: "g", Name: "n", Value: 7}}},
			File: []*umbilical.OutputFile{{Name: "part-m-00000", Length: 5, Checksum: 9}}}}))
	}
	switch what, arg, _ := strings.Cut(l.JobName, ":"); what {
	case "ok":
		must(os.WriteFile(filepath.Join(l.MapOutputDir, "file.out"), []byte("output"), 0o644))
		must(os.WriteFile(filepath.Join(l.WorkDir, "scratch"), []byte("x"), 0o644))
		log, err := os.OpenFile(filepath.Join(l.LogDir, "stdout"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		must(err)
		_, err = log.WriteString("hello <world>\n")
		must(errors.Join(err, log.Close()))
		done()
	case "wait": // waits until a file exists
		for {
			if _, err := os.Stat(arg); err == nil {
				done()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "fail":
		must(out.Write(&umbilical.FromChild{Failed: &umbilical.Failed{Kind: uint32(failure.User), Text: "it broke"}}))
	case "diskfull": // also removes the local directories
		must(os.RemoveAll(arg))
		must(out.Write(&umbilical.FromChild{Failed: &umbilical.Failed{Kind: uint32(failure.DiskFull),
			Text: "no space left"}}))
	case "crash":
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(3)
	case "garbage":
		os.NewFile(3, "umbilical").Write([]byte("\xff\xff\xff\xffnonsense"))
	case "large":
		must(out.Write(&umbilical.FromChild{Progress: &umbilical.Progress{Status: strings.Repeat("x", 5<<20)}}))
		time.Sleep(time.Minute)
	case "parts":
		must(out.Write(&umbilical.FromChild{Progress: &umbilical.Progress{Counter: emptyCounters(1_000_000)}}))
		time.Sleep(time.Minute)
	case "askAgain":
		for {
			must(out.Write(&umbilical.FromChild{CommitPending: true}))
		}
	case "stubborn": // hangs, ignores SIGTERM, and has a descendant in its own session
		signal.Ignore(syscall.SIGTERM)
		exe, _ := os.Executable()
		c := exec.Command(exe)
		c.Env = append(os.Environ(), "TRACKER_HELPER=sleep", "TRACKER_MARK="+arg)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		must(c.Start())
		must(out.Write(&umbilical.FromChild{Progress: &umbilical.Progress{Status: "stubborn", Alive: true}}))
		time.Sleep(time.Minute)
	}
}

func emptyCounters(n int) []*umbilical.Counter {
	all := make([]*umbilical.Counter, n)
	for i := range all {
		all[i] = &umbilical.Counter{}
	}
	return all
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fakeJobTracker responds to heartbeats with the state that the test sets, and keeps the reports.
type fakeJobTracker struct {
	wire.UnimplementedTrackersServer

	mu          sync.Mutex
	changed     chan struct{}
	registered  int
	incarnation int64
	protocolErr error
	desired     wire.Desired
	reports     []*wire.Report
	last        map[string]*wire.AttemptReport // by attempt
	counters    map[string]*wire.AttemptReport // the last with counters
	refused     []*wire.Refusal
	fetch       []*wire.FetchFailure
	unhealthy   string
	jobs        map[int32]*wire.JobInfo
	events      []*wire.Completion
	version     uint64
	left        bool
	probePath   string
	waits       int
	admins      *wire.Administrators // of all jobs; nil = they are unknown
}

func (f *fakeJobTracker) GetAdministrators(context.Context, *wire.GetAdministratorsRequest) (*wire.Administrators,
	error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.admins == nil {
		return nil, failure.New(failure.NotFound, "find job", "", nil)
	}
	return f.admins, nil
}

func newFakeJobTracker() *fakeJobTracker {
	return &fakeJobTracker{changed: make(chan struct{}), last: map[string]*wire.AttemptReport{},
		counters: map[string]*wire.AttemptReport{}, jobs: map[int32]*wire.JobInfo{}}
}

// change wakes all waiters. The caller must hold mu.
func (f *fakeJobTracker) change() {
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeJobTracker) Register(_ context.Context, r *wire.RegisterRequest) (*wire.RegisterReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.protocolErr != nil {
		return nil, f.protocolErr
	}
	f.registered++
	f.incarnation = r.Incarnation
	f.desired.Register = false
	f.change()
	return &wire.RegisterReply{Tracker: int32(f.registered), Cluster: "202611210000", ProbePath: f.probePath,
		ProbeText: "probe text"}, nil
}

func attemptName(a *wire.Attempt) string {
	return job.Attempt{Task: job.Task{Job: a.Job, Type: job.TaskType(a.Type), Index: a.Index},
		N: a.N}.ID("202611210000").String()
}

func (f *fakeJobTracker) Beat(_ context.Context, r *wire.Report) (*wire.Desired, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reports = append(f.reports, r)
	for _, a := range r.Attempt {
		f.last[attemptName(a.Attempt)] = a
		if a.HasCounters {
			f.counters[attemptName(a.Attempt)] = a
		}
	}
	f.refused = append(f.refused, r.Refused...)
	f.fetch = append(f.fetch, r.Fetch...)
	f.unhealthy = r.Unhealthy
	f.change()
	return &wire.Desired{Seq: r.Seq, Run: f.desired.Run, Jobs: f.desired.Jobs, IntervalMillis: 300,
		Register: f.desired.Register, Epoch: f.desired.Epoch, Revoked: f.desired.Revoked,
		Revocations: f.desired.Revocations}, nil
}

func (f *fakeJobTracker) WaitForWork(ctx context.Context, r *wire.WaitRequest) (*wire.WaitReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waits++
	for f.version <= r.Version {
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		f.mu.Lock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return &wire.WaitReply{Version: f.version, News: true}, nil
}

func (f *fakeJobTracker) GetJob(_ context.Context, r *wire.GetJobRequest) (*wire.JobInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if j := f.jobs[r.Job]; j != nil {
		return j, nil
	}
	return nil, failure.New(failure.NotFound, "get job", fmt.Sprint(r.Job), nil)
}

func (f *fakeJobTracker) Completions(ctx context.Context, r *wire.CompletionsRequest) (*wire.CompletionsReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for int(r.From) == len(f.events) {
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		f.mu.Lock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if int(r.From) > len(f.events) {
		return &wire.CompletionsReply{Restart: true}, nil
	}
	return &wire.CompletionsReply{Event: f.events[r.From:]}, nil
}

func (f *fakeJobTracker) Leave(context.Context, *wire.LeaveRequest) (*wire.LeaveReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = true
	return &wire.LeaveReply{}, nil
}

// want sets the desired state and announces news to the tracker.
func (f *fakeJobTracker) want(run []*wire.Attempt, jobs ...int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desired.Run, f.desired.Jobs = run, jobs
	f.version++
	f.change()
}

// await waits until cond returns true. It calls cond with the lock held.
func (f *fakeJobTracker) await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for {
		f.mu.Lock()
		ok, changed := cond(), f.changed
		f.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("timed out waiting for: %s", what)
		}
	}
}

// patience limits the wait for events. It is long enough for a busy machine.
const patience = time.Minute

// state returns the last reported state of an attempt. The caller must hold mu.
func (f *fakeJobTracker) state(a *wire.Attempt) job.AttemptState {
	if r := f.last[attemptName(a)]; r != nil {
		return job.AttemptState(r.State)
	}
	return job.AttemptAssigned
}

// localFS reads the node's local files, as a file system for file: paths does.
type localFS struct {
	dfs.FileSystem
	missing string // hides paths with this prefix, as on a node without shared storage
}

func (l localFS) Resolve(p string) (dfs.FileSystem, string, error) {
	path, err := dfs.ParsePath(p)
	return l, path.Path, err
}
func (localFS) Scheme() string { return "file" }
func (localFS) URI() string    { return "file://" }
func (l localFS) Open(_ context.Context, name string) (dfs.File, error) {
	if l.missing != "" && strings.HasPrefix(name, l.missing) {
		return nil, failure.New(failure.NotFound, "open", name, errors.New("no such file"))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "open", name, err)
	}
	info, err := f.Stat()
	return localFile{f, info}, err
}

type localFile struct {
	*os.File
	info os.FileInfo
}

func (f localFile) Size() int64 { return f.info.Size() }

// cluster consists of one TaskTracker and its JobTracker.
type cluster struct {
	jt      *fakeJobTracker
	d       *Daemon
	dir     string
	addr    finderOf
	stopRPC context.CancelFunc
	rpcDone chan struct{}
	stop    context.CancelFunc
	done    chan error
}

func (c *cluster) serve(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := rpc.NewServer(rpc.Options{})
	wire.RegisterTrackersServer(server, c.jt)
	ctx, cancel := context.WithCancel(context.Background())
	c.stopRPC, c.rpcDone = cancel, make(chan struct{})
	c.addr.set(l.Addr().String())
	done := c.rpcDone
	go func() {
		defer close(done)
		_ = rpc.Serve(ctx, server, l)
	}()
}

// helperDaemon runs a TaskTracker in a separate process, for tests that kill it.
func helperDaemon() {
	os.Unsetenv("TRACKER_HELPER")
	dir, addr := os.Getenv("TRACKER_DIR"), os.Getenv("TRACKER_JT")
	d, err := New(Config{JobTracker: func(context.Context) (string, error) { return addr, nil }, FS: localFS{},
		HTTPAddr: "127.0.0.1:0", Slots: [2]int32{1, 1}, Warm: 1,
		LocalDirs: []string{dir}, LogDir: dir, KillDelay: time.Minute, Users: UserConfig{Tracker: true}})
	must(err)
	must(d.Run(context.Background()))
}

func startCluster(t *testing.T, tune func(*Config)) *cluster {
	c := &cluster{jt: newFakeJobTracker(), dir: t.TempDir(), done: make(chan error, 1)}
	c.serve(t)
	cfg := Config{
		JobTracker: c.addr.find,
		FS:         localFS{}, Host: "here", HTTPAddr: "127.0.0.1:0", Slots: [2]int32{2, 2}, Warm: 1, WaitForWork: true,
		KillDelay: 300 * time.Millisecond, Users: UserConfig{Tracker: true},
		LocalDirs: []string{filepath.Join(c.dir, "local1"), filepath.Join(c.dir, "local2")},
		LogDir:    filepath.Join(c.dir, "logs"), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if testing.Verbose() {
		cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if tune != nil {
		tune(&cfg)
	}
	d, err := New(cfg)
	require.NoError(t, err)
	c.d = d
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	go func() { c.done <- d.Run(ctx) }()
	t.Cleanup(func() { c.shutDown(t) })
	return c
}

func (c *cluster) shutDown(t *testing.T) {
	c.stop()
	if c.done != nil {
		require.NoError(t, <-c.done)
		c.done = nil
	}
	c.stopRPC()
	<-c.rpcDone
}

// addJob stages a job. Its name selects the behavior of its attempts.
func (c *cluster) addJob(t *testing.T, seq int32, what string, tune func(*wire.JobInfo)) {
	staged := filepath.Join(c.dir, "staging", fmt.Sprint(seq))
	require.NoError(t, os.MkdirAll(staged, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(staged, "job.xml"), []byte("<configuration/>"), 0o644))
	info := &wire.JobInfo{Job: seq, Id: job.ID{Cluster: "202611210000", Seq: seq}.String(), StagingDir: staged,
		JobName: what, User: "me",
		Maps: 10, Reduces: 2, Token: []byte("secret"), TasksPerChild: 1}
	if tune != nil {
		tune(info)
	}
	c.jt.mu.Lock()
	c.jt.jobs[seq] = info
	c.jt.mu.Unlock()
}

func mapAttempt(seq, index, n int32) *wire.Attempt {
	return &wire.Attempt{Job: seq, Index: index, N: n}
}

// finderOf finds a JobTracker whose address changes.
type finderOf struct {
	mu   sync.Mutex
	addr string
}

func (f *finderOf) set(addr string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addr = addr
}

func (f *finderOf) find(context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.addr, nil
}

func unmarshal(b []byte, m proto.Message) bool { return proto.Unmarshal(b, m) == nil }
