package client_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const id = "job_202611210753_0001"

// master is a JobTracker that accepts or rejects jobs and finishes them as the test requires.
type master struct {
	transport.Jobs
	t    *testing.T
	addr string
	root string
	conf *conf.Config
	stop func()

	mu      sync.Mutex
	submits []transport.Submission
	refuse  error
	winner  string        // first job with the key; "" means the submitted job
	states  []*status.Job // answers of Status in order; the last one repeats
	program string
	text    string // text of the probe in the JobTracker's answer
}

func newMaster(t *testing.T) *master {
	m := &master{t: t, root: t.TempDir(), conf: conf.New(), addr: "127.0.0.1:0", text: "probe"}
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "probe"), []byte("probe"), 0o644))
	self, err := program.Self()
	require.NoError(t, err)
	m.program = self.ID
	m.start()
	m.conf.Set(conf.JobTrackerAddress.Name, m.addr, "test")
	m.conf.Set("mapreduce.job.user.name", "ann", "test")
	t.Cleanup(func() { m.stop() })
	return m
}

func (m *master) start() {
	l, err := net.Listen("tcp", m.addr)
	require.NoError(m.t, err)
	m.addr = l.Addr().String()
	s := rpc.NewServer(rpctest.Options(m.t))
	transport.Register(s, m)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rpc.Serve(ctx, s, l) }()
	m.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(m.t, <-done)
	})
}

func (m *master) dial() *client.Client {
	fs, err := dfs.NewSet(m.conf, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		l, err := local.New(m.conf)
		return accountless{l}, err
	}})
	require.NoError(m.t, err)
	c, err := client.Dial(m.conf, fs)
	require.NoError(m.t, err)
	m.t.Cleanup(func() { c.Close() })
	return c
}

// accountless is the local file system of a machine without users' accounts. The results of tests as
// root must not depend on whether this machine has an account named ann.
type accountless struct{ *local.FS }

func (accountless) As(user string) (dfs.FileSystem, error) {
	return nil, errors.New("no account for " + user)
}

func (m *master) dir() string { return filepath.Join(m.root, "staging/ann/.staging", id) }

func (m *master) NewJob(context.Context, transport.NewJob) (*transport.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &transport.Place{ID: id, StagingDir: "file:" + m.dir(), Program: m.program,
		ProbePath: "file:" + m.root + "/probe", ProbeText: m.text}, nil
}

func (m *master) Submit(_ context.Context, s transport.Submission) (*transport.Submitted, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.submits = append(m.submits, s)
	taken, err := job.ParseID(cmp.Or(m.winner, id))
	if err == nil && m.winner == "" {
		err = m.refuse
	}
	return &transport.Submitted{ID: taken, TrackingURL: "http://x"}, err
}

func (m *master) Status(context.Context, job.ID, status.Query) (*status.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.states[0]
	if len(m.states) > 1 {
		m.states = m.states[1:]
	}
	return s, nil
}

func (m *master) job() client.Job {
	return client.Job{Name: "count", Conf: m.conf,
		Splits: []mapreduce.Split{{Chunks: []mapreduce.Chunk{{Path: "file:/in", Length: 5}}, Length: 5}}}
}

