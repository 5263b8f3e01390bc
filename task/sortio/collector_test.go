package sortio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bytesOrder orders keys as bytes.
type bytesOrder struct{}

func (bytesOrder) Compare(a, b []byte) int { return bytes.Compare(a, b) }
func (bytesOrder) Prefix(k []byte) uint64 {
	var p [8]byte
	copy(p[:], k)
	return binary.BigEndian.Uint64(p[:])
}

// exactOrder is bytesOrder with the declaration that only identical keys are equal. The collector
// then combines in the table.
type exactOrder struct{ bytesOrder }

func (exactOrder) Exact() bool { return true }

// deepOrder is a bytesOrder that can also return the bytes after a prefix.
type deepOrder struct{ bytesOrder }

func (deepOrder) PrefixAt(k []byte, skip int) uint64 {
	return bytesOrder{}.Prefix(k[min(skip, len(k)):])
}

// foldOrder ignores case, so different keys can be equal.
type foldOrder struct{}

func (foldOrder) Compare(a, b []byte) int { return bytes.Compare(bytes.ToLower(a), bytes.ToLower(b)) }
func (foldOrder) Prefix(k []byte) uint64  { return bytesOrder{}.Prefix(bytes.ToLower(k)) }

type tally struct {
	mu sync.Mutex
	v  [job.NumCounters]int64
}

func (t *tally) Inc(id job.CounterID, n int64) {
	t.mu.Lock()
	t.v[id] += n
	t.mu.Unlock()
}

type rec struct {
	part     int
	key, val string
}

// readOutput reads and verifies a map output.
func readOutput(t require.TestingT, out *Output, c codec.Codec) []rec {
	f, err := os.Open(out.Path)
	require.NoError(t, err)
	defer f.Close()
	index, err := ReadIndex(out.Path)
	require.NoError(t, err)
	require.Equal(t, out.Index, index)
	var got []rec
	for p, e := range index {
		m := NewMerger(bytesOrder{}, []Segment{{Src: f, Entry: e, Codec: c}}, 0)
		longest := 0
		for m.Next() {
			v, err := m.Value()
			require.NoError(t, err)
			got = append(got, rec{p, string(m.Key()), string(v)})
			longest = max(longest, len(m.Key()))
		}
		require.NoError(t, m.Err())
		require.EqualValues(t, longest, e.MaxKey, "partition %d", p)
	}
	return got
}

// reference sorts records by partition and key with a stable sort.
func reference(cmp mapreduce.Comparator, recs []rec) []rec {
	want := slices.Clone(recs)
	slices.SortStableFunc(want, func(a, b rec) int {
		if a.part != b.part {
			return a.part - b.part
		}
		return cmp.Compare([]byte(a.key), []byte(b.key))
	})
	return want
}

func codecs() []codec.Codec {
	out := []codec.Codec{nil}
	for _, name := range []string{"DefaultCodec", "GzipCodec", "ZStandardCodec"} {
		c, err := codec.ByClass(name)
		if err != nil {
			panic(err)
		}
		out = append(out, c)
	}
	return out
}

func scratch(t require.TestingT) string {
	dir, err := os.MkdirTemp("", "sortio")
	require.NoError(t, err)
	return dir
}

// drawRecords draws records with colliding keys. Some values are huge.
func drawRecords(t *rapid.T, parts int) []rec {
	word := rapid.OneOf(rapid.StringMatching(`[aAbB]{0,3}`), rapid.StringMatching(`(longprefix){1,4}[abAB\x00]{0,2}`),
		rapid.StringMatching(`[a-z]{0,12}`))
	n := rapid.IntRange(0, 3000).Draw(t, "records")
	seed := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rec {
		r := rec{part: rapid.IntRange(0, parts-1).Draw(t, "part"), key: word.Draw(t, "key")}
		size := rapid.SampledFrom([]int{0, 0, 0, 1, 7, 100, 5000, 200_000}).Draw(t, "size")
		r.val = string(bytes.Repeat([]byte{'v'}, size))
		return r
	}), 1, 40).Draw(t, "seed")
	recs := make([]rec, n)
	for i := range recs {
		recs[i] = seed[(i*7919)%len(seed)]
		if len(recs[i].val) > 1000 && i%97 != 0 {
			recs[i].val = ""
		}
		recs[i].val += fmt.Sprint(i)
	}
	return recs
}

