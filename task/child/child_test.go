package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/shuffle"
)

// TestMain makes the test binary serve as its own child process.
func TestMain(m *testing.M) {
	if Wanted() {
		os.Exit(Main(Config{
			Jobs: func(name string) *mapreduce.Job { return jobs[name] },
			FS:   syncing,
		}))
	}
	os.Exit(m.Run())
}

// syncing returns the local file system. It prints the names of the part files that it syncs.
func syncing(c *conf.Config) (dfs.Resolver, error) {
	fs, err := local.New(c)
	if err != nil {
		return nil, err
	}
	return dfs.NewSet(c, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return talkative{fs}, nil
	}})
}

type talkative struct{ *local.FS }

func (f talkative) Persist(ctx context.Context, names ...string) error {
	for _, name := range names {
		if base := filepath.Base(name); strings.HasPrefix(base, "part-") {
			fmt.Println("synced", base)
		}
	}
	return f.FS.Persist(ctx, names...)
}

type (
	text = mapreduce.Text
	out  = mapreduce.Out[text, int32]
)

var jobs = map[string]*mapreduce.Job{
	"wordcount": {Name: "wordcount", Mapper: mapreduce.MapFunc(words), Combiner: mapreduce.Sum[int32](),
		Reducer: mapreduce.Sum[int32]()},
	"panics": {Name: "panics", Mapper: mapreduce.MapFunc(func(*mapreduce.Context, int64, text,
		*out) error {
		panic("oh no")
	})},
	"fails": {Name: "fails", Mapper: mapreduce.MapFunc(func(*mapreduce.Context, int64, text,
		*out) error {
		return errors.New("no luck")
	})},
	"waits":  {Name: "waits", Mapper: mapreduce.MapFunc(waits)},
	"memory": {Name: "memory", Mapper: mapreduce.MapFunc(tellsMemory)},
	"hangs":  {Name: "hangs", Mapper: mapreduce.MapFunc(hangs)},
}

func words(c *mapreduce.Context, _ int64, line text, o *out) error {
	for _, w := range bytes.Fields(line) {
		o.Emit(w, 1)
	}
	n, err := c.Counter("test", "lines")
	n.Add(1)
	os.Stdout.WriteString("a line of output\n")
	os.Stderr.WriteString(os.Getenv("FROM_JOB") + "\n")
	return err
}

func waits(c *mapreduce.Context, _ int64, _ text, _ *out) error {
	c.SetStatus("waiting")
	<-c.Context().Done()
	return c.Context().Err()
}

func hangs(c *mapreduce.Context, _ int64, _ text, _ *out) error {
	c.SetStatus("hanging")
	select {}
}

// tellsMemory reports the garbage collector's memory limit in its status.
func tellsMemory(c *mapreduce.Context, _ int64, _ text, _ *out) error {
	for c.Context().Err() == nil {
		c.SetStatus(fmt.Sprint(debug.SetMemoryLimit(-1) >> 20))
		time.Sleep(5 * time.Millisecond)
	}
	return c.Context().Err()
}

// tracker plays the TaskTracker for one child.
type tracker struct {
	t    *testing.T
	cmd  *exec.Cmd
	line *os.File
	in   *frame.Reader
	out  *frame.Writer
	dir  string
	told map[job.CounterID]int64 // latest values of the current attempt's built-in counters
}

func start(t *testing.T) *tracker {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	ours, theirs := os.NewFile(uintptr(fds[0]), "tracker"), os.NewFile(uintptr(fds[1]), "child")
	conn, err := net.FileConn(ours)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), Env+"=1")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	theirs.Close()
	k := &tracker{t: t, cmd: cmd, line: ours, in: frame.NewReader(conn), out: frame.NewWriter(conn), dir: t.TempDir(),
		told: map[job.CounterID]int64{}}
	t.Cleanup(func() { conn.Close(); ours.Close(); cmd.Process.Kill(); cmd.Wait() })
	require.Equal(t, int32(cmd.Process.Pid), k.next().Ready.Pid)
	return k
}

