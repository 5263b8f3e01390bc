package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

func TestCountersStatusAndProgress(t *testing.T) {
	c := testContext(testEnv(t, nil))
	require.Empty(t, c.Status())
	c.SetStatus("half way")
	c.Progress()
	require.Equal(t, "half way", c.Status())
	require.EqualValues(t, 2, c.Beats())

	c.Inc(job.MapInputRecords, 3)
	c.SetBuiltin(job.CPUMillis, 7)
	x, err := c.Counter("words", "long")
	require.NoError(t, err)
	x.Add(2)
	again, err := c.Counter("words", "long")
	require.NoError(t, err)
	require.Same(t, x, again)
	var none *Counter
	none.Add(1)
	all := c.Counters()
	require.EqualValues(t, 3, all.Builtin[job.MapInputRecords])
	require.EqualValues(t, 7, all.Builtin[job.CPUMillis])
	require.Equal(t, []job.UserCounter{{Group: "words", Name: "long", Value: 2}}, all.User)
}

func TestCountersAreLimited(t *testing.T) {
	env := testEnv(t, nil)
	c := NewContext(context.Background(), *env, TaskInfo{MaxCounters: 5, MaxGroups: 2})
	for i := range 5 {
		_, err := c.Counter(fmt.Sprint("g", i%2), fmt.Sprint(i))
		require.NoError(t, err)
	}
	_, err := c.Counter("g0", "new")
	require.True(t, failure.Is(err, failure.Limit))
	require.ErrorContains(t, err, "mapreduce.job.counters.max")
	_, err = c.Counter("g0", "0")
	require.NoError(t, err)
	c = NewContext(context.Background(), *env, TaskInfo{MaxCounters: 5, MaxGroups: 2})
	for i := range 3 {
		_, err = c.Counter(fmt.Sprint("g", i), "n")
	}
	require.True(t, failure.Is(err, failure.Limit))
	require.ErrorContains(t, err, "Too many counter groups: 3 max=2; raise mapreduce.job.counters.groups.max")
}

func TestLongNamesOfCountersAreCut(t *testing.T) {
	c := NewContext(context.Background(), *testEnv(t, nil), TaskInfo{MaxCounterName: 4, MaxGroupName: 3})
	for _, name := range []string{"äöüß", "äöüßx", "a😀bc", "a😀b", "😀😀x", "😀😀"} {
		x, err := c.Counter("group", name)
		require.NoError(t, err)
		x.Add(1)
	}
	require.Equal(t, []job.UserCounter{{Group: "gr", Name: "a😀", Value: 1}, {Group: "gr", Name: "a😀b", Value: 1},
		{Group: "gr", Name: "äöü", Value: 1}, {Group: "gr", Name: "äöüß", Value: 1},
		{Group: "gr", Name: "😀", Value: 1}, {Group: "gr", Name: "😀😀", Value: 1}}, c.Counters().User)
}

func TestContextsOfOneAttempt(t *testing.T) {
	a := NewContext(context.Background(), Env{Conf: conf.New()}, TaskInfo{Split: &Split{Length: 1}})
	own := conf.New()
	own.Set("x.y", "z", "test")
	b := a.WithConf(own).WithSplit(&Split{Length: 2})
	require.Equal(t, "z", b.Conf.Get("x.y"))
	require.Empty(t, a.Conf.Get("x.y"))
	require.EqualValues(t, 1, a.Task().Split.Length)
	require.EqualValues(t, 2, b.Task().Split.Length)
	n, err := b.Counter("g", "n")
	require.NoError(t, err)
	n.Add(3)
	b.Inc(job.MapInputRecords, 4)
	b.SetStatus("busy")
	b.SetKey([]byte("k"))
	v, _ := a.Counters().Get("g", "n")
	require.EqualValues(t, 3, v)
	require.EqualValues(t, 4, a.Counters().Builtin[job.MapInputRecords])
	require.Equal(t, "busy", a.Status())
	require.Equal(t, "k", string(a.Key()))
}

// InputFile is the file of the current record, even if the split has several files.
func TestInputFile(t *testing.T) {
	var seq bytes.Buffer
	w, err := sequencefile.NewWriter(&seq, sequencefile.Options{KeyClass: LongWritable.Class(),
		ValueClass: TextWritable.Class()})
	require.NoError(t, err)
	require.NoError(t, w.Append(appendLong(nil, 1), appendText(nil, "x")))
	require.NoError(t, w.Close())
	for content, format := range map[string]InputFormat{"1\n2\n": CombineTextInput{},
		seq.String(): CombineSequenceInput{}} {
		env := testEnv(t, map[string]string{"/in/a": content, "/in/b": content}, "mapreduce.input.fileinputformat.inputdir",
			"/in")
		splits, err := format.Splits(context.Background(), env)
		require.NoError(t, err)
		require.Len(t, splits, 1)
		c := NewContext(context.Background(), *env, TaskInfo{Split: &splits[0]})
		if _, lines := format.(CombineTextInput); lines {
			require.Empty(t, c.InputFile(), "before the first record")
		}
		r, err := format.Open(c, &splits[0])
		require.NoError(t, err)
		var files []string
		for {
			if _, _, err := r.Next(); err == io.EOF {
				break
			}
			require.NoError(t, err)
			files = append(files, c.InputFile())
		}
		require.NoError(t, r.Close())
		require.Equal(t, []string{"mem:/in/a", "mem:/in/b"}, slices.Compact(files))
	}
	require.Empty(t, NewContext(context.Background(), Env{}, TaskInfo{}).InputFile())
	require.Equal(t, "f:/x", NewContext(context.Background(), Env{},
		TaskInfo{Split: &Split{Chunks: []Chunk{{Path: "f:/x"}}}}).InputFile())
}
