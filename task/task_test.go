package task

import (
	"context"
	"errors"
	"hash/crc32"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/shuffle"
)

type text = mapreduce.Text

// bench runs one job's attempts one after the other.
type bench struct {
	t   testing.TB
	dir string
	log strings.Builder
	job *mapreduce.Job
	c   *conf.Config
	in  []mapreduce.Split
	env Env
}

// newBench returns a bench for a job whose single map reads lines.
func newBench(t testing.TB, j *mapreduce.Job, lines string) *bench {
	b := &bench{t: t, dir: t.TempDir(), job: j, c: conf.New()}
	in := filepath.Join(b.dir, "in")
	require.NoError(t, os.WriteFile(in, []byte(lines), 0o644))
	mapreduce.AddInputPaths(b.c, in)
	mapreduce.SetOutputPath(b.c, filepath.Join(b.dir, "out"))
	fs, err := local.Resolver(b.c)
	require.NoError(t, err)
	b.in, err = j.PlanSplits(context.Background(), &mapreduce.Env{Conf: b.c, FS: fs})
	require.NoError(t, err)
	b.env = Env{FS: fs, Log: &b.log, Live: &Live{}}
	return b
}

func (b *bench) spec(typ job.TaskType, reduces int) *Spec {
	id := job.AttemptID{TaskID: job.TaskID{Job: job.ID{Cluster: "test", Seq: 1}, Type: typ}}
	s := &Spec{Attempt: id, Job: b.job, Conf: b.c, Maps: 1, Reduces: reduces, WorkDir: filepath.Join(b.dir, "work"),
		OutputDir: filepath.Join(b.dir, "out")}
	require.NoError(b.t, os.MkdirAll(s.WorkDir, 0o755))
	if typ == job.Map {
		s.Split, s.MapOutputDir = &b.in[0], shuffle.OutputDir(b.dir, id)
		require.NoError(b.t, os.MkdirAll(s.MapOutputDir, 0o755))
	}
	return s
}

func (b *bench) runMap(ctx context.Context, reduces int) (*Outcome, error) {
	b.c.Set(conf.JobReduces.Name, map[int]string{0: "0", 1: "1"}[reduces], "test")
	return RunMap(ctx, b.spec(job.Map, reduces), &b.env)
}

func (b *bench) runReduce(ctx context.Context) (*Outcome, error) {
	events := make(chan shuffle.Completion, 1)
	events <- shuffle.Completion{Addr: "here"}
	b.env.Live = &Live{}
	b.env.MapOutputs = MapOutputs{Events: events, LocalAddr: "here", LocalRoot: b.dir}
	return RunReduce(ctx, b.spec(job.Reduce, 1), &b.env)
}

// attemptDir returns the output directory of an attempt.
func (b *bench) attemptDir(typ job.TaskType) string {
	return commit.AttemptDir(filepath.Join(b.dir, "out"), b.spec(typ, 1).Attempt.String())
}

func mapper(f func(c *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error) mapreduce.MapperClass {
	return mapreduce.MapFunc(func(c *mapreduce.Context, _ int64, line text, out *mapreduce.Out[text, int32]) error {
		return f(c, line, out)
	})
}

func emitLine(_ *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
	out.Emit(line, 1)
	return nil
}

func TestManifestOfAMapOnlyJob(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j",
		Mapper: mapper(func(c *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
			w, err := c.CreateOutput("side/" + string(line))
			if err != nil {
				return err
			}
			w.Write([]byte("x"))
			out.Emit(line, 1)
			return w.Close()
		})}, "b\na\n")
	out, err := b.runMap(context.Background(), 0)
	require.NoError(t, err)
	x := crc32.Checksum([]byte("x"), castagnoli)
	require.Equal(t, []job.OutputFile{
		{Name: "part-m-00000", Length: 8, Checksum: crc32.Checksum([]byte("b\t1\na\t1\n"), castagnoli)},
		{Name: "side/a", Length: 1, Checksum: x}, {Name: "side/b", Length: 1, Checksum: x}}, out.Files)
	require.EqualValues(t, 2, out.Counters.Builtin[job.MapInputRecords])
	require.EqualValues(t, 2, out.Counters.Builtin[job.MapOutputRecords])
	require.EqualValues(t, 1_000_000, b.env.Live.Millionths())
}