func TestCollectorSortsLikeTheReference(t *testing.T) {
	all := codecs()
	rapid.Check(t, func(t *rapid.T) {
		dir := scratch(t)
		defer os.RemoveAll(dir)
		parts := rapid.SampledFrom([]int{1, 2, 3, 4, indexInMemory + 1}).Draw(t, "parts")
		cmp := rapid.SampledFrom([]mapreduce.Comparator{bytesOrder{}, deepOrder{}, foldOrder{}}).Draw(t, "cmp")
		c := rapid.SampledFrom(all).Draw(t, "codec")
		counters := &tally{}
		col, err := NewCollector(Config{Dir: dir, Partitions: parts, Cmp: cmp, Codec: c, Counters: counters,
			Buffer: rapid.SampledFrom([]int64{64 << 10, 100 << 10, 1 << 20}).Draw(t, "buffer"),
			Factor: rapid.IntRange(2, 5).Draw(t, "factor")})
		require.NoError(t, err)
		recs := drawRecords(t, parts)
		for _, r := range recs {
			require.NoError(t, col.Collect(r.part, []byte(r.key), []byte(r.val)))
		}
		out, err := col.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, reference(cmp, recs), append([]rec{}, readOutput(t, out, c)...))
		require.EqualValues(t, len(recs), counters.v[job.MapOutputRecords])
		size := 0
		for _, r := range recs {
			size += len(r.key) + len(r.val)
		}
		require.EqualValues(t, size, counters.v[job.MapOutputBytes])
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		require.Len(t, left, 1, "only the output may be left: %v", left)
	})
}

// joinCombiner is associative but not commutative. Its output depends on the order of values.
func joinCombiner(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	var all []byte
	for v := range values {
		all = append(all, v...)
	}
	return out.Emit(key, all)
}

func TestCombinerDoesNotChangeTheResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := scratch(t)
		defer os.RemoveAll(dir)
		parts := rapid.IntRange(1, 3).Draw(t, "parts")
		cmp := rapid.SampledFrom([]mapreduce.Comparator{bytesOrder{}, exactOrder{}, foldOrder{}}).Draw(t, "cmp")
		recs := drawRecords(t, parts)
		counters := &tally{}
		col, err := NewCollector(Config{Dir: dir, Partitions: parts, Cmp: cmp, Combine: joinCombiner, Counters: counters,
			Buffer:    rapid.SampledFrom([]int64{64 << 10, 1 << 20}).Draw(t, "buffer"),
			MinSpills: rapid.IntRange(1, 3).Draw(t, "minspills"),
			Factor:    rapid.IntRange(2, 5).Draw(t, "factor")})
		require.NoError(t, err)
		for _, r := range recs {
			require.NoError(t, col.Collect(r.part, []byte(r.key), []byte(r.val)))
		}
		out, err := col.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, joined(cmp, reference(cmp, recs)), joined(cmp, readOutput(t, out, nil)))
	})
}

