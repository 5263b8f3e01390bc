package daemon

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	wire "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a JobTracker of a test with its directories.
type cluster struct {
	starting context.Context // ends a start that waits for storage; nil means at the end of the test
	t        *testing.T
	root     string
	conf     *conf.Config
	fs       *dfs.Set
	*Daemon
	stop   func() error
	record string       // name of the file for recorded inputs
	logger *slog.Logger // nil means the tests' logger
	disk   disk.FS      // nil means this machine's
	// prepare changes a JobTracker before it runs.
	prepare func(*Daemon)
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{t: t, root: t.TempDir(), conf: conf.New()}
	addrs, err := freeport.Addrs(2) // a JobTracker keeps its addresses when it restarts
	require.NoError(t, err)
	for key, value := range map[string]string{
		"hadoop.tmp.dir": c.root, conf.JobTrackerAddress.Name: addrs[0], conf.JobTrackerHTTPAddress.Name: addrs[1],
		"howdah.jobtracker.heartbeat.interval.min": "20", "mapreduce.job.user.name": "ann",
	} {
		c.conf.Set(key, value, "test")
	}
	c.fs, err = dfs.NewSet(c.conf,
		map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
			l, err := local.New(c.conf)
			return accountless{l}, err
		}})
	require.NoError(t, err)
	return c
}

// accountless is the local file system of a machine without users' accounts. The results of tests as
// root must not depend on whether this machine has an account for a name that a test uses.
type accountless struct{ *local.FS }

func (accountless) As(user string) (dfs.FileSystem, error) {
	return nil, errors.New("no account for " + user)
}

// start runs a JobTracker with the cluster's directory.
func (c *cluster) start() {
	c.t.Helper()
	require.NoError(c.t, c.tryStart())
	c.t.Cleanup(func() { require.NoError(c.t, c.stop()) })
}

func (c *cluster) tryStart() error {
	c.t.Helper()
	cfg, err := FromConf(c.conf)
	require.NoError(c.t, err)
	cfg.RecordInputs, cfg.Disk = c.record, c.disk
	cfg.FS, cfg.Log = c.fs, cmp.Or(c.logger, slog.New(slog.NewTextHandler(logWriter(), nil)))
	if c.Daemon, err = New(cmp.Or(c.starting, c.t.Context()), cfg); err != nil {
		return err
	}
	if c.prepare != nil {
		c.prepare(c.Daemon)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	stopped := false
	c.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-done
	}
	return nil
}

func logWriter() io.Writer {
	if testing.Verbose() {
		return os.Stderr
	}
	return io.Discard
}

func (c *cluster) client() *client.Client {
	c.t.Helper()
	x, err := client.Dial(c.conf, c.fs)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { x.Close() })
	return x
}

// wire returns the RPC client of the JobTracker. It retries each call while the JobTracker is
// unavailable.
func (c *cluster) wire() wire.JobsClient {
	c.t.Helper()
	conn, err := rpc.Dial(c.conf.Get(conf.JobTrackerAddress.Name), rpctest.Options(c.t))
	require.NoError(c.t, err)
	c.t.Cleanup(func() { conn.Close() })
	return wire.NewJobsClient(patient{conn})
}

// patient retries calls that do not reach a server.
type patient struct{ *grpc.ClientConn }

func (p patient) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return rpc.Retry(ctx, rpc.Backoff{First: 50 * time.Millisecond, Max: time.Second}, func(ctx context.Context) error {
		return p.ClientConn.Invoke(ctx, method, args, reply, opts...)
	})
}

// job returns a job with n maps, some reduces, and its own output directory.
func (c *cluster) job(name string, maps, reduces int) client.Job {
	k := c.conf.Clone()
	k.Set("mapreduce.job.reduces", itoa(reduces), "test")
	k.Set("mapreduce.output.fileoutputformat.outputdir", c.out(name), "test")
	return client.Job{Name: name, Conf: k, Splits: make([]mapreduce.Split, maps)}
}

func (c *cluster) out(name string) string { return filepath.Join(c.root, "out", name) }

