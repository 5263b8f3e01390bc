package daemon

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/waits"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/streaming"
)

func TestOneMap(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", nil)
	a := mapAttempt(1, 3, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "success", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
	c.jt.mu.Lock()
	require.Equal(t, "part-m-00000", c.jt.last[attemptName(a)].File[0].Name)
	told := c.jt.counters[attemptName(a)]
	c.jt.mu.Unlock()
	require.EqualValues(t, 42, builtins(told)[job.MapInputRecords])
	require.Len(t, told.Counter, 1)
	require.True(t, proto.Equal(&wire.Counter{Group: "g", Name: "n", Value: 7}, told.Counter[0]), told.Counter[0])
	if runtime.GOOS == "linux" {
		require.Positive(t, builtins(told)[job.MapPhysicalMemoryMax],
			"what the child did not say itself was looked for")
	}

	id := attemptName(a)
	served := filepath.Join(c.d.served.root, "job_202611210000_0001", id, "file.out")
	b, err := os.ReadFile(served)
	require.NoError(t, err)
	require.Equal(t, "output", string(b))
	require.Eventually(t, func() bool {
		left, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, "me", jobCache, "*", id, workDir))
		return len(left) == 0
	}, patience, time.Millisecond, "the work directory of a finished attempt stays")

	require.Equal(t, "hello <world>\n", get(t, c, "/tasklog?attemptid="+id+"&filter=stdout&plaintext=true", 200))
	require.Contains(t, get(t, c, "/tasklog?attemptid="+id, 200), "hello &lt;world&gt;")

	c.jt.want(nil)
	require.Eventually(t, func() bool {
		_, err := os.Stat(served)
		left, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, "me", jobCache, "*"))
		return os.IsNotExist(err) && len(left) == 0
	}, patience, time.Millisecond, "files of a job that is gone stay")
	require.FileExists(t, filepath.Join(c.dir, "logs", userLogs, "job_202611210000_0001", id, "stdout"),
		"logs outlive the job")

	c.shutDown(t)
	require.True(t, c.jt.left)
}

func get(t *testing.T, c *cluster, path string, status int) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + c.d.Addr() + path)
	require.NoError(t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, status, r.StatusCode, string(b))
	return string(b)
}

func TestReducerHearsOfMaps(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "lossy", nil)
	c.jt.events = []*wire.Completion{{Map: 0, Addr: "a:1"}}
	a := &wire.Attempt{Job: 1, Type: uint32(job.Reduce)}
	c.jt.want([]*wire.Attempt{a}, 1)
	status := func(s string) func() bool {
		return func() bool { r := c.jt.last[attemptName(a)]; return r != nil && r.Status == s }
	}
	c.jt.await(t, "the first map", status("map 0 at a:1"))
	c.jt.mu.Lock()
	c.jt.events = append(c.jt.events, &wire.Completion{Map: 1, Attempt: 2, Addr: "b:1"})
	c.jt.change()
	c.jt.mu.Unlock()
	c.jt.await(t, "the second map", status("map 1 at b:1"))
	c.jt.await(t, "a fetch failure", func() bool {
		return len(c.jt.fetch) >= 2 &&
			attemptName(c.jt.fetch[len(c.jt.fetch)-1].Map) == "attempt_202611210000_0001_m_000001_2"
	})

	// The JobTracker restarts with a journal that was cut before both outputs.
	c.jt.mu.Lock()
	c.jt.events = []*wire.Completion{{Map: 0, Attempt: 1, Addr: "c:1"}}
	c.jt.change()
	c.jt.mu.Unlock()
	c.jt.await(t, "the map that ran again", status("map 0 at c:1"))
}

// killedFor returns the text of an attempt whose child violated the protocol.
func killedFor(why string) string {
	return "The TaskTracker killed the task because of a message from its process: read message: " + why +
		"\nTask process was ended by signal 9 (killed)."
}