// chattyCombiner adds an empty value after each value, so its output is longer than its input.
func chattyCombiner(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	for v := range values {
		for _, v := range [][]byte{v, nil} {
			if err := out.Emit(key, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestCombinerThatEmitsMore(t *testing.T) {
	for _, cmp := range []mapreduce.Comparator{bytesOrder{}, exactOrder{}} {
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 2, Cmp: cmp, Buffer: 64 << 10, Combine: chattyCombiner})
		require.NoError(t, err)
		var recs []rec
		for i := range 5000 {
			r := rec{i & 1, fmt.Sprint(i % 7), fmt.Sprint(i)}
			recs = append(recs, r)
			require.NoError(t, c.Collect(r.part, []byte(r.key), []byte(r.val)))
		}
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, joined(cmp, reference(cmp, recs)), joined(cmp, readOutput(t, out, nil)))
	}
}

// joined joins the values of equal keys under the first key.
func joined(cmp mapreduce.Comparator, recs []rec) []rec {
	var out []rec
	for _, r := range recs {
		if n := len(out); n > 0 && out[n-1].part == r.part && cmp.Compare([]byte(out[n-1].key), []byte(r.key)) == 0 {
			out[n-1].val += r.val
		} else {
			out = append(out, r)
		}
	}
	return out
}

func TestCollectorRefusals(t *testing.T) {
	dir := t.TempDir()
	base := Config{Dir: dir, Partitions: 1, Cmp: bytesOrder{}, Buffer: 64 << 10}
	for _, change := range []func(c *Config){
		func(c *Config) { c.Partitions = 0 },
		func(c *Config) { c.Partitions = MaxPartitions + 1 },
		func(c *Config) { c.Cmp = nil },
		func(c *Config) { c.Buffer = 64<<10 - 1 },
		func(c *Config) { c.Buffer = maxBuffer + 1 },
		func(c *Config) { c.SpillPercent = -0.1 },
		func(c *Config) { c.SpillPercent = 1.1 },
		func(c *Config) { c.Factor = 1 },
	} {
		c := base
		change(&c)
		_, err := NewCollector(c)
		require.ErrorIs(t, err, failure.Config.Target())
	}
	for _, buffer := range []int64{64 << 10, maxBuffer} {
		ends := Config{Partitions: MaxPartitions, Cmp: bytesOrder{}, Buffer: buffer, SpillPercent: 1, Factor: 2,
			MaxRecord: 1}
		require.NoError(t, ends.validate())
		require.EqualValues(t, min(buffer, math.MaxInt32), ends.MaxRecord, "a record that fits the buffer")
	}
	base.MaxRecord = 100_000
	c, err := NewCollector(base)
	require.NoError(t, err)
	err = c.Collect(1, nil, nil)
	require.ErrorIs(t, err, failure.User.Target())
	require.ErrorContains(t, err, "want 0 to 0")
	require.NoError(t, c.Collect(0, []byte("k"), make([]byte, 99_999)))
	err = c.Collect(0, []byte("k"), make([]byte, 100_000))
	require.ErrorIs(t, err, failure.RecordTooLarge.Target())
	require.ErrorContains(t, err, "collected as number 2")
	_, err = c.Close(context.Background())
	require.ErrorIs(t, err, failure.RecordTooLarge.Target())
	c.Abort()
	require.ErrorIs(t, c.Collect(0, nil, nil), failure.RecordTooLarge.Target(), "the first error stays")
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	require.Empty(t, left)
}

func TestCollectorIsClosed(t *testing.T) {
	for _, cmp := range []mapreduce.Comparator{bytesOrder{}, exactOrder{}} {
		cfg := Config{Dir: t.TempDir(), Partitions: 1, Cmp: cmp, Buffer: 64 << 10, Combine: joinCombiner}
		c, err := NewCollector(cfg)
		require.NoError(t, err)
		require.NoError(t, c.Collect(0, []byte("a"), nil))
		_, err = c.Close(context.Background())
		require.NoError(t, err)
		require.ErrorIs(t, c.Collect(0, nil, nil), failure.Internal.Target())
		_, err = c.Close(context.Background())
		require.ErrorIs(t, err, failure.Internal.Target())

		cfg.Dir = t.TempDir()
		c, err = NewCollector(cfg)
		require.NoError(t, err)
		require.NoError(t, c.Collect(0, []byte("a"), nil))
		c.Abort()
		c.Abort()
		require.ErrorIs(t, c.Collect(0, nil, nil), failure.Killed.Target())
		left, _ := os.ReadDir(cfg.Dir)
		require.Empty(t, left)
	}
}

func TestCombinerMustKeepKey(t *testing.T) {
	for _, cmp := range []mapreduce.Comparator{bytesOrder{}, exactOrder{}} {
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: cmp, Buffer: 64 << 10,
			Combine: func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
				return out.Emit([]byte{255 - key[0]}, nil)
			}})
		require.NoError(t, err)
		require.NoError(t, c.Collect(0, []byte("a"), nil))
		require.NoError(t, c.Collect(0, []byte("a"), nil))
		_, err = c.Close(context.Background())
		require.ErrorIs(t, err, failure.User.Target())
	}
}