func TestOutputNames(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j"}, "")
	o, err := newOutput(context.Background(), b.env.FS, b.spec(job.Map, 0))
	require.NoError(t, err)
	for _, bad := range []string{"", "/abs", "../up", "a/../../up", "a//b", "_SUCCESS", "_temporary/x", "./a", ".."} {
		_, err := o.create(bad)
		require.Equal(t, failure.Usage, failure.KindOf(err), "%q: %v", bad, err)
	}
	w, err := o.create("twice")
	require.NoError(t, err)
	_, err = o.create("twice")
	require.Equal(t, failure.Exists, failure.KindOf(err))
	_, err = o.manifest()
	require.ErrorContains(t, err, "never closed")
	require.NoError(t, w.Close())
	files, err := o.manifest()
	require.NoError(t, err)
	require.Len(t, files, 1)

	s := b.spec(job.Map, 0)
	s.OutputDir = ""
	o, err = newOutput(context.Background(), b.env.FS, s)
	require.NoError(t, err)
	_, err = o.create("x")
	require.Equal(t, failure.Usage, failure.KindOf(err))
}

// syncs is a file system that records what is made durable.
type syncs struct {
	*local.FS
	names *[]string
}

func (s syncs) Persist(_ context.Context, names ...string) error {
	*s.names = append(*s.names, names...)
	return nil
}

// A durable attempt syncs its files and all directories that may be new.
func TestDurable(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j"}, "")
	var names []string
	fs, err := local.New(b.c)
	require.NoError(t, err)
	b.env.FS, err = dfs.NewSet(b.c, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return syncs{fs, &names}, nil
	}})
	require.NoError(t, err)
	for _, durable := range []bool{false, true} {
		s := b.spec(job.Map, 0)
		s.Durable, s.Attempt.N = durable, s.Attempt.N+1
		o, err := newOutput(t.Context(), b.env.FS, s)
		require.NoError(t, err)
		w, err := o.create("a/part")
		require.NoError(t, err)
		require.NoError(t, w.Close())
		_, err = o.manifest()
		require.NoError(t, err)
		if !durable {
			require.Empty(t, names)
			continue
		}
		out := filepath.Join(b.dir, "out")
		attempt := commit.AttemptDir(out, s.Attempt.String())
		require.ElementsMatch(t, []string{attempt + "/a/part", attempt + "/a", attempt, out + "/_temporary/0",
			out + "/_temporary", out}, names)
	}
}

// TestSideEffectFilesAreOutput checks that files that a program itself writes to
// mapreduce.task.output.dir are part of the output.
func TestSideEffectFilesAreOutput(t *testing.T) {
	j := &mapreduce.Job{Name: "j",
		Mapper: mapper(func(c *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
			dir := c.Conf.Get("mapreduce.task.output.dir")
			for _, name := range []string{"by/itself", "seen", ".seen.crc", "lone.crc", ".hidden"} {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), line, 0o644))
			}
			return nil
		})}
	out, err := newBench(t, j, "line\n").runMap(context.Background(), 0)
	require.NoError(t, err)
	require.Equal(t, []job.OutputFile{{Name: ".hidden", Length: 4}, {Name: "by/itself", Length: 4},
		{Name: "lone.crc", Length: 4}, {Name: "part-m-00000"}, {Name: "seen", Length: 4}}, out.Files)

	j.Reducer = mapreduce.ReduceFunc(func(_ *mapreduce.Context, k text, _ iter.Seq[int32],
		out *mapreduce.Out[text, int32]) error {
		return nil
	})
	out, err = newBench(t, j, "line\n").runMap(context.Background(), 1)
	require.NoError(t, err)
	require.Len(t, out.Files, 4, "maps before reducers have a directory as well")
}