func (k *tracker) next() *umbilical.FromChild {
	var m umbilical.FromChild
	require.NoError(k.t, k.in.Read(&m))
	for _, p := range []*umbilical.Progress{m.Progress, m.GetDone().GetLast()} {
		for _, c := range p.GetCounter() {
			if c.Group == "" {
				k.told[job.CounterID(c.Id)] = c.Value
			}
		}
	}
	return &m
}

// end reads messages until the attempt is over.
func (k *tracker) end() *umbilical.FromChild {
	for {
		if m := k.next(); m.Done != nil || m.Failed != nil {
			return m
		}
	}
}

func (k *tracker) say(m *umbilical.ToChild) {
	if m.Launch != nil {
		clear(k.told)
	}
	require.NoError(k.t, k.out.Write(m))
}

// launch returns the Launch message of an attempt over one small file. The extra settings go into its
// job.xml.
func (k *tracker) launch(name string, typ job.TaskType, settings ...string) *umbilical.Launch {
	t := k.t
	in := filepath.Join(k.dir, "in")
	require.NoError(t, os.WriteFile(in, []byte("the cat\nthe hat\n"), 0o644))
	c := conf.New()
	mapreduce.AddInputPaths(c, in)
	mapreduce.SetOutputPath(c, filepath.Join(k.dir, "out"))
	c.Set("mapred.child.env", "FROM_JOB=yes", "test")
	for i := 0; i < len(settings); i += 2 {
		c.Set(settings[i], settings[i+1], "test")
	}
	fs, err := local.New(c)
	require.NoError(t, err)
	r, err := local.Resolver(c)
	require.NoError(t, err)
	splits, err := jobs[name].PlanSplits(context.Background(), &mapreduce.Env{Conf: c, FS: r})
	require.NoError(t, err)
	stage := filepath.Join(k.dir, "staging")
	require.NoError(t, fs.Mkdir(context.Background(), stage))
	require.NoError(t, staging.Write(context.Background(), fs, stage, c, splits))
	metas, _, err := staging.ReadMeta(context.Background(), fs, stage, staging.MetaLimit{Splits: 10})
	require.NoError(t, err)

	id := job.AttemptID{TaskID: job.TaskID{Job: job.ID{Cluster: "202611210753", Seq: 1}, Type: typ}}
	l := &umbilical.Launch{
		Attempt: id.String(), JobName: name, ConfPath: filepath.Join(stage, "job.xml"),
		SplitPath:   "file:" + filepath.Join(stage, "job.split"),
		SplitOffset: metas[0].Offset, WorkDir: filepath.Join(k.dir, "work"), OutputDir: "file:" + filepath.Join(k.dir, "out"),
		MapOutputDir: shuffle.OutputDir(filepath.Join(k.dir, "maps"), id), Reduces: 1, Maps: 1, MemoryMb: 256, BeatMillis: 20,
		LocalAddr: "here:1", LocalRoot: filepath.Join(k.dir, "maps"), LogDir: filepath.Join(k.dir, "logs", id.String()),
	}
	require.NoError(t, os.MkdirAll(l.WorkDir, 0o755))
	require.NoError(t, os.MkdirAll(l.MapOutputDir, 0o755))
	return l
}

func value(p *umbilical.Progress, id job.CounterID) int64 {
	for _, c := range p.Counter {
		if c.Group == "" && c.Id == uint32(id) {
			return c.Value
		}
	}
	return 0
}

// requireOutputs checks how many files of map outputs the child has open. Only Linux can tell.
func (k *tracker) requireOutputs(want int) {
	if runtime.GOOS != "linux" {
		return
	}
	dir := fmt.Sprintf("/proc/%d/fd", k.cmd.Process.Pid)
	all, err := os.ReadDir(dir)
	require.NoError(k.t, err)
	var open []string
	for _, e := range all {
		if name, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && filepath.Base(name) == "file.out" {
			open = append(open, name)
		}
	}
	require.Len(k.t, open, want)
}