// addCombiner adds eight-byte numbers. addInPlace stores the sum in the memory of the first number
// and sometimes returns false.
func addCombiner(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	var sum uint64
	for v := range values {
		sum += binary.BigEndian.Uint64(v)
	}
	return out.Emit(key, binary.BigEndian.AppendUint64(nil, sum))
}

func addInPlace(acc, value []byte) bool {
	a, b := binary.BigEndian.Uint64(acc), binary.BigEndian.Uint64(value)
	if b%7 == 0 {
		return false
	}
	binary.BigEndian.PutUint64(acc, a+b)
	return true
}

func TestSumsAreRight(t *testing.T) {
	for _, inPlace := range []func(acc, value []byte) bool{nil, addInPlace} {
		for _, buffer := range []int64{64 << 10, 256 << 10, 4 << 20} {
			dir := t.TempDir()
			counters := &tally{}
			c, err := NewCollector(Config{Dir: dir, Partitions: 3, Cmp: exactOrder{}, Combine: addCombiner,
				CombineInPlace: inPlace, Buffer: buffer, Counters: counters})
			require.NoError(t, err)
			want := map[string]uint64{}
			rnd := rand.New(rand.NewPCG(1, 2))
			const n = 100_000
			for range n {
				word := fmt.Sprintf("w%d", int(rnd.ExpFloat64()*300))
				x := rnd.Uint64N(1000)
				want[word] += x
				require.NoError(t, c.Collect(len(word)%3, []byte(word), binary.BigEndian.AppendUint64(nil, x)))
			}
			out, err := c.Close(context.Background())
			require.NoError(t, err)
			got := map[string]uint64{}
			last := rec{}
			for _, r := range readOutput(t, out, nil) {
				require.True(t, last.part < r.part || last.key < r.key, "one record a key, in order")
				last = r
				got[r.key] = binary.BigEndian.Uint64([]byte(r.val))
			}
			require.Equal(t, want, got)
			require.EqualValues(t, n, counters.v[job.MapOutputRecords])
			if buffer == 4<<20 {
				require.EqualValues(t, n, counters.v[job.CombineInputRecords])
				require.EqualValues(t, len(want), counters.v[job.CombineOutputRecords])
				require.EqualValues(t, len(want), counters.v[job.SpilledRecords])
			}
		}
	}
}

// TestRareKeysLeaveTheTable checks that keys that do not repeat leave the table at the first spill,
// and that keys that repeat stay.
func TestRareKeysLeaveTheTable(t *testing.T) {
	for keys, stays := range map[int]bool{1 << 30: false, 50: true} {
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{}, Combine: joinCombiner,
			Buffer: 64 << 10})
		require.NoError(t, err)
		for i := 0; len(c.spills) == 0; i++ {
			require.NoError(t, c.Collect(0, fmt.Append(nil, i%keys), []byte("value")))
		}
		require.Equal(t, stays, c.table != nil)
		c.Abort()
	}
}