func TestFailures(t *testing.T) {
	c := startCluster(t, nil)
	raise := ". If the task has very many counters or output files, raise ipc.maximum.data.length of the JobTracker and " +
		"the TaskTrackers."
	for seq, e := range []struct {
		name string
		kind failure.Kind
		text string
	}{
		{"fail", failure.User, "it broke"},
		{"crash", failure.User, "Task process exit with nonzero status of 3.\nlast words\n"},
		{"garbage", failure.Limit, killedFor("got a length of 4294967295 bytes; the limit is 4194304" + raise)},
		{"large", failure.Limit, killedFor("got a length of 5242890 bytes; the limit is 4194304" + raise)},
		{"parts", failure.Limit, killedFor("the message has more than 98304 parts" + raise)},
		{"askAgain", failure.User, killedFor("the attempt asked again to commit.")},
	} {
		seq := int32(seq + 1)
		c.addJob(t, seq, e.name, nil)
		a := mapAttempt(seq, 0, 0)
		c.jt.want([]*wire.Attempt{a}, seq)
		c.jt.await(t, e.name, func() bool { return c.jt.state(a) == job.AttemptFailed })
		c.jt.mu.Lock()
		r := c.jt.last[attemptName(a)]
		c.jt.mu.Unlock()
		require.Equal(t, e.text, r.Text)
		require.Equal(t, e.kind, failure.Kind(r.Kind), e.name)
	}
}

func TestUnknownJobFailsItsAttempts(t *testing.T) {
	c := startCluster(t, nil)
	a := mapAttempt(9, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 9)
	c.jt.await(t, "failure", func() bool { return c.jt.state(a) == job.AttemptFailed })
	require.Equal(t, uint32(failure.NotFound), c.report(a).Kind)
}

func TestNoSharedStorage(t *testing.T) {
	probe := filepath.Join(t.TempDir(), "probe")
	require.NoError(t, os.WriteFile(probe, []byte("probe text"), 0o644))
	for name, tune := range map[string]func(*Config, *fakeJobTracker){
		"missing": func(c *Config, f *fakeJobTracker) { c.FS = localFS{missing: probe} },
		"another": func(c *Config, f *fakeJobTracker) {
			f.probePath += "2"
			_ = os.WriteFile(f.probePath, []byte("probe of another JobTracker"), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			jt := newFakeJobTracker()
			jt.probePath = probe
			c := startCluster(t, func(cfg *Config) { tune(cfg, jt) })
			c.jt.await(t, "registration", func() bool { return c.jt.registered == 1 })
			c.jt.mu.Lock()
			c.jt.probePath = jt.probePath
			c.jt.desired.Register = true // registers again, now with the probe
			c.jt.mu.Unlock()
			c.jt.await(t, "second registration", func() bool { return c.jt.registered >= 2 })
			c.addJob(t, 1, "ok", nil)
			c.jt.want([]*wire.Attempt{mapAttempt(1, 0, 0)}, 1)
			c.jt.await(t, "refusal", func() bool { return len(c.jt.refused) > 0 })
			c.jt.mu.Lock()
			defer c.jt.mu.Unlock()
			require.Contains(t, c.jt.refused[0].Text, "use HDFS")
			require.Equal(t, job.AttemptKilled, c.jt.state(mapAttempt(1, 0, 0)))
		})
	}
}

func TestKillEndsTheWholeTree(t *testing.T) {
	t.Parallel()
	c := startCluster(t, nil)
	c.addJob(t, 1, "stubborn:kill", nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "start", func() bool { r := c.jt.last[attemptName(a)]; return r != nil && r.Status == "stubborn" })
	// The kernel does not immediately show the environment of a new process.
	require.Eventually(t, func() bool { return marked(t, "TRACKER_MARK=kill") == 1 }, patience, time.Millisecond)
	c.jt.want(nil, 1)
	require.Eventually(t, func() bool { return marked(t, "TRACKER_MARK=kill") == 0 }, patience, 10*time.Millisecond)
}

func TestStopLeavesNothing(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "stubborn:stop", nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "start", func() bool { r := c.jt.last[attemptName(a)]; return r != nil && r.Status == "stubborn" })
	c.shutDown(t)
	require.Zero(t, marked(t, "TRACKER_MARK=stop"))
	left, _ := filepath.Glob(filepath.Join(c.dir, "local?", trackerDir, "me", jobCache, "*"))
	require.Empty(t, left)
}

