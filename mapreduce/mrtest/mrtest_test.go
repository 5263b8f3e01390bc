package mrtest_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func tokenize(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int32]) error {
	for _, w := range strings.Fields(line) {
		out.Emit(w, 1)
	}
	return nil
}

func sum(_ *mapreduce.Context, word string, ones iter.Seq[int32], out *mapreduce.Out[string, int32]) error {
	n := int32(0)
	for one := range ones {
		n += one
	}
	out.Emit(word, n)
	return nil
}

func wordcount() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "wordcount",
		Mapper:   mapreduce.MapFunc(tokenize),
		Combiner: mapreduce.ReduceFunc(sum),
		Reducer:  mapreduce.ReduceFunc(sum),
	}
}

func TestMapAndReduceFunctions(t *testing.T) {
	mrtest.Map(t, tokenize).Input(0, "to be or").Input(9, "not to be").
		Want("to\t1", "be\t1", "or\t1", "not\t1", "to\t1", "be\t1")
	mrtest.Reduce(t, sum).Input("be", 1, 1).Input("or", 1).Input("none").
		Want("be\t2", "or\t1", "none\t0")
}

// longest is a mapper with state. It counts records, reads a setting, and emits its result in
// Cleanup.
type longest struct {
	min  int
	best string
	n    *mapreduce.Counter
}

func (m *longest) Setup(c *mapreduce.Context) error {
	n, err := c.Conf.Int("longest.min", 0, 0, 100)
	m.min = int(n)
	if err == nil {
		m.n, err = c.Counter("longest", "seen")
	}
	return err
}

func (m *longest) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	_ *mapreduce.Out[string, mapreduce.Null]) error {
	m.n.Add(1)
	if len(line) > m.min && len(line) > len(m.best) {
		m.best = string(line)
	}
	return nil
}

func (m *longest) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[string, mapreduce.Null]) error {
	if m.best != "" {
		out.Emit(m.best, mapreduce.Null{})
	}
	return nil
}

func TestStatefulMapper(t *testing.T) {
	make := func() *longest { return &longest{} }
	m := mrtest.MapOf(t, make).Set("longest.min", "2").Input(0, mapreduce.Text("ab")).Input(3,
		mapreduce.Text("abc")).Want("abc")
	n, _ := m.Context().Counters().Get("longest", "seen")
	require.EqualValues(t, 2, n)
	mrtest.MapOf(t, make).Set("longest.min", "9").Input(0, mapreduce.Text("ab")).Want()
	_, err := mrtest.MapOf(t, make).Set("longest.min", "x").Input(0, nil).Done()
	require.True(t, failure.Is(err, failure.Config))
}

// closer is a mapper and a reducer whose Setup can fail. It counts the calls of Close.
type closer struct {
	fails  error
	closed *int
}

func (c closer) Setup(*mapreduce.Context) error { return c.fails }

func (closer) Map(*mapreduce.Context, int64, string, *mapreduce.Out[string, int32]) error { return nil }

func (closer) Reduce(*mapreduce.Context, string, iter.Seq[int32], *mapreduce.Out[string, int32]) error {
	return nil
}

func (c closer) Close() { *c.closed++ }

func TestUserCodeIsClosed(t *testing.T) {
	for fails, tasks := range map[error]int{nil: 2, errors.New("no setup"): 1} {
		closed := 0
		make := func() closer { return closer{fails, &closed} }
		_, err := mrtest.MapOf(t, make).Input(0, "x").Done()
		require.ErrorIs(t, err, fails)
		require.Equal(t, 1, closed, "mapper")
		_, err = mrtest.ReduceOf(t, make).Input("x", 1).Done()
		require.ErrorIs(t, err, fails)
		require.Equal(t, 2, closed, "reducer")

		closed = 0
		r := mrtest.NewRunner()
		require.NoError(t, r.WriteFile("/in", "x\n"))
		j := &mapreduce.Job{Name: "j", Mapper: mapreduce.MapOf(make), Reducer: mapreduce.ReduceOf(make)}
		err = j.App().Run(context.Background(), r, []string{"/in", "/out"})
		require.ErrorIs(t, err, fails)
		require.Equal(t, tasks, closed, "whole job")
	}
}

