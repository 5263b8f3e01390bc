package sortio

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
)

// readMemory returns the records of an output in memory.
func readMemory(t *testing.T, out *Output) []rec {
	var got []rec
	for p := range out.Index {
		m := NewMerger(bytesOrder{}, []Segment{{Data: out.Segment(p)}}, 0)
		for m.Next() {
			v, err := m.Value()
			require.NoError(t, err)
			got = append(got, rec{p, string(m.Key()), string(v)})
		}
		require.NoError(t, m.Err())
	}
	return got
}

// TestOutputsInARoom checks that an output stays in memory if the room is large enough for its records,
// with or without spills and combiner, that it leaves the memory that it does not use to the room, and
// that Abort gives the rest back. The output is not counted as written.
func TestOutputsInARoom(t *testing.T) {
	gzip, err := codec.ByClass("GzipCodec")
	require.NoError(t, err)
	for name, x := range map[string]struct {
		cfg            Config
		records, value int
		short          int // number of bytes by which the room is too small
		file           bool
	}{
		"sorted once":    {Config{}, 100, 100, 0, false},
		"too small":      {Config{}, 100, 100, 1, true},
		"spilled":        {Config{Buffer: 64 << 10}, 3000, 100, 0, false},
		"spills too big": {Config{Buffer: 64 << 10}, 3000, 100, 1, true},
		"compressed":     {Config{Codec: gzip}, 100, 100, 0, true},
		"combined":       {Config{Combine: joinCombiner}, 100, 100, 0, false},
		"table":          {Config{Cmp: exactOrder{}, Combine: joinCombiner}, 100, 1, -64 << 10, false},
		"no records":     {Config{}, 0, 0, 0, false},
		"many parts":     {Config{Partitions: indexInMemory + 1}, 100, 100, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, count := x.cfg, &tally{}
			cfg.Dir, cfg.Counters = filepath.Join(t.TempDir(), "made"), count
			cfg.Buffer, cfg.Partitions = cmp.Or(cfg.Buffer, 1<<20), max(cfg.Partitions, 3)
			if cfg.Cmp == nil {
				cfg.Cmp = bytesOrder{}
			}
			size := int64(x.records*(2+5+x.value) + entrySize*cfg.Partitions - x.short)
			cfg.Room = NewRoom(size)
			c, err := NewCollector(cfg)
			require.NoError(t, err)
			var recs []rec
			for i := range x.records {
				r := rec{i % 3, fmt.Sprintf("%05d", i*7919%100_000), strings.Repeat("v", x.value)}
				recs = append(recs, r)
				require.NoError(t, c.Collect(r.part, []byte(r.key), []byte(r.val)))
			}
			out, err := c.Close(t.Context())
			require.NoError(t, err)
			if x.file {
				require.Equal(t, reference(bytesOrder{}, recs), readOutput(t, out, cfg.Codec))
				require.Equal(t, size, cfg.Room.free.Load())
				return
			}
			require.Empty(t, out.Path)
			require.Equal(t, reference(bytesOrder{}, recs), readMemory(t, out))
			require.EqualValues(t, len(out.Data), count.v[job.MapOutputMaterializedBytes])
			require.Equal(t, size, cfg.Room.free.Load()+out.Memory())
			require.LessOrEqual(t, cap(out.Data)*4, len(out.Data)*5)
			if cfg.Buffer == 1<<20 {
				require.Zero(t, count.v[job.SpilledRecords]+count.v[job.FileBytesWritten]+count.v[job.FileWriteOps])
				require.NoDirExists(t, cfg.Dir)
			} else {
				require.Less(t, count.v[job.SpilledRecords], int64(x.records), "only the spills")
				left, err := os.ReadDir(cfg.Dir)
				require.NoError(t, err)
				require.Empty(t, left)
			}
			c.Abort()
			c.Abort()
			require.Equal(t, size, cfg.Room.free.Load())
		})
	}
}