func TestTaskTimeout(t *testing.T) {
	t.Parallel()
	c := startCluster(t, nil)
	c.addJob(t, 1, "stubborn:timeout", func(j *wire.JobInfo) { j.TaskTimeout = 1000 })
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "timeout", func() bool { return c.jt.state(a) == job.AttemptFailed })
	r := c.report(a)
	require.Equal(t, "Task "+attemptName(a)+" failed to report status for 1 seconds. Killing!", r.Text)
	require.Equal(t, uint32(failure.Timeout), r.Kind)
	require.Zero(t, marked(t, "TRACKER_MARK=timeout"))
}

func TestGivenUpTrackerComesBackAsAnother(t *testing.T) {
	t.Parallel()
	c := startCluster(t, nil)
	c.addJob(t, 1, "stubborn:zombie", nil)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "start", func() bool { r := c.jt.last[attemptName(a)]; return r != nil && r.Status == "stubborn" })
	c.jt.mu.Lock()
	before := c.jt.incarnation
	c.jt.desired.Register, c.jt.desired.Run, c.jt.desired.Jobs = true, nil, nil
	c.jt.mu.Unlock()
	c.jt.await(t, "registration", func() bool { return c.jt.registered == 2 })
	require.Zero(t, marked(t, "TRACKER_MARK=zombie"), "registered again while a zombie lived")
	c.jt.mu.Lock()
	defer c.jt.mu.Unlock()
	require.Greater(t, c.jt.incarnation, before)
}

func TestJobTrackerOnAnotherPort(t *testing.T) {
	c := startCluster(t, nil)
	c.jt.await(t, "registration", func() bool { return c.jt.registered == 1 })
	c.addJob(t, 1, "ok", nil)
	c.stopRPC()
	<-c.rpcDone
	require.Eventually(t, func() bool {
		silent := false
		c.d.ask(func() { silent = c.d.line.silent })
		return silent
	}, patience, 5*time.Millisecond)
	begun := time.Now()
	c.serve(t)
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	c.jt.await(t, "work after the move", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
	require.Less(t, time.Since(begun), patience/2)
	c.jt.mu.Lock()
	defer c.jt.mu.Unlock()
	require.Equal(t, 1, c.jt.registered, "a JobTracker that comes back is no reason to register")
}

func TestRefusedRegistrationEndsTheTracker(t *testing.T) {
	c := &cluster{jt: newFakeJobTracker(), dir: t.TempDir()}
	c.jt.protocolErr = rpc.CheckProtocol(7_000)
	c.serve(t)
	defer func() { c.stopRPC(); <-c.rpcDone }()
	d, err := New(Config{JobTracker: c.addr.find, FS: localFS{}, HTTPAddr: "127.0.0.1:0", Slots: [2]int32{1, 1},
		LocalDirs: []string{c.dir}, LogDir: c.dir})
	require.NoError(t, err)
	err = d.Run(context.Background())
	require.True(t, failure.Is(err, failure.Stale), err)
}

func TestReuseOfChildren(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Slots, cfg.Warm = [2]int32{1, 0}, 0 })
	c.addJob(t, 1, "ok", func(j *wire.JobInfo) { j.TasksPerChild = -1 })
	var run []*wire.Attempt
	for i := int32(0); i < 5; i++ {
		run = append(run, mapAttempt(1, i, 0))
	}
	c.jt.want(run, 1)
	c.jt.await(t, "five maps", func() bool { return c.jt.state(run[4]) == job.AttemptSucceeded })
	n := 0
	c.d.ask(func() { n = len(c.d.children) })
	require.Equal(t, 1, n)
	for _, a := range run {
		log := get(t, c, "/tasklog?attemptid="+attemptName(a)+"&filter=stdout&plaintext=true", 200)
		require.Equal(t, "hello <world>\n", log)
	}
	require.Eventually(t, func() (spare bool) {
		c.d.ask(func() {
			j := c.d.jobs[1]
			j.mu.Lock()
			defer j.mu.Unlock()
			spare = len(j.spares) > 0
		})
		return spare
	}, patience, time.Millisecond, "the child keeps no directory")
	logs := filepath.Join(c.dir, "logs", userLogs, "job_202611210000_0001")
	require.Equal(t, []string{attemptName(run[0]), logIndex}, entries(t, logs), "maps created log files")
	c.d.ask(func() { c.d.purge(1) })
	require.Eventually(t, func() (gone bool) {
		c.d.ask(func() { gone = c.d.leaving[1] == nil })
		return gone
	}, patience, time.Millisecond, "the job's files stay")
	require.Equal(t, []string{attemptName(run[0]), jobACLs, logIndex}, entries(t, logs))
}