func TestWholeJob(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in/a", "to be or\nnot to be\n"))
	require.NoError(t, r.WriteFile("/in/b", "be\n"))
	require.NoError(t, r.WriteFile("/in/_log", "hidden\n"))
	require.NoError(t, wordcount().App().Run(context.Background(), r, []string{"/in", "/out"}))
	out, err := r.ReadFile("/out/part-r-00000")
	require.NoError(t, err)
	require.Equal(t, "be\t3\nnot\t1\nor\t1\nto\t2\n", out)
	_, err = r.ReadFile("/out/_SUCCESS")
	require.NoError(t, err)

	err = wordcount().App().Run(context.Background(), r, []string{"/in", "/out"})
	require.True(t, failure.Is(err, failure.Exists))
	require.ErrorContains(t, err, "Output directory mem:/out already exists")
	err = wordcount().App().Run(context.Background(), r, []string{"/in"})
	require.True(t, failure.Is(err, failure.Usage))
}

// A task of a whole job has the settings that the runtime adds for each attempt.
func TestSettingsOfATask(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in/a", "x\n"))
	require.NoError(t, r.WriteFile("/in/b", "y\n"))
	where := mapreduce.MapFunc(func(c *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
		out.Emit(line, c.Conf.Get("mapreduce.map.input.file")+" "+c.Conf.Get("mapreduce.task.partition"))
		return out.Err()
	})
	c := r.Conf().Clone()
	mapreduce.AddInputPaths(c, "/in")
	mapreduce.SetOutputPath(c, "/out")
	_, err := r.Run(context.Background(), &mapreduce.Job{Name: "where", Mapper: where}, c)
	require.NoError(t, err)
	out, err := r.Output("/out")
	require.NoError(t, err)
	require.Equal(t, "x\tmem:/in/a 0\ny\tmem:/in/b 1\n", out)
	require.Empty(t, r.Conf().Get("mapreduce.map.input.file"))
}

func TestCountersOfAJob(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in/a", "a b a\nb\n"))
	c := r.Conf().Clone()
	mapreduce.AddInputPaths(c, "/in")
	mapreduce.SetOutputPath(c, "/out")
	c.Set(conf.JobReduces.Name, "3", "test")
	res, err := r.Run(context.Background(), wordcount(), c)
	require.NoError(t, err)
	for id, want := range map[job.CounterID]int64{
		job.MapInputRecords: 2, job.MapOutputRecords: 4, job.CombineInputRecords: 4, job.CombineOutputRecords: 2,
		job.ReduceInputGroups: 2, job.ReduceInputRecords: 2, job.ReduceOutputRecords: 2,
		job.InputBytesRead: 8, job.OutputBytesWritten: 8,
	} {
		require.Equal(t, want, res.Counters.Builtin[id], id.Info().Name)
	}
}

// In a secondary sort, a reducer receives all values with the same first number in the order of the
// second number.
func TestSecondarySort(t *testing.T) {
	pairs := func(_ *mapreduce.Context, key, value string, out *mapreduce.Out[mapreduce.IntPair, int32]) error {
		a, b := int32(len(key)), int32(len(value))
		out.Emit(mapreduce.IntPair{First: a, Second: -b}, -b)
		return nil
	}
	list := func(_ *mapreduce.Context, p mapreduce.IntPair, vs iter.Seq[int32], out *mapreduce.Out[int32, int32]) error {
		for v := range vs {
			out.Emit(p.First, v)
		}
		return nil
	}
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", "x\tyy\nxx\ty\nx\tyyy\nxx\tyyy\nx\ty\n"))
	j := &mapreduce.Job{Name: "pairs", Input: mapreduce.KeyValueTextInput{}, Mapper: mapreduce.MapFunc(pairs),
		Reducer:     mapreduce.ReduceFunc(list),
		Partitioner: mapreduce.FirstOfPairPartition, Group: mapreduce.FirstOfPair,
		Conf: map[string]string{conf.JobReduces.Name: "2"}}
	require.NoError(t, j.App().Run(context.Background(), r, []string{"/in", "/out"}))
	out, err := r.Output("/out")
	require.NoError(t, err)
	require.Equal(t, "2\t-3\n2\t-1\n1\t-3\n1\t-2\n1\t-1\n", out)
}