func TestFailedMapLeavesNothing(t *testing.T) {
	for _, reduces := range []int{0, 1} {
		b := newBench(t, &mapreduce.Job{Name: "j",
			Mapper: mapper(func(c *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
				out.Emit(line, 1)
				if string(line) == "bad" {
					panic("at the disco")
				}
				return nil
			})}, "good\nbad\n")
		_, err := b.runMap(context.Background(), reduces)
		require.Equal(t, failure.User, failure.KindOf(err), "%v", err)
		require.ErrorContains(t, err, "at the disco")
		require.ErrorContains(t, err, "the stack is in the task's log")
		require.Regexp(t, `^panic in map: at the disco\ngoroutine .*\n.*TestFailedMapLeavesNothing.*\n.*task_test.go`,
			b.log.String(), "the log contains the stack, from the user's code on")
		require.NotContains(t, b.log.String(), "task.guard", "it does not contain the frames of every task")
		require.NoDirExists(t, b.attemptDir(job.Map))
		left, err := os.ReadDir(b.spec(job.Map, 1).MapOutputDir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestKillInsideAGroup(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	b := newBench(t, &mapreduce.Job{Name: "j",
		Mapper: mapper(func(_ *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
			for range 100_000 {
				out.Emit(line, 1)
			}
			return nil
		}), Reducer: mapreduce.ReduceFunc(func(_ *mapreduce.Context, k text, vs iter.Seq[int32],
			out *mapreduce.Out[text, int32]) error {
			n := int32(0)
			for v := range vs {
				if n += v; n == 1000 {
					cancel(failure.New(failure.Killed, "kill", "", errors.New("by the test")))
				}
			}
			require.Less(t, n, int32(3000))
			out.Emit(k, n)
			return nil
		})}, "word\n")
	_, err := b.runMap(ctx, 1)
	require.NoError(t, err)
	_, err = b.runReduce(ctx)
	require.Equal(t, failure.Killed, failure.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "by the test")
	require.NoDirExists(t, b.attemptDir(job.Reduce))
}

// TestReducerThatSeesOnlyHalfFails damages a map output during the reduce. The values end early,
// and the reducer's output must not count.
func TestReducerThatSeesOnlyHalfFails(t *testing.T) {
	var damage func()
	b := newBench(t, &mapreduce.Job{Name: "j",
		Mapper: mapper(func(_ *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
			for range 500_000 {
				out.Emit(line, 1)
			}
			return nil
		}), Reducer: mapreduce.ReduceFunc(func(_ *mapreduce.Context, k text, vs iter.Seq[int32],
			out *mapreduce.Out[text, int32]) error {
			n := int32(0)
			for range vs {
				if n++; n == 1 {
					damage()
				}
			}
			out.Emit(k, n)
			return nil
		})}, "a word that is long enough\n")
	b.c.Set("mapreduce.reduce.shuffle.memory.limit.percent", "0.001", "test") // the reducer reads the map's own file
	_, err := b.runMap(context.Background(), 1)
	require.NoError(t, err)
	damage = func() {
		f, err := os.OpenFile(filepath.Join(b.spec(job.Map, 1).MapOutputDir, "file.out"), os.O_RDWR, 0)
		require.NoError(t, err)
		info, err := f.Stat()
		require.NoError(t, err)
		_, err = f.WriteAt([]byte{255}, info.Size()/2)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	_, err = b.runReduce(context.Background())
	require.Equal(t, failure.Corrupt, failure.KindOf(err), "%v", err)
	require.NoDirExists(t, b.attemptDir(job.Reduce))
}

func TestCombinerSeesItsKey(t *testing.T) {
	var wrong int
	b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapper(emitLine), Combiner: mapreduce.ReduceFunc(
		func(c *mapreduce.Context, k text, vs iter.Seq[int32], out *mapreduce.Out[text, int32]) error {
			n := int32(0)
			for v := range vs {
				if string(c.Key()[1:]) != string(k) {
					wrong++
				}
				n += v
			}
			out.Emit(k, n)
			return nil
		}), Reducer: mapreduce.Sum[int32]()}, "b\na\nb\nc\nb\n")
	out, err := b.runMap(context.Background(), 1)
	require.NoError(t, err)
	require.Zero(t, wrong)
	require.EqualValues(t, 5, out.Counters.Builtin[job.CombineInputRecords])
	require.EqualValues(t, 3, out.Counters.Builtin[job.CombineOutputRecords])
	red, err := b.runReduce(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 3, red.Counters.Builtin[job.ReduceInputRecords])
	require.EqualValues(t, 3, red.Counters.Builtin[job.ReduceOutputRecords])
}

func TestSetupAndCleanup(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapreduce.MapOf(func() *counting { return &counting{} })}, "a\nb\n")
	out, err := b.runMap(context.Background(), 0)
	require.NoError(t, err)
	require.EqualValues(t, len("lines\t102\n"), out.Files[0].Length)
}

// counting emits the number of its input lines plus 100 at the end.
type counting struct{ n int32 }

func (m *counting) Setup(*mapreduce.Context) error { m.n = 100; return nil }
func (m *counting) Map(*mapreduce.Context, int64, text, *mapreduce.Out[text, int32]) error {
	m.n++
	return nil
}
func (m *counting) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[text, int32]) error {
	out.Emit(text("lines"), m.n)
	return nil
}

