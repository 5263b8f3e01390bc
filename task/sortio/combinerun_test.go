package sortio

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// addRun adds up the numbers of each key and emits the sums in arbitrary order, as a process that
// keeps them in a hash table would.
func addRun(records iter.Seq2[[]byte, []byte], out mapreduce.Emitter) error {
	sums := map[string]uint64{}
	last := ""
	for key, value := range records {
		if string(key) < last {
			return fmt.Errorf("%q behind %q", key, last)
		}
		last = string(key)
		sums[last] += binary.BigEndian.Uint64(value)
	}
	for key, sum := range sums {
		if err := out.Emit([]byte(key), binary.BigEndian.AppendUint64(nil, sum)); err != nil {
			return err
		}
	}
	return nil
}

func TestCombinedRunsAreRightAndInOrder(t *testing.T) {
	for _, buffer := range []int64{64 << 10, 4 << 20} {
		counters := &tally{}
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 3, Cmp: exactOrder{}, CombineRun: addRun, Buffer: buffer,
			MaxRecord: 8 << 20, Counters: counters})
		require.NoError(t, err)
		want, got := map[string]uint64{}, map[string]uint64{}
		rnd := rand.New(rand.NewPCG(1, 2))
		const n = 50_000
		for range n {
			word := fmt.Sprintf("w%d", int(rnd.ExpFloat64()*300))
			want[word]++
			require.NoError(t, c.Collect(len(word)%3, []byte(word), binary.BigEndian.AppendUint64(nil, 1)))
		}
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		last := rec{}
		for _, r := range readOutput(t, out, nil) {
			require.True(t, last.part < r.part || last.part == r.part && last.key <= r.key, "%v, then %v", last, r)
			last = r
			got[r.key] += binary.BigEndian.Uint64([]byte(r.val))
		}
		require.Equal(t, want, got)
		require.EqualValues(t, n, counters.v[job.CombineInputRecords], "every record is combined once, the last buffer's too")
		if buffer == 4<<20 {
			require.EqualValues(t, len(want), counters.v[job.CombineOutputRecords])
		}
	}
}

func TestCombinedRunHasALimit(t *testing.T) {
	c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Buffer: 1 << 20, MaxRecord: 2 << 20,
		Counters: &tally{},
		CombineRun: func(_ iter.Seq2[[]byte, []byte], out mapreduce.Emitter) error {
			for range 3 {
				if err := out.Emit([]byte("k"), make([]byte, 1<<20)); err != nil {
					return err
				}
			}
			return nil
		}})
	require.NoError(t, err)
	require.NoError(t, c.Collect(0, []byte("k"), nil))
	_, err = c.Close(context.Background())
	require.True(t, failure.Is(err, failure.RecordTooLarge), "%v", err)
	c.Abort()
}

// TestRoomForTheFirstValue checks that the table reserves room for growth of a new key's values,
// unless values are combined in place.
func TestRoomForTheFirstValue(t *testing.T) {
	for name, c := range map[string]struct {
		inPlace func(acc, value []byte) bool
		value   int
		space   int
	}{"grows": {nil, 3, firstSpace}, "large": {nil, 100, 101}, "in place": {addInPlace, 3, 4}} {
		buf := newBuffer(1<<20, 1, 1)
		tab := newTable(buf, &Config{CombineInPlace: c.inPlace})
		ok, err := tab.add(1, 0, []byte("key"), make([]byte, c.value))
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, blockHead+recordSize(3, 0)+c.space, buf.used, name)
	}
}

func TestCombinedRunAtItsLimit(t *testing.T) {
	r := combinedRun{limit: 5, cmp: bytesOrder{}}
	require.NoError(t, r.Emit([]byte("k"), make([]byte, 4)))
	require.Error(t, r.Emit(nil, make([]byte, 1)))
	require.Error(t, r.Emit([]byte("k"), nil))
}