func TestErrorsOfUserCode(t *testing.T) {
	boom := errors.New("boom")
	fails := func(*mapreduce.Context, int64, string, *mapreduce.Out[string, int32]) error { return boom }
	_, err := mrtest.Map(t, fails).Input(0, "x").Done()
	require.ErrorIs(t, err, boom)
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", "x\n"))
	err = (&mapreduce.Job{Name: "fails", Mapper: mapreduce.MapFunc(fails)}).App().Run(context.Background(), r,
		[]string{"/in", "/out"})
	require.ErrorIs(t, err, boom)
	_, err = r.ReadFile("/out/_SUCCESS")
	require.True(t, failure.Is(err, failure.NotFound))
}

// Drivers can examine a failed job as on a cluster.
func TestResultOfAFailedJob(t *testing.T) {
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", "b\n"))
	c := r.Conf().Clone()
	mapreduce.AddInputPaths(c, "/in")
	mapreduce.SetOutputPath(c, "/out")
	boom := failure.New(failure.User, "map", "b", nil)
	j := &mapreduce.Job{Name: "fails", Mapper: mapreduce.MapFunc(
		func(*mapreduce.Context, int64, string, *mapreduce.Out[string, int32]) error { return boom })}
	res, err := r.Run(context.Background(), j, c)
	require.ErrorIs(t, err, boom)
	require.NotNil(t, res)
	require.Equal(t, job.Failed, res.State)
	require.Contains(t, res.Diagnostics, boom.Error())
	require.NotNil(t, res.Counters)

	mapreduce.SetOutputPath(c, "/out2")
	mapreduce.AddInputPaths(c, "/none")
	res, err = r.Run(context.Background(), wordcount(), c)
	require.Nil(t, res, "the job did not start")
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
}

func TestInputFile(t *testing.T) {
	where := func(c *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
		require.Equal(t, c.InputFile(), c.Conf.Get("mapreduce.map.input.file"))
		require.Equal(t, c.InputFile(), c.Task().Split.Chunks[0].Path)
		out.Emit(line, c.InputFile())
		return nil
	}
	mrtest.Map(t, where).Input(0, "x").Want("x\tmem:/in/text")
	mrtest.Map(t, where).InputFile("/in/song").Input(0, "x").Want("x\t/in/song")
}

// calls is a committer that records the calls of its methods. The method that fails names fails.
type calls struct {
	made  *[]string
	fails string
}

func (x calls) do(name string) error {
	*x.made = append(*x.made, name)
	if name == x.fails {
		return errors.New(name + " failed")
	}
	return nil
}

func (x calls) SetupJob(*mapreduce.Context) error   { return x.do("SetupJob") }
func (x calls) SetupTask(*mapreduce.Context) error  { return x.do("SetupTask") }
func (x calls) CommitTask(*mapreduce.Context) error { return x.do("CommitTask") }
func (x calls) AbortTask(*mapreduce.Context) error  { return x.do("AbortTask") }
func (x calls) CommitJob(*mapreduce.Context) error  { return x.do("CommitJob") }
func (x calls) AbortJob(_ *mapreduce.Context, s job.State) error {
	return x.do("AbortJob " + s.String())
}
func (x calls) NeedsTaskCommit(c *mapreduce.Context) (bool, error) {
	return c.Task().Attempt.Type == job.Reduce, x.do("NeedsTaskCommit")
}

// A job's own committer gets the same calls as on a cluster.
func TestCommitter(t *testing.T) {
	const tasks = "SetupJob SetupTask NeedsTaskCommit SetupTask NeedsTaskCommit CommitTask "
	failed := "AbortJob " + job.Failed.String()
	for fails, want := range map[string]string{
		"":           tasks + "CommitJob",
		"SetupJob":   "SetupJob",
		"SetupTask":  "SetupJob SetupTask AbortTask " + failed,
		"CommitTask": tasks + "AbortTask " + failed,
		"CommitJob":  tasks + "CommitJob " + failed,
	} {
		r := mrtest.NewRunner()
		require.NoError(t, r.WriteFile("/in", "x\n"))
		var made []string
		j := wordcount()
		j.Committer = func() mapreduce.OutputCommitter { return calls{&made, fails} }
		err := j.App().Run(context.Background(), r, []string{"/in", "/out"})
		require.Equal(t, want, strings.Join(made, " "), fails)
		_, marker := r.ReadFile("/out/_SUCCESS")
		if fails == "" {
			require.NoError(t, errors.Join(err, marker))
		} else {
			require.ErrorContains(t, err, fails+" failed")
			require.True(t, failure.Is(marker, failure.NotFound))
		}
	}
}