// ctx returns the context of a call by an administrator.
func (c *cluster) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	c.t.Cleanup(cancel)
	return auth.With(ctx, auth.Principal{Admin: true})
}

func TestJobFromSubmissionToOutput(t *testing.T) {
	c := newCluster(t)
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("count", 3, 2))
	require.NoError(t, err)
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)
	require.EqualValues(t, 3, r.Counters.Builtin[job.LaunchedMaps])
	require.Equal(t, []string{"_SUCCESS", "part-r-00000", "part-r-00001"}, names(t, c.out("count")))

	status, err := c.wire().Status(c.ctx(), &wire.StatusRequest{Id: s.ID.String(), Attempts: true, Counters: true})
	require.NoError(t, err)
	require.Len(t, status.Attempt, 5)
	require.Equal(t, "SUCCEEDED", status.State)
	require.Eventually(t, func() bool { return len(names(t, filepath.Join(c.root, "mapred/staging/ann/.staging"))) == 0 },
		time.Minute, time.Millisecond, "the staging directory goes with the job")
}

// The status of a job says that early reduces of another job keep it waiting.
func TestJobThatWaitsForEarlyReduces(t *testing.T) {
	c := newCluster(t)
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.hold("m")
	f.run()
	x := c.client()
	large := c.job("large", 2, 2)
	large.Conf.Set("mapreduce.job.reduce.slowstart.completedmaps", "0", "test")
	first, err := x.Submit(c.ctx(), large)
	require.NoError(t, err)
	f.hold("r")
	_, err = x.Submit(c.ctx(), c.job("small", 0, 1))
	require.NoError(t, err)
	var why string
	s, err := x.Submit(c.ctx(), c.job("smaller", 0, 1))
	require.NoError(t, err)
	_, err = x.Wait(c.ctx(), s.ID, func(s *status.Job) {
		if s.Waits() != "" && why == "" {
			why = s.Waits()
			f.release("m")
			f.release("r")
		}
	})
	require.NoError(t, err)
	require.Contains(t, why, "2 reduces of 1 job, such as "+first.ID.String()+", occupy them while they wait for maps")
	end, err := x.Status(c.ctx(), s.ID, status.Query{})
	require.NoError(t, err)
	require.Empty(t, end.Waits())
}

func TestSameKeyIsOneJob(t *testing.T) {
	c := newCluster(t)
	c.start()
	x := c.client()
	j := c.job("once", 1, 0)
	j.Key = "k"
	a, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	b, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	require.Equal(t, a.ID, b.ID)
	require.NoError(t, c.stop())
	c.start()
	b, err = x.Submit(c.ctx(), j)
	require.NoError(t, err)
	require.Equal(t, a.ID, b.ID)
}

func TestBadSubmissions(t *testing.T) {
	c := newCluster(t)
	c.start()
	x := c.client()
	set := func(key, value string) client.Job {
		j := c.job("bad", 1, 1)
		j.Conf.Set(key, value, "test")
		return j
	}
	for _, test := range []struct {
		job  client.Job
		kind failure.Kind
		text string
	}{
		{set("mapreduce.job.reduces", "-1"), failure.Config, "mapreduce.job.reduces"},
		{set("mapreduce.job.priority", "URGENT"), failure.Config, "VERY_HIGH"},
		{set("mapreduce.job.queuename", "nobodys"), failure.Config, "use one of: default"},
		{set("mapreduce.map.memory.mb", "lots"), failure.Config, "mapreduce.map.memory.mb"},
		{set("mapreduce.output.fileoutputformat.outputdir", c.root), failure.Exists, "choose another output"},
	} {
		_, err := x.Submit(c.ctx(), test.job)
		require.True(t, failure.Is(err, test.kind), "%v", err)
		require.ErrorContains(t, err, test.text)
		require.NoDirExists(t, c.out("bad"))
	}
	list, err := c.wire().List(c.ctx(), &wire.ListRequest{All: true})
	require.NoError(t, err)
	require.Empty(t, list.Job)
}

