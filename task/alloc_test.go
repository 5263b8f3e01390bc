package task

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
)

// TestAllocNothingPerRecord compares a small and a large input. The number of allocations must not
// grow with the number of records or groups.
func TestAllocNothingPerRecord(t *testing.T) {
	j := &mapreduce.Job{Name: "j", Combiner: mapreduce.Sum[int32](), Reducer: mapreduce.Sum[int32](), Mapper: mapper(
		func(_ *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
			for w := range bytes.FieldsSeq(line) {
				out.Emit(w, 1)
			}
			return nil
		})}
	const lines, words = 20_000, 5
	allocs := func(n int) uint64 {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "to be or not %d\n", i)
		}
		b := newBench(t, j, text.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := b.runMap(context.Background(), 1)
		require.NoError(t, err)
		_, err = b.runReduce(context.Background())
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	allocs(1)
	small, large := allocs(1), allocs(lines)
	require.Less(t, float64(large)-float64(small), 0.01*lines*words, "allocations: %d of a line, %d of %d lines", small,
		large, lines)
}