func TestTaskConfiguration(t *testing.T) {
	var got []string
	b := newBench(t, &mapreduce.Job{Name: "j",
		Mapper: mapper(func(c *mapreduce.Context, _ text, _ *mapreduce.Out[text, int32]) error {
			for _, k := range []string{"mapred.task.id", "mapreduce.task.ismap", "mapreduce.map.input.start",
				"mapred.task.partition"} {
				got = append(got, c.Conf.Get(k))
			}
			return nil
		})}, "a\n")
	_, err := b.runMap(context.Background(), 0)
	require.NoError(t, err)
	require.Equal(t, []string{"attempt_test_0001_m_000000_0", "true", "0", "0"}, got)
	require.Empty(t, b.c.Get("mapreduce.task.id"), "the job's configuration stays as it was")
}

func TestSortBuffer(t *testing.T) {
	c := conf.New()
	n, err := sortBuffer(c, BufferBytes(256), 10)
	require.NoError(t, err)
	require.EqualValues(t, 100<<20, n, "the default fits into 256 MiB")
	n, err = sortBuffer(c, BufferBytes(1024), 10)
	require.NoError(t, err)
	require.EqualValues(t, 240<<20, n, "the default grows with the memory")
	n, err = sortBuffer(c, BufferBytes(128), 10)
	require.NoError(t, err)
	require.Less(t, n, BufferBytes(128), "the default shrinks")
	c.Set("io.sort.mb", "100", "-D")
	_, err = sortBuffer(c, BufferBytes(128), 10)
	require.Equal(t, failure.Config, failure.KindOf(err), "what the user set does not")
	_, err = sortBuffer(c, BufferBytes(256), 1000)
	require.Equal(t, failure.Config, failure.KindOf(err))
	_, err = MemoryMB(c, job.Map)
	require.NoError(t, err)
	c.Set("mapreduce.reduce.memory.mb", "10", "-D")
	_, err = MemoryMB(c, job.Reduce)
	require.Equal(t, failure.Config, failure.KindOf(err))
}

func TestThirds(t *testing.T) {
	var l Live
	require.Zero(t, l.Millionths())
	half := func() float32 { return 0.5 }
	for _, x := range []struct {
		p    job.Phase
		want int32
	}{{job.PhaseMap, 500_000}, {job.PhaseShuffle, 166_666}, {job.PhaseSort, 500_000}, {job.PhaseReduce, 833_333},
		{job.PhaseCleanup, 1_000_000}} {
		l.enter(x.p, half)
		require.Equal(t, x.want, l.Millionths(), x.p)
	}
	var zero float32
	l.enter(job.PhaseMap, func() float32 { return zero / zero })
	require.Zero(t, l.Millionths(), "no number")
}

func TestCombinerThatEmitsTooLate(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapper(emitLine),
		Combiner: mapreduce.ReduceOf(func() *late { return &late{} }), Reducer: mapreduce.Sum[int32]()}, "a\na\na\n")
	_, err := b.runMap(context.Background(), 1)
	require.ErrorContains(t, err, "cannot emit in its cleanup")
}

// late emits its records in Cleanup.
type late struct{}

func (late) Reduce(*mapreduce.Context, text, iter.Seq[int32], *mapreduce.Out[text, int32]) error {
	return nil
}
func (late) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[text, int32]) error {
	out.Emit(text("x"), 1)
	return nil
}

// backwards panics on every comparison.
type backwards struct{ mapreduce.Comparator }

func (backwards) Compare(_, _ []byte) int { panic("cannot tell") }
func (backwards) Prefix([]byte) uint64    { return 0 }

func TestPanicInAComparator(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapper(emitLine), Sort: backwards{}}, "a\nb\nc\n")
	_, err := b.runMap(context.Background(), 1)
	require.Equal(t, failure.User, failure.KindOf(err))
	require.ErrorContains(t, err, "cannot tell")
	left, err := os.ReadDir(b.spec(job.Map, 1).MapOutputDir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestWaitingIsLife checks that a reducer that waits for maps counts as alive, and that a reducer
// whose code hangs does not.
func TestWaitingIsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapper(emitLine), Reducer: mapreduce.Sum[int32]()}, "a\n")
		ctx, cancel := context.WithCancel(context.Background())
		b.env.MapOutputs = MapOutputs{Events: make(chan shuffle.Completion), LocalAddr: "here", LocalRoot: b.dir}
		ended := make(chan error)
		go func() {
			_, err := RunReduce(ctx, b.spec(job.Reduce, 1), &b.env)
			ended <- err
		}()
		synctest.Wait()
		one, two := b.env.Live.View(), b.env.Live.View()
		require.Equal(t, job.PhaseShuffle, two.Phase)
		require.Greater(t, two.Beats, one.Beats)
		cancel()
		require.Equal(t, failure.Killed, failure.KindOf(<-ended))
		require.Equal(t, b.env.Live.View().Beats, b.env.Live.View().Beats)
	})
}