// TestJobsShareChildren checks that a child works for as many jobs as configured, one after another,
// and that each job finds its own logs.
func TestJobsShareChildren(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Slots, cfg.Warm, cfg.ChildJobs = [2]int32{1, 0}, 0, 2 })
	pids := map[int]bool{}
	for seq := range int32(4) {
		seq++
		c.addJob(t, seq, "ok", nil)
		a := mapAttempt(seq, 0, 0)
		c.jt.want([]*wire.Attempt{a}, seq)
		c.jt.await(t, "a map", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
		log := get(t, c, "/tasklog?attemptid="+attemptName(a)+"&filter=stdout&plaintext=true", 200)
		require.Equal(t, "hello <world>\n", log)
		c.d.ask(func() {
			for _, r := range c.d.children {
				if r.(*child).latest().Job == seq {
					pids[r.pid()] = true
				}
			}
		})
	}
	require.Len(t, pids, 2)
}

func TestClassesOfJobs(t *testing.T) {
	d := &Daemon{cfg: Config{Program: program.Program{Path: "own"}}}
	class := func(change func(*localJob)) string {
		j := &localJob{program: "own", info: &wire.JobInfo{JobName: "wordcount", User: "me", MapMemoryMb: 1024,
			ReduceMemoryMb: 1024}}
		change(j)
		return d.classOf(j)
	}
	mine := class(func(j *localJob) { j.id = "another job" })
	require.NotEmpty(t, mine)
	require.Equal(t, mine, class(func(j *localJob) { j.info.JobName = "sort" }))
	for name, change := range map[string]func(*localJob){
		"user":   func(j *localJob) { j.info.User = "you" },
		"memory": func(j *localJob) { j.info.MapMemoryMb, j.info.ReduceMemoryMb = 512, 512 },
		"cores":  func(j *localJob) { j.vcores = [2]int64{2, 2} },
	} {
		other := class(change)
		require.NotEmpty(t, other, name)
		require.NotEqual(t, mine, other, name)
	}
	for name, change := range map[string]func(*localJob){
		"streaming":        func(j *localJob) { j.info.JobName = streaming.JobName },
		"program":          func(j *localJob) { j.program = "another" },
		"waits":            func(j *localJob) { j.waits = &waits.Plan{} },
		"files":            func(j *localJob) { j.cache = &distcache.Lease{} },
		"logs":             func(j *localJob) { j.ownLogs = true },
		"different memory": func(j *localJob) { j.info.ReduceMemoryMb = 2048 },
		"different cores":  func(j *localJob) { j.vcores = [2]int64{1, 2} },
	} {
		require.Empty(t, class(change), name)
	}
}

func TestLeftoversAreRemovedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	old := jobHome(dir, "somebody", "job_202001010000_0001")
	kept := programFile(dir, "me", "program", disk.Sum{})
	require.NoError(t, os.MkdirAll(old, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	require.NoError(t, os.WriteFile(kept, nil, 0o755))
	stray := filepath.Join(dir, trackerDir, distCache, "program") // of an older version
	require.NoError(t, os.WriteFile(stray, nil, 0o755))
	d, err := New(Config{JobTracker: func(context.Context) (string, error) { return "", nil }, FS: localFS{},
		HTTPAddr: "127.0.0.1:0", Slots: [2]int32{1, 1}, LocalDirs: []string{dir}, LogDir: dir})
	require.NoError(t, err)
	d.listener.Close()
	require.NoDirExists(t, old)
	require.FileExists(t, kept)
	require.NoFileExists(t, stray)
}