func TestSubmitStagesWhatTheJobNeeds(t *testing.T) {
	m := newMaster(t)
	t.Chdir(m.root)
	m.conf.Set("mapreduce.output.fileoutputformat.outputdir", "out", "test")
	s, err := m.dial().Submit(t.Context(), m.job())
	require.NoError(t, err)
	require.Equal(t, id, s.ID.String())
	require.Len(t, m.submits, 1)
	require.NotEmpty(t, m.submits[0].Key)

	fs, err := local.New(m.conf)
	require.NoError(t, err)
	staged, _, err := staging.ReadConf(t.Context(), fs, m.dir(), 1<<20)
	require.NoError(t, err)
	require.Equal(t, "count", staged.Get(conf.JobProgramJob.Name))
	require.Equal(t, "count", staged.Get("mapreduce.job.name"))
	require.Equal(t, "", staged.Get(conf.JobProgramPath.Name), "the JobTracker runs the same program")
	require.Equal(t, "file:"+m.root+"/out", staged.Get("mapreduce.output.fileoutputformat.outputdir"),
		"readers on other hosts need the complete path")
	metas, _, err := staging.ReadMeta(t.Context(), fs, m.dir(), staging.MetaLimit{Splits: 10})
	require.NoError(t, err)
	split, err := staging.ReadSplit(t.Context(), fs, m.dir()+"/"+staging.SplitFile, metas[0].Offset)
	require.NoError(t, err)
	require.Equal(t, m.job().Splits[0], *split)
	require.Empty(t, m.conf.Get(conf.JobProgramJob.Name), "the caller's configuration is not touched")
}

func TestForeignProgramIsShippedOnce(t *testing.T) {
	m := newMaster(t)
	file := filepath.Join(m.root, "myjob")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	j := m.job()
	j.Program = file
	c := m.dial()
	_, err := c.Submit(t.Context(), j)
	require.NoError(t, err)
	copies, err := filepath.Glob(filepath.Join(m.root, "staging/ann/.staging/programs/*/myjob"))
	require.NoError(t, err)
	require.Len(t, copies, 1)
	info, err := os.Stat(copies[0])
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
	_, err = c.Submit(t.Context(), j)
	require.NoError(t, err)
	again, err := os.Stat(copies[0])
	require.NoError(t, err)
	require.Equal(t, info.ModTime(), again.ModTime())
}