// The stage holds up to 32 records of up to 4 KiB together. A larger record goes to the table at
// once. No record is lost or cut.
func TestStageFills(t *testing.T) {
	many := make([]int, stageRecords+1)
	for _, x := range []struct{ sizes, want []int }{ // want are the staged records and bytes
		{many[:2], []int{2, 0}},
		{many[:stageRecords], []int{stageRecords, 0}},
		{many, []int{1, 0}},
		{[]int{stageBytes - 1, 1}, []int{2, stageBytes}},
		{[]int{stageBytes - 1, 2}, []int{1, 2}},
		{[]int{1, stageBytes}, []int{1, stageBytes}},
		{[]int{1, stageBytes + 1}, []int{0, 0}},
	} {
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{}, Combine: joinCombiner,
			Buffer: 64 << 10})
		require.NoError(t, err)
		all := ""
		for i, n := range x.sizes {
			value := strings.Repeat(string('a'+rune(i%26)), n)
			require.NoError(t, c.Collect(0, nil, []byte(value)))
			all += value
		}
		require.Equal(t, x.want, []int{c.stage.n, c.stage.used}, "%v", x.sizes)
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, []rec{{val: all}}, readOutput(t, out, nil), "%v", x.sizes)
	}
}

// A merge takes the adjacent spills with the smallest total size, the first among equals.
func TestCheapestSpills(t *testing.T) {
	for _, x := range []struct {
		sizes   []int64
		n, want int
	}{{[]int64{5, 1, 1}, 2, 1}, {[]int64{1, 1, 5}, 2, 0}, {[]int64{1, 9, 0, 3, 4}, 3, 2}, {[]int64{2, 2, 2}, 2, 0},
		{[]int64{9, 1}, 2, 0}, {[]int64{0, 0, 0}, 2, 0}} {
		var spills []*spill
		for _, n := range x.sizes {
			spills = append(spills, &spill{size: n})
		}
		require.Equal(t, x.want, cheapest(spills, x.n), "%+v", x)
	}
}

// TestCountersDuringCollect checks that the counters follow the records in steps of 4096, and that an
// error says which record it is about.
func TestCountersDuringCollect(t *testing.T) {
	counters := &tally{}
	c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Buffer: 1 << 20, MaxRecord: 1 << 20,
		Counters: counters})
	require.NoError(t, err)
	for range 4095 {
		require.NoError(t, c.Collect(0, []byte("k"), []byte("vv")))
	}
	require.Zero(t, counters.v[job.MapOutputRecords])
	require.NoError(t, c.Collect(0, []byte("k"), []byte("vv")))
	require.EqualValues(t, 4096, counters.v[job.MapOutputRecords])
	require.EqualValues(t, 4096*3, counters.v[job.MapOutputBytes])
	require.NoError(t, c.Collect(0, make([]byte, 256<<10), nil), "a quarter of MaxRecord")
	err = c.Collect(0, make([]byte, 256<<10+1), nil)
	require.ErrorIs(t, err, failure.RecordTooLarge.Target())
	require.ErrorContains(t, err, "collected as number 4098")
	c.Abort()
}

// fill collects records with the given key until there are n spills, at least one record. It
// returns the number of records, the last of which is not in a spill.
func fill(t *testing.T, c *Collector, n int, key []byte) (records int64) {
	for ok := true; ok; ok = len(c.spills) < n {
		require.NoError(t, c.Collect(0, key, []byte("value")))
		records++
	}
	return records
}

