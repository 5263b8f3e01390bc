package shuffle

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// TestOutputsOfThisProcess checks that a reducer merges outputs in memory and in files of its own
// process without reading an index or a segment in advance.
func TestOutputsOfThisProcess(t *testing.T) {
	cl := newCluster(t, 1, 2, nil)
	out := NewOutputs(1<<20, 4)
	cl.outputs = out
	list := cl.makeMaps(20, 100, 2000)
	files := 0
	for m := range int32(20) {
		o, err := out.get(attempt(m, 0))
		require.NoError(t, err)
		if o.Path != "" {
			require.NoError(t, os.Truncate(o.Path, o.Index.Part()))
			files++
		}
	}
	require.NotZero(t, files)
	require.Less(t, files, 20)
	require.Greater(t, out.Share(), int64(200<<10))
	for reduce := range 2 {
		cfg := cl.config(reduce, 20)
		cfg.LocalAddr, cfg.Outputs = cl.addrs[0], out
		got := cl.shuffled(cfg, list)
		require.EqualValues(t, 20, got.v[job.MergedMapOutputs])
		require.EqualValues(t, 20, got.v[job.ShuffledMaps])
		require.EqualValues(t, files, got.v[job.FileReadOps])
		require.Zero(t, got.v[job.FileWriteOps])
	}
	for m := range int32(20) {
		out.Remove(attempt(m, 0))
		out.Remove(attempt(m, 0))
	}
	require.Zero(t, out.Share())
}

// TestMissingOutputOfThisProcess checks that the outputs of this process are not sought elsewhere, and
// that an output that was taken once is not taken from another attempt.
func TestMissingOutputOfThisProcess(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	cl.makeMaps(1, 5, 5)
	cl.outputs = NewOutputs(1<<20, 1)
	cl.writeMap(0, 0, 1, make([][]rec, 1))
	cl.writeMap(0, 0, 2, make([][]rec, 1))
	cfg := cl.config(0, 1)
	cfg.LocalAddr, cfg.LocalRoot, cfg.Outputs = cl.addrs[0], cl.roots[0], cl.outputs
	require.NoError(t, cfg.validate())
	s := newStore(&cfg)
	f := newFetcher(&cfg, s, nil)
	require.ErrorIs(t, f.local(t.Context(), target{0, 0}).err, failure.NotFound.Target())
	require.Nil(t, f.local(t.Context(), target{0, 1}))
	require.Nil(t, f.local(t.Context(), target{0, 2}))
	require.Len(t, s.kept, 1)
	cfg.Reduce = 1
	require.Equal(t, job.ShuffleWrongReduce, f.local(t.Context(), target{0, 2}).counter)
}

// TestDamagedFileOfThisProcess checks that a merge detects damage in a file, although it is not verified
// in advance.
func TestDamagedFileOfThisProcess(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	cl.outputs = NewOutputs(0, 1)
	cl.writeMap(0, 0, 0, [][]rec{{{"k", strings.Repeat("v", inPlace)}}})
	cl.damage(0, 0, 100)
	cfg := cl.config(0, 1)
	cfg.LocalAddr, cfg.Outputs, cfg.Events = cl.addrs[0], cl.outputs, feed([]Completion{{Addr: cl.addrs[0]}})
	res, err := Run(context.Background(), cfg)
	require.NoError(t, err)
	for res.Next() {
		_, _ = res.Value()
	}
	require.ErrorIs(t, res.Err(), failure.Corrupt.Target())
	require.NoError(t, res.Close())
}

// TestIndexesInMemory checks that indexes beyond 32 MiB stay in their files.
func TestIndexesInMemory(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	cl.outputs = NewOutputs(0, 1)
	big := &sortio.Output{Path: "big", Index: make(sortio.Index, maxIndexes/32)}
	cl.outputs.Add(attempt(1, 0), big)
	require.NotNil(t, big.Index)
	cl.writeMap(0, 0, 0, [][]rec{{{"k", "v"}}})
	out, err := cl.outputs.get(attempt(0, 0))
	require.NoError(t, err)
	require.Nil(t, out.Index)
	cfg := cl.config(0, 1)
	cfg.Outputs = cl.outputs
	require.NoError(t, cfg.validate())
	f := newFetcher(&cfg, newStore(&cfg), nil)
	require.Nil(t, f.local(t.Context(), target{0, 0}))
	require.Len(t, f.store.mem, 1)
	require.NoError(t, os.Remove(out.Path))
	require.ErrorIs(t, f.local(t.Context(), target{0, 0}).err, failure.NotFound.Target())
	cl.outputs.Remove(attempt(1, 0))
	require.Zero(t, cl.outputs.indexes)
}
