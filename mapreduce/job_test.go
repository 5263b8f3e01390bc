package mapreduce

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

func lengths(_ *Context, _ int64, line string, out *Out[string, int32]) error {
	out.Emit(line, int32(len(line)))
	return nil
}

func TestValidateAcceptsWhatFits(t *testing.T) {
	for _, j := range []*Job{
		{Name: "identity"},
		{Name: "map", Mapper: MapFunc(lengths)},
		{Name: "sum", Mapper: MapFunc(lengths), Combiner: Sum[int32](), Reducer: Sum[int32]()},
		{Name: "text", Input: KeyValueTextInput{}},
	} {
		require.NoError(t, j.Validate(conf.New()), j.Name)
	}
	j := &Job{Name: "sum", Mapper: MapFunc(lengths), Reducer: Sum[int32]()}
	k, v := j.OutputTypes(conf.New())
	require.Equal(t, []Type{TextWritable, IntWritable}, []Type{k, v})
	require.Equal(t, Comparator(TextWritable), j.Comparator(conf.New()))
	require.Equal(t, Comparator(TextWritable), j.GroupComparator(conf.New()))
}

func TestValidateRefusesWhatDoesNotFit(t *testing.T) {
	words := func(_ *Context, _, v string, out *Out[string, string]) error { return nil }
	bad := func(_ *Context, _ int64, v string, out *Out[string, chan int]) error { return nil }
	noTypes := MapperClass{New: func() Mapper { return identityMapper{} }}
	for want, j := range map[string]*Job{
		"no name": {},
		"the mapper reads keys of type org.apache.hadoop.io.Text, but the input format has type " +
			"org.apache.hadoop.io.LongWritable": {Name: "j", Mapper: MapFunc(words)},
		"the combiner reads values of type org.apache.hadoop.io.LongWritable, but the mapper emits " +
			"org.apache.hadoop.io.IntWritable": {Name: "j", Mapper: MapFunc(lengths), Combiner: Sum[int64]()},
		"the reducer reads values of type org.apache.hadoop.io.LongWritable": {Name: "j", Mapper: MapFunc(lengths),
			Reducer: Sum[int64]()},
		"the stage after the combiner": {Name: "j", Mapper: MapFunc(lengths),
			Combiner: ReducerClass{New: func() Reducer { return &identityReducer{} }, Val: TextWritable}},
		"encode chan int: the type has no codec; use string": {Name: "j", Mapper: MapFunc(bad)},
		"the output types of the mapper are unknown":         {Name: "j", Input: untyped{}, Mapper: noTypes},
	} {
		err := j.Validate(conf.New())
		require.True(t, failure.Is(err, failure.Config), "%s: %v", want, err)
		require.ErrorContains(t, err, want)
	}
	c := conf.New()
	c.Set(conf.JobReduces.Name, "-1", "test")
	require.True(t, failure.Is((&Job{Name: "j"}).Validate(c), failure.Config))
}

// untyped is an input format with unknown types.
type untyped struct{ TextInput }

func (untyped) Types(*conf.Config) (key, value Type) { return nil, nil }

func TestMapOnlyJobsWriteTheMapsTypes(t *testing.T) {
	c := conf.New()
	c.Set(conf.JobReduces.Name, "0", "test")
	j := &Job{Name: "j", Mapper: MapFunc(lengths), Reducer: ReducerClass{Key: LongWritable}}
	k, v := j.OutputTypes(c)
	require.Equal(t, []Type{TextWritable, IntWritable}, []Type{k, v})
	require.NoError(t, j.Validate(c))
}

func TestConfigureLeavesTheUserTheLastWord(t *testing.T) {
	user := conf.New()
	user.Set("mapred.reduce.tasks", "7", "-D")
	j := &Job{Name: "j", Conf: map[string]string{conf.JobReduces.Name: "3", "j.own": "1"}}
	c := j.Configure(user)
	require.Equal(t, "7", c.Get(conf.JobReduces.Name))
	require.Equal(t, "1", c.Get("j.own"))
	require.Empty(t, user.Get("j.own"))
	require.Equal(t, "3", j.Configure(conf.New()).Get(conf.JobReduces.Name))
}

// recorded is a Runner that only records the configuration of the latest job.
type recorded struct {
	conf *conf.Config
	got  *conf.Config
}

func (r *recorded) Conf() *conf.Config { return r.conf }
func (r *recorded) FS() dfs.Resolver   { return nil }
func (r *recorded) Stdout() io.Writer  { return io.Discard }
func (r *recorded) Run(_ context.Context, _ *Job, c *conf.Config) (*Result, error) {
	r.got = c
	return &Result{}, nil
}

func TestPlainJobsTakeInputsAndOutput(t *testing.T) {
	app := (&Job{Name: "j"}).App()
	r := &recorded{conf: conf.New()}
	require.NoError(t, app.Run(context.Background(), r, []string{"/a,/b", "/c", "/out"}))
	require.Equal(t, []string{"/a", "/b", "/c"}, InputPaths(r.got))
	require.Equal(t, "/out", r.got.Get(conf.OutputFileOutputFormatOutputDir.Name))
	require.Empty(t, r.conf.Get(conf.OutputFileOutputFormatOutputDir.Name))
	for _, args := range [][]string{nil, {"/in"}} {
		err := app.Run(context.Background(), r, args)
		require.True(t, failure.Is(err, failure.Usage))
		require.True(t, strings.HasSuffix(err.Error(), "usage: j <in>... <out>"), err)
	}
	r.conf.Set(conf.InputFileInputFormatInputDir.Name, "/configured", "-D")
	require.NoError(t, app.Run(context.Background(), r, nil))
	require.Equal(t, []string{"/configured"}, InputPaths(r.got))
}

func TestPartitionerIsTriedBeforeTheJobStarts(t *testing.T) {
	env := testEnv(t, map[string]string{"/in": "x"}, conf.InputFileInputFormatInputDir.Name, "/in", conf.JobReduces.Name,
		"2", conf.TotalOrderPartitionerPath.Name, "/none")
	j := &Job{Name: "j", Input: KeyValueTextInput{}, Partitioner: TotalOrder}
	_, err := j.PlanSplits(context.Background(), env)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	env.Conf.Set(conf.JobReduces.Name, "1", "test")
	_, err = j.PlanSplits(context.Background(), env)
	require.NoError(t, err)
	p, err := j.NewPartitioner(env)
	require.NoError(t, err)
	require.Zero(t, p.Partition([]byte("x"), nil, 1))
}

func TestShapedJobKeepsItsName(t *testing.T) {
	const key = "mapreduce.job.map.class"
	j := &Job{Name: "any", Shape: func(c *conf.Config) (*Job, error) {
		if c.Get(key) == "" {
			return nil, failure.New(failure.Config, "shape", "", nil)
		}
		return &Job{Name: "other", Short: c.Get(key)}, nil
	}}
	c := conf.New()
	_, err := j.Shaped(c)
	require.True(t, failure.Is(err, failure.Config))
	c.Set(key, "x", "test")
	s, err := j.Shaped(c)
	require.NoError(t, err)
	require.Equal(t, "any", s.Name, "by which a task's child finds it")
	require.Equal(t, "x", s.Short)
	require.Nil(t, s.Shape)
	plain := &Job{Name: "plain"}
	s, err = plain.Shaped(c)
	require.NoError(t, err)
	require.Same(t, plain, s)
}