// TestPassesOfAMerge checks the numbers of files that a collector writes and reads. The buffer's
// content takes part in the last merge without a spill, and no merge exceeds the factor.
func TestPassesOfAMerge(t *testing.T) {
	for name, x := range map[string]struct {
		change                func(*Config)
		spills                int
		writes, reads, copies int64 // copies is the number of times that most records are written
	}{
		"one spill":        {func(*Config) {}, 0, 1, 0, 1},
		"one merge":        {func(*Config) {}, 2, 3, 2, 2},
		"as many runs":     {func(c *Config) { c.Factor = 3 }, 2, 3, 2, 2},
		"pairs":            {func(c *Config) { c.Factor = 2 }, 4, 8, 7, 0},
		"runs are spilled": {func(c *Config) { c.CombineRun = addRun }, 2, 4, 3, 0},
	} {
		counters := &tally{}
		cfg := Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Buffer: 64 << 10, Counters: counters}
		x.change(&cfg)
		c, err := NewCollector(cfg)
		require.NoError(t, err)
		n := int64(0)
		for ok := true; ok; ok = len(c.spills) < x.spills {
			require.NoError(t, c.Collect(0, []byte("key"), one))
			n++
		}
		for i, s := range c.spills {
			require.Equal(t, filepath.Join(cfg.Dir, fmt.Sprintf("spill%d.out", i)), s.path)
		}
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, x.writes, counters.v[job.FileWriteOps], name)
		require.Equal(t, x.reads, counters.v[job.FileReadOps], name)
		if x.copies > 0 {
			require.Equal(t, x.copies*n-(x.copies-1), counters.v[job.SpilledRecords], name)
		}
		st, err := os.Stat(out.Path)
		require.NoError(t, err)
		index := int64(len(out.Index)*entrySize + indexTail)
		require.Equal(t, st.Size()-index, counters.v[job.MapOutputMaterializedBytes], name)
	}
}

// TestLonelyLargeRecord checks that a single record that is larger than the buffer is written only
// once.
func TestLonelyLargeRecord(t *testing.T) {
	for name, cfg := range map[string]Config{
		"buffer":      {Cmp: bytesOrder{}},
		"table":       {Cmp: exactOrder{}, Combine: joinCombiner},
		"combine run": {Cmp: bytesOrder{}, CombineRun: addRun},
	} {
		counters := &tally{}
		cfg.Dir, cfg.Partitions, cfg.Buffer, cfg.Counters = t.TempDir(), 1, 64<<10, counters
		c, err := NewCollector(cfg)
		require.NoError(t, err)
		require.NoError(t, c.Collect(0, []byte("k"), make([]byte, 100_000)))
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		require.Len(t, readOutput(t, out, nil), 1)
		require.EqualValues(t, 1, counters.v[job.FileWriteOps], name)
	}
}

// TestMergesCombineManySpills checks that a merge combines again if it reads at least MinSpills runs,
// of which the buffer is one. The default is 3.
func TestMergesCombineManySpills(t *testing.T) {
	for _, x := range []struct {
		min, spills int
		combined    bool
	}{{3, 2, true}, {4, 2, false}, {0, 2, true}, {0, 1, false}, {2, 1, true}} {
		counters := &tally{}
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Combine: joinCombiner,
			MinSpills: x.min, Buffer: 64 << 10, Counters: counters})
		require.NoError(t, err)
		n := fill(t, c, x.spills, []byte("key"))
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		spills := int64(x.spills)
		left, read, written := spills+1, n-1, spills
		if x.combined { // each spill's record and that of the buffer become one
			left, read, written = 1, read+spills+1, written+1
		}
		require.Len(t, readOutput(t, out, nil), int(left), "%+v", x)
		require.Equal(t, read, counters.v[job.CombineInputRecords], "%+v", x)
		require.Equal(t, written, counters.v[job.CombineOutputRecords], "%+v", x)
	}
}

// TestFactorForHugeKeys checks that a merge reads only as many runs as its memory has room for their
// keys and for the key of a group, but at least two. Small keys do not count.
func TestFactorForHugeKeys(t *testing.T) {
	for _, x := range []struct{ key, room, want int64 }{
		{smallKey, 0, 10}, {100_000, 0, 2}, {100_000, 600_000, 5}, {100_000, 599_999, 4}, {100_000, 9_000_000, 10},
	} {
		c := &Collector{cfg: Config{Factor: 10}, spills: []*spill{{maxKey: 1}, {maxKey: x.key}, {maxKey: 2}}}
		require.EqualValues(t, x.want, c.factor(x.room), "%+v", x)
	}
}