// TestProgramIsShippedByManyAtOnce checks that clients can ship the same program concurrently and
// that one copy remains.
func TestProgramIsShippedByManyAtOnce(t *testing.T) {
	m := newMaster(t)
	file := filepath.Join(m.root, "myjob")
	require.NoError(t, os.WriteFile(file, make([]byte, 1<<20), 0o755))
	p, err := program.Of(file)
	require.NoError(t, err)
	fs, err := local.Resolver(m.conf)
	require.NoError(t, err)
	place, err := m.NewJob(t.Context(), transport.NewJob{})
	require.NoError(t, err)
	errs := make(chan error, 16)
	for range cap(errs) {
		go func() {
			storage, dir, err := fs.Resolve(place.StagingDir)
			if err == nil {
				err = client.Upload(t.Context(), storage, p.Path, dir+"/program/myjob")
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	left, err := os.ReadDir(m.dir() + "/program")
	require.NoError(t, err)
	require.Len(t, left, 1)
	info, err := left[0].Info()
	require.NoError(t, err)
	require.EqualValues(t, 1<<20, info.Size())
	require.EqualValues(t, 0o700, info.Mode().Perm())
}

// TestSubmissionThatComesSecondLeavesNothing submits a job with the key of another job. The client
// returns the other job and removes the staged files.
func TestSubmissionThatComesSecondLeavesNothing(t *testing.T) {
	m := newMaster(t)
	m.winner = "job_202611210753_0099"
	s, err := m.dial().Submit(t.Context(), m.job())
	require.NoError(t, err)
	require.Equal(t, m.winner, s.ID.String())
	require.NoDirExists(t, m.dir())
}

func TestNoCommonStorage(t *testing.T) {
	m := newMaster(t)
	m.text = "what another machine's disk holds"
	_, err := m.dial().Submit(t.Context(), m.job())
	require.True(t, failure.Is(err, failure.IO), "%v", err)
	require.ErrorContains(t, err, "shared storage")
	require.NoDirExists(t, m.dir())
}

func TestRefusedJobLeavesNothing(t *testing.T) {
	m := newMaster(t)
	m.refuse = failure.New(failure.Exists, "prepare output", "file:/out", nil)
	_, err := m.dial().Submit(t.Context(), m.job())
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
	require.NoDirExists(t, m.dir())
}

// TestUnwritableFilesLeaveNothing checks that a job's other files go away if one cannot be written,
// for example because the disk is full.
func TestUnwritableFilesLeaveNothing(t *testing.T) {
	m := newMaster(t)
	require.NoError(t, os.MkdirAll(filepath.Join(m.dir(), staging.MetaFile), 0o700))
	_, err := m.dial().Submit(t.Context(), m.job())
	require.ErrorContains(t, err, staging.MetaFile)
	require.Empty(t, m.submits)
	require.NoDirExists(t, m.dir())
}

func TestWaitTellsProgressAndHowItEnded(t *testing.T) {
	m := newMaster(t)
	counters := &job.Counters{}
	counters.Builtin[job.FailedMaps] = 4
	counters.Add("g", "n", 1)
	m.states = []*status.Job{
		{State: job.Running, Maps: status.Tasks{Progress: 0.5}}, {State: job.Running, Maps: status.Tasks{Progress: 1}},
		{State: job.Failed, Diagnostics: "Task failed", Counters: counters},
	}
	parsed, err := job.ParseID(id)
	require.NoError(t, err)
	var seen []float32
	r, err := m.dial().Wait(t.Context(), parsed, func(s *status.Job) { seen = append(seen, s.Maps.Progress) })
	require.True(t, failure.Is(err, failure.Failed), "%v", err)
	require.ErrorContains(t, err, "Task failed")
	require.Equal(t, []float32{0.5, 1, 0}, seen)
	require.EqualValues(t, 4, r.Counters.Builtin[job.FailedMaps])
	n, _ := r.Counters.Get("g", "n")
	require.EqualValues(t, 1, n)
}

func TestNobodyIsThere(t *testing.T) {
	const addr = "127.0.0.1:1"
	m := newMaster(t)
	m.conf.Set(conf.JobTrackerAddress.Name, addr, "test")
	began := time.Now()
	_, err := m.dial().Submit(t.Context(), m.job())
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.Less(t, time.Since(began), time.Minute, "a wrong address is told at once, not after the five minutes of one "+
		"that was right before")
	for _, part := range []string{addr, "start it", conf.JobTrackerAddress.Name} {
		require.ErrorContains(t, err, part)
	}
}

// TestNoMinicluster checks that an error about a minicluster says how to start it.
func TestNoMinicluster(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"conf", "commands"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "commands", "jobtracker"), nil, 0o600))
	site := filepath.Join(dir, "conf", "mapred-site.xml")
	require.NoError(t, os.WriteFile(site, []byte("<configuration><property><name>"+
		conf.JobTrackerAddress.Name+"</name><value>127.0.0.1:1</value></property></configuration>"), 0o600))
	c, err := (&conf.GenericOptions{ConfigDir: filepath.Join(dir, "conf")}).Load()
	require.NoError(t, err)
	jobs, err := client.Connect(c, "127.0.0.1:1", "ada")
	require.NoError(t, err)
	defer jobs.Close()
	_, err = jobs.Cluster(t.Context())
	require.EqualError(t, err, "reach the JobTracker at 127.0.0.1:1: connection refused; "+
		"start it with howdah minicluster --dir "+dir)
}

func TestNoJobTrackerConfigured(t *testing.T) {
	_, err := client.Dial(conf.New(), nil)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

func TestBadSettings(t *testing.T) {
	for _, key := range []string{conf.ClientProgressMonitorPollInterval.Name, conf.ClientReconnectTimeout.Name} {
		c := conf.New()
		c.Set(conf.JobTrackerAddress.Name, "127.0.0.1:9001", "test")
		c.Set(key, "soon", "test")
		_, err := client.Dial(c, nil)
		require.True(t, failure.Is(err, failure.Config), "%v", err)
		require.ErrorContains(t, err, key)
	}
}
