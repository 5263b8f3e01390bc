package task

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/shuffle"
	"github.com/howdah/howdah/task/sortio"
)

// TestOutputRoom checks that outputs in memory leave room for the buffers of maps and reducers.
func TestOutputRoom(t *testing.T) {
	for _, x := range []struct {
		mapMB, reduceMB string
		maps, reduces   int
		want            int64
	}{
		{"1024", "1024", 2, 2, 2 * 480 * mib},
		{"1024", "1024", 2, 1, 480 * mib},
		{"256", "1024", 2, 2, 2 * ((256-64-100)*mib - 11*mergeRun)},
		{"128", "1024", 2, 2, 0}, // the sort buffer shrinks to fit
	} {
		c := conf.New()
		c.Set("mapreduce.map.memory.mb", x.mapMB, "test")
		c.Set("mapreduce.reduce.memory.mb", x.reduceMB, "test")
		got, err := OutputRoom(c, x.maps, x.reduces)
		require.NoError(t, err)
		require.Equal(t, x.want, got, "%+v", x)
	}
	c := conf.New()
	c.Set("mapreduce.task.io.sort.mb", "x", "test")
	_, err := OutputRoom(c, 2, 2)
	require.Error(t, err)
}

// TestOutputsShareTheReducersMemory checks that a reducer gets less memory for buffers if outputs are in
// memory, but accepts records of the same size.
func TestOutputsShareTheReducersMemory(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j"}, "")
	b.env.MapOutputs.Own = shuffle.NewOutputs(100*mib, 2)
	b.env.MapOutputs.Own.Add(job.AttemptID{}, &sortio.Output{Data: make([]byte, 60*mib)})
	a := &attempt{spec: b.spec(job.Reduce, 1), env: &b.env, conf: b.c}
	cfg, err := a.shuffleConfig()
	require.NoError(t, err)
	require.EqualValues(t, (960-30)*mib, cfg.Memory)
	require.EqualValues(t, 960*mib, cfg.MaxRecord)
}

// forward is a combiner that fails in its cleanup.
type forward struct{ late }

func (forward) Reduce(_ *mapreduce.Context, key text, _ iter.Seq[int32], out *mapreduce.Out[text, int32]) error {
	out.Emit(key, 1)
	return nil
}

// TestFailedMapLeavesNoOutputInMemory checks that the output of a map that fails after sorting is
// removed.
func TestFailedMapLeavesNoOutputInMemory(t *testing.T) {
	for _, x := range []struct {
		combiner mapreduce.ReducerClass
		fails    bool
	}{{mapreduce.Sum[int32](), false}, {mapreduce.ReduceOf(func() *forward { return &forward{} }), true}} {
		j := &mapreduce.Job{Name: "j", Mapper: mapper(emitLine), Combiner: x.combiner, Reducer: mapreduce.Sum[int32]()}
		b := newBench(t, j, "a\na\n")
		b.env.MapOutputs.Own = shuffle.NewOutputs(mib, 1)
		_, err := b.runMap(context.Background(), 1)
		require.Equal(t, x.fails, err != nil, "%v", err)
		require.Equal(t, x.fails, b.env.MapOutputs.Own.Share() == 0)
	}
}