// TestHugeKeysReplaceTheBuffer checks a merge for which huge keys leave too little memory outside
// the buffer. The merge first spills and frees the buffer, so that a single pass is enough.
func TestHugeKeysReplaceTheBuffer(t *testing.T) {
	for _, x := range []struct {
		buffer        int64
		spills        int
		writes, reads int64
	}{
		{400 << 10, 1, 2, 1}, // the merge of one spill and the buffer has enough memory
		{400 << 10, 2, 4, 3},
		{64 << 10, 5, 6, 5}, // each key is a spill, so the buffer is empty
	} {
		counters := &tally{}
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Buffer: x.buffer,
			MaxRecord: 1_000_000, Counters: counters})
		require.NoError(t, err)
		n := fill(t, c, x.spills, make([]byte, 150_000))
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		require.Len(t, readOutput(t, out, nil), int(n))
		require.Equal(t, x.writes, counters.v[job.FileWriteOps], "%+v", x)
		require.Equal(t, x.reads, counters.v[job.FileReadOps], "%+v", x)
	}
}

// TestFrameSizes checks that frames are smaller than usual only if the full frames of a merge would
// need more than half as much memory as the buffer.
func TestFrameSizes(t *testing.T) {
	for _, x := range []struct {
		buffer int64
		factor int
		want   int
	}{{64 << 10, 10, minFrameSize}, {1 << 20, 3, 64 << 10}, {100 << 20, 10, frameSize}} {
		require.Equal(t, x.want, (&Config{Buffer: x.buffer, Factor: x.factor}).frame(), "%+v", x)
	}
}

// TestCloseIsCancelled checks that Close fails with its context and leaves no file.
func TestCloseIsCancelled(t *testing.T) {
	dir := t.TempDir()
	c, err := NewCollector(Config{Dir: dir, Partitions: 1, Cmp: bytesOrder{}, Buffer: 64 << 10})
	require.NoError(t, err)
	require.NoError(t, c.Collect(0, nil, nil))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = c.Close(ctx)
	require.ErrorIs(t, err, failure.Killed.Target())
	left, _ := os.ReadDir(dir)
	require.Empty(t, left)
}

// TestCompressionFails checks that Close reports an error of the codec.
func TestCompressionFails(t *testing.T) {
	bad := errors.New("jammed")
	c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Buffer: 64 << 10,
		Codec: fakeCodec{pack: func([]byte) ([]byte, error) { return nil, bad }}})
	require.NoError(t, err)
	require.NoError(t, c.Collect(0, nil, nil))
	_, err = c.Close(context.Background())
	require.ErrorIs(t, err, bad)
}

// TestIndexesOfSpills checks that the indexes of spills with many partitions do not stay in memory.
func TestIndexesOfSpills(t *testing.T) {
	for n, inFile := range map[int]bool{indexInMemory: false, indexInMemory + 1: true} {
		path := filepath.Join(t.TempDir(), "spill")
		x := writeSegments(t, path, WriterConfig{}, make([][]rec, n)...)
		s := newSpill(path, x)
		require.Equal(t, inFile, s.index == nil)
		got, err := s.load()
		require.NoError(t, err)
		require.Equal(t, x, got)
	}
}

// TestFramesOfASpill checks that a spill fills its frames, whatever the sizes of the records.
func TestFramesOfASpill(t *testing.T) {
	cfg := Config{Dir: t.TempDir(), Partitions: 1, Cmp: bytesOrder{}, Buffer: 4 << 20}
	c, err := NewCollector(cfg)
	require.NoError(t, err)
	for i := range 2000 {
		require.NoError(t, c.Collect(0, []byte("key"), make([]byte, i)))
	}
	frame := int64(c.cfg.frame())
	out, err := c.Close(context.Background())
	require.NoError(t, err)
	e := out.Index[0]
	require.Greater(t, e.Raw, int64(maxFrame), "more than a reader accepts in one frame")
	require.Equal(t, (e.Raw+frame-1)/frame*frameHeader, e.Part-e.Raw)
	require.Len(t, readOutput(t, out, nil), 2000)
}