// TestChildKeepsMapOutputsOpen checks that a child keeps the map outputs that its reducers have read
// open, until it works for another job.
func TestChildKeepsMapOutputsOpen(t *testing.T) {
	k := start(t)
	run := func(l *umbilical.Launch) {
		k.say(&umbilical.ToChild{Launch: l})
		if strings.Contains(l.Attempt, "_r_") {
			k.say(&umbilical.ToChild{Completions: &umbilical.Completions{Event: []*umbilical.Completion{{Addr: l.LocalAddr}}}})
		}
		require.NotNil(t, k.end().Done)
	}
	run(k.launch("wordcount", job.Map))
	run(k.launch("wordcount", job.Reduce))
	k.requireOutputs(1)
	other := k.launch("wordcount", job.Map)
	conf, err := os.ReadFile(other.ConfPath)
	require.NoError(t, err)
	other.ConfPath = filepath.Join(k.dir, "other.xml")
	require.NoError(t, os.WriteFile(other.ConfPath, conf, 0o644))
	other.Attempt = strings.TrimSuffix(other.Attempt, "_0") + "_1"
	other.MapOutputDir = t.TempDir()
	run(other)
	k.requireOutputs(0)
}

func TestMapAndReduceInOneChild(t *testing.T) {
	k := start(t)
	l := k.launch("wordcount", job.Map)
	k.say(&umbilical.ToChild{Launch: l})
	m := k.end()
	require.NotNil(t, m.Done, "%v", m)
	require.EqualValues(t, 1_000_000, m.Done.Last.Progress)
	require.Empty(t, m.Done.File)
	require.FileExists(t, filepath.Join(l.MapOutputDir, "file.out"))
	stdout, err := os.ReadFile(filepath.Join(l.LogDir, "stdout"))
	require.NoError(t, err)
	require.Equal(t, "a line of output\na line of output\n", string(stdout))
	stderr, err := os.ReadFile(filepath.Join(l.LogDir, "stderr"))
	require.NoError(t, err)
	require.Equal(t, "yes\nyes\n", string(stderr))

	l = k.launch("wordcount", job.Reduce)
	k.say(&umbilical.ToChild{Launch: l})
	k.say(&umbilical.ToChild{Completions: &umbilical.Completions{Event: []*umbilical.Completion{{Addr: l.LocalAddr}}}})
	m = k.end()
	require.NotNil(t, m.Done, "%v", m)
	require.Len(t, m.Done.File, 1)
	require.Equal(t, "part-r-00000", m.Done.File[0].Name)
	require.EqualValues(t, len("cat\t1\nhat\t1\nthe\t2\n"), m.Done.File[0].Length)
	require.EqualValues(t, 3, k.told[job.ReduceInputGroups])
	require.Positive(t, m.Done.Last.ShuffleDone)
	require.Positive(t, m.Done.Last.SortDone)
	b, err := os.ReadFile(filepath.Join(k.dir, "out/_temporary/0", l.Attempt, "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "cat\t1\nhat\t1\nthe\t2\n", string(b))
	stdout, err = os.ReadFile(filepath.Join(l.LogDir, "stdout"))
	require.NoError(t, err)
	require.Equal(t, "synced part-r-00000\n", string(stdout))
	left, err := os.ReadDir(l.WorkDir)
	require.NoError(t, err)
	require.Empty(t, left)

	k.say(&umbilical.ToChild{Exit: true})
	require.NoError(t, k.cmd.Wait())
}

func TestLostMapOutputIsReported(t *testing.T) {
	k := start(t)
	l := k.launch("wordcount", job.Reduce)
	k.say(&umbilical.ToChild{Launch: l})
	done := func(attempt int32) {
		k.say(&umbilical.ToChild{Completions: &umbilical.Completions{Event: []*umbilical.Completion{{Attempt: attempt,
			Addr: l.LocalAddr}}}})
	}
	done(0)
	var lost *umbilical.FetchFailed
	for lost == nil {
		lost = k.next().FetchFailed
	}
	require.Zero(t, lost.Map)
	require.Zero(t, lost.Attempt)

	other := start(t)
	other.dir = k.dir
	m := other.launch("wordcount", job.Map)
	m.Attempt = strings.TrimSuffix(m.Attempt, "_0") + "_1"
	id, err := job.ParseAttemptID(m.Attempt)
	require.NoError(t, err)
	m.MapOutputDir = shuffle.OutputDir(l.LocalRoot, id)
	require.NoError(t, os.MkdirAll(m.MapOutputDir, 0o755))
	other.say(&umbilical.ToChild{Launch: m})
	require.NotNil(t, other.end().Done)
	done(1)
	require.NotNil(t, k.end().Done, "the map's second attempt will do")
}

func TestFailures(t *testing.T) {
	for name, want := range map[string]string{"panics": "panic: oh no", "fails": "no luck"} {
		k := start(t)
		l := k.launch(name, job.Map)
		k.say(&umbilical.ToChild{Launch: l})
		m := k.end()
		require.NotNil(t, m.Failed, name)
		require.Equal(t, failure.User, failure.Kind(m.Failed.Kind), "%s: %s", name, m.Failed.Text)
		require.Contains(t, m.Failed.Text, want)
		for _, stream := range []string{"syslog", "stderr"} {
			log, err := os.ReadFile(filepath.Join(l.LogDir, stream))
			require.NoError(t, err)
			if name == "panics" {
				require.Contains(t, string(log), "child_test.go", "%s has the stack", stream)
			}
		}
		_, err := os.Stat(filepath.Join(k.dir, "out/_temporary/0", l.Attempt))
		require.ErrorIs(t, err, os.ErrNotExist)
		require.Error(t, k.cmd.Wait(), "the process leaves with an exit code")
	}
}

func TestDebugScriptLooksAtAFailedAttempt(t *testing.T) {
	k := start(t)
	l := k.launch("fails", job.Map, "mapred.map.task.debug.script", "./look at", "mapreduce.reduce.debug.script", "false")
	script := "#!/bin/sh\nbasename $PWD\necho $1; basename $2; basename $3; grep -c . $4; basename $5; exit 3\n"
	require.NoError(t, os.WriteFile(filepath.Join(l.WorkDir, "look"), []byte(script), 0o644))
	k.say(&umbilical.ToChild{Launch: l})
	require.NotNil(t, k.end().Failed)
	b, err := os.ReadFile(filepath.Join(l.LogDir, "debugout"))
	require.NoError(t, err)
	require.Equal(t, "work\nat\nstdout\nstderr\n3\njob.xml\n", string(b))
}

func TestUnknownJobAndBadSetting(t *testing.T) {
	k := start(t)
	l := k.launch("wordcount", job.Map)
	l.JobName = "nonesuch"
	k.say(&umbilical.ToChild{Launch: l})
	m := k.end()
	require.Equal(t, failure.Config, failure.Kind(m.Failed.Kind))
	require.Contains(t, m.Failed.Text, "nonesuch")

	k = start(t)
	k.say(&umbilical.ToChild{Launch: k.launch("wordcount", job.Map, "mapreduce.task.io.sort.mb", "250")})
	m = k.end()
	require.Equal(t, failure.Config, failure.Kind(m.Failed.Kind))
	require.Contains(t, m.Failed.Text, "mapreduce.task.io.sort.mb=250")
}

func TestStopEndsTheAttempt(t *testing.T) {
	for _, how := range []string{"message", "signal"} {
		k := start(t)
		k.say(&umbilical.ToChild{Launch: k.launch("waits", job.Map)})
		for k.next().GetProgress().GetStatus() != "waiting" {
		}
		if how == "message" {
			k.say(&umbilical.ToChild{Stop: true})
		} else {
			require.NoError(t, k.cmd.Process.Signal(syscall.SIGTERM))
		}
		m := k.end()
		require.Equal(t, failure.Killed, failure.Kind(m.Failed.Kind), "%s: %s", how, m.Failed.Text)
		k.cmd.Wait()
	}
}

// TestHeapFollowsMemory checks that the heap limit follows the TaskTracker's lease and returns to
// its original value when the lease ends.
func TestHeapFollowsMemory(t *testing.T) {
	k := start(t)
	l := k.launch("memory", job.Map)
	k.say(&umbilical.ToChild{Launch: l})
	until := func(mib string) {
		for k.next().GetProgress().GetStatus() != mib {
		}
	}
	until("208") // of 256
	k.say(&umbilical.ToChild{Memory: &umbilical.Memory{Attempt: l.Attempt, Mb: 512, Millis: 60_000}})
	until("464")
	k.say(&umbilical.ToChild{Memory: &umbilical.Memory{Attempt: l.Attempt, Mb: 64, Millis: 1}})
	until("208")
}

func TestProgressTellsOfLife(t *testing.T) {
	k := start(t)
	k.say(&umbilical.ToChild{Launch: k.launch("hangs", job.Map)})
	for k.next().GetProgress().GetStatus() != "hanging" {
	}
	alive := 0
	for range 10 {
		if k.next().GetProgress().GetAlive() {
			alive++
		}
	}
	require.LessOrEqual(t, alive, 1, "a mapper that does nothing shows life until then only")
}

func TestDeadTrackerEndsTheChild(t *testing.T) {
	k := start(t)
	k.say(&umbilical.ToChild{Launch: k.launch("hangs", job.Map)})
	k.next()
	conn := k.line
	require.NoError(t, syscall.Shutdown(int(conn.Fd()), syscall.SHUT_RDWR))
	done := make(chan error, 1)
	go func() { done <- k.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the child outlived its TaskTracker")
	}
}

// TestAttemptsOfOneChild checks that the limit of logs applies to each attempt's part of the logs that
// the attempts of a child share. The child reads the job's configuration only once.
func TestAttemptsOfOneChild(t *testing.T) {
	k := start(t)
	line := strings.Repeat("x", 700) + "\n"
	l := k.launch("wordcount", job.Map, "mapred.child.env", "FROM_JOB="+line[:700], "mapred.userlog.limit.kb", "1")
	for range 2 {
		k.say(&umbilical.ToChild{Launch: l})
		require.NotNil(t, k.end().Done)
		_ = os.Remove(l.ConfPath)
	}
	name := filepath.Join(k.dir, "logs", "attempt_202611210753_0001_m_000000_0", "stderr")
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, line+line, string(b), "one of the two lines of each attempt")
}

// TestEnvironmentOfOneChild checks that an attempt finds the environment that a new child has, and not
// what an earlier attempt of the same or another job has set.
func TestEnvironmentOfOneChild(t *testing.T) {
	k := start(t)
	for _, x := range []struct {
		settings, want string
		attempts       int
	}{{"FROM_JOB=first$FROM_JOB", "first", 2}, {"OTHER=1", "", 1}, {"OTHER=2", "", 1}} {
		k.dir = t.TempDir()
		l := k.launch("wordcount", job.Map, "mapred.child.env", x.settings)
		for range x.attempts {
			k.say(&umbilical.ToChild{Launch: l})
			require.NotNil(t, k.end().Done)
		}
		b, err := os.ReadFile(filepath.Join(l.LogDir, "stderr"))
		require.NoError(t, err)
		require.Equal(t, strings.Repeat(x.want+"\n", 2*x.attempts), string(b))
	}
}

func TestKeepTail(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(name, []byte("one\ntwo\nthree\n"), 0o644))
	require.NoError(t, keepTail(name, 0, 100))
	require.NoError(t, keepTail(name, 0, 9))
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "three\n", string(b))
	require.NoError(t, os.WriteFile(name, []byte("earlier\none\ntwo\nthree\n"), 0o644))
	require.NoError(t, keepTail(name, 8, 14))
	require.NoError(t, keepTail(name, 8, 9))
	b, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "earlier\nthree\n", string(b))
}