// TestRefusedOutput checks that the user learns which directory they may not create.
func TestRefusedOutput(t *testing.T) {
	s := &submission{spec: &job.Spec{User: "bob", OutputDir: "file:/home/ann/out"}}
	require.EqualError(t, s.refused(failure.New(failure.Permission, "mkdir", "/home/ann/.submit-1", syscall.EACCES)),
		"create output directory file:/home/ann/out: user bob: permission denied; "+
			"choose a directory in which this user may create it")
	full := failure.New(failure.DiskFull, "mkdir", "/home/ann/.submit-1", nil)
	require.Equal(t, error(full), s.refused(full))
}

func TestRestartInTheMiddle(t *testing.T) {
	c := newCluster(t)
	c.start()
	tracker := newFakeTracker(t, c, "t1")
	tracker.hold("r") // reduces do not end until released
	tracker.run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("long", 4, 1))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		status, err := c.wire().Status(c.ctx(), &wire.StatusRequest{Id: s.ID.String()})
		return err == nil && status.MapsDone == 4
	}, time.Minute, time.Millisecond)
	epoch := c.epoch
	require.NoError(t, c.stop())
	c.start()
	require.Equal(t, epoch+1, c.epoch)
	tracker.release("r")
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.EqualValues(t, 4, r.Counters.Builtin[job.LaunchedMaps], "finished maps do not run again")
	require.Equal(t, []string{"_SUCCESS", "part-r-00000"}, names(t, c.out("long")))
}

// A replay of a recording makes the same decisions, even if the recording starts after a restart.
// Its hash equals that of the live machine.
func TestRecordedInputsDecideTheSame(t *testing.T) {
	c := newCluster(t)
	c.start()
	tracker := newFakeTracker(t, c, "t1")
	tracker.run()
	x := c.client()
	run := func(name string) {
		s, err := x.Submit(c.ctx(), c.job(name, 3, 2))
		require.NoError(t, err)
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	run("before")
	require.NoError(t, c.stop())
	c.record = filepath.Join(c.root, "inputs")
	c.start()
	run("recorded")
	replay := func() *Replayed {
		f, err := os.Open(c.record)
		require.NoError(t, err)
		defer f.Close()
		r, err := ReplayInputs(f, catalog.Builtin())
		require.NoError(t, err)
		return r
	}
	require.NotZero(t, replay().Inputs, "a kill would have left this")
	hash := c.Daemon.record.hash
	require.NoError(t, c.stop())
	r := replay()
	require.False(t, r.Torn)
	require.Greater(t, r.Decisions, int64(15))
	require.Equal(t, hash.String(), r.Hash)
}

// compacting is a journal that requests a snapshot after every few writes.
type compacting struct {
	factlog.Writer
	writes int
}

func (l *compacting) Append(b []byte) error {
	l.writes++
	return l.Writer.Append(b)
}

func (l *compacting) Rotate(b ...[]byte) error {
	l.writes = 0
	return l.Writer.Rotate(b...)
}

func (l *compacting) Grown() bool { return l.writes > 3 }

// Jobs run and survive a restart while snapshots repeatedly replace the journal.
func TestCompactionUnderLoad(t *testing.T) {
	c := newCluster(t)
	c.prepare = func(d *Daemon) { d.log = &compacting{Writer: d.log} }
	c.start()
	tracker := newFakeTracker(t, c, "t1")
	tracker.run()
	x := c.client()
	var last job.ID
	for i := range 10 {
		s, err := x.Submit(c.ctx(), c.job("j"+itoa(i), 3, 1))
		require.NoError(t, err)
		if i == 9 {
			tracker.hold("r")
			last = s.ID
			break
		}
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	require.NoError(t, c.stop())
	files, err := filepath.Glob(filepath.Join(c.root, "mapred/jobtracker/journal-*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	c.start()
	tracker.release("r")
	_, err = x.Wait(c.ctx(), last, nil)
	require.NoError(t, err)
	list, err := c.wire().List(c.ctx(), &wire.ListRequest{All: true})
	require.NoError(t, err)
	require.Len(t, list.Job, 10)
}
