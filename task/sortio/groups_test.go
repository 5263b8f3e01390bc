package sortio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// byteOrder is a grouping comparator that compares only the first byte.
type byteOrder struct{}

func (byteOrder) Compare(a, b []byte) int { return bytes.Compare(a[:1], b[:1]) }
func (byteOrder) Prefix(k []byte) uint64  { return uint64(k[0]) << 56 }

// encode returns records in their in-memory encoding.
func encode(tagged bool, recs ...rec) []byte {
	var b []byte
	for _, r := range recs {
		if tagged {
			b = append(b, byte(r.part))
		}
		one := make([]byte, recordSize(len(r.key), len(r.val)))
		putRecord(one, []byte(r.key), []byte(r.val))
		b = append(b, one...)
	}
	return b
}

func TestGroupsOfASecondarySort(t *testing.T) {
	data := encode(false, rec{0, "a1", "x"}, rec{0, "a2", "y"}, rec{0, "a2", "z"}, rec{0, "b0", "u"}, rec{0, "c1", "v"},
		rec{0, "c2", "w"})
	var seen []string
	keyNow := ""
	g := NewGroups(NewMerger(bytesOrder{}, []Segment{{Data: data}}, 0), byteOrder{}, func(k []byte) { keyNow = string(k) })
	for g.Next() {
		line := string(g.Key()) + ":"
		for v := range g.Values() {
			line += " " + keyNow + string(v)
			if keyNow == "c1" {
				break // skips the rest
			}
		}
		for range g.Values() {
			if keyNow != "c2" {
				t.Error("values can be ranged over once")
			}
			break
		}
		seen = append(seen, line)
	}
	require.NoError(t, g.Err())
	require.Equal(t, []string{"a1: a1x a2y a2z", "b0: b0u", "c1: c1v"}, seen)
	require.EqualValues(t, 3, g.Groups())
	require.EqualValues(t, 6, g.Records())
}

// A huge key is the memory of the reader, which remains as it is while the group and its caller use it.
func TestHugeKeysOfGroupsAreNotCopied(t *testing.T) {
	huge := func(start string) string { return start + strings.Repeat("x", 2*maxFrame) }
	recs := []rec{{key: huge("a1")}, {key: huge("a2")}, {key: huge("a3")}, {key: "b1"},
		{key: huge("c1")}, {key: "d1"}, {key: "d2"}}
	path := filepath.Join(t.TempDir(), "f")
	x := writeSegments(t, path, WriterConfig{Frame: minFrameSize}, recs)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	data := encode(false, recs...)
	for _, s := range []Segment{{Src: f, Entry: x[0]}, {Data: bytes.Clone(data)}} {
		m := NewMerger(bytesOrder{}, []Segment{s}, 0)
		g := NewGroups(m, byteOrder{}, nil)
		var kept [][]byte
		for g.Next() {
			if len(g.Key()) > maxFrame {
				require.Same(t, &m.Key()[0], &g.Key()[0])
			}
			first := bytes.Clone(g.Key()[:2])
			kept = append(kept, g.Key())
			for range g.Values() {
				require.Equal(t, first[0], m.Key()[0])
				require.Equal(t, first, g.Key()[:2]) // the key does not change with the values
			}
		}
		require.NoError(t, g.Err())
		require.Len(t, kept, 4)
		require.True(t, string(kept[0]) == huge("a1") && string(kept[2]) == huge("c1"))
		require.True(t, s.Data == nil || bytes.Equal(data, s.Data))
	}
}

func TestGroupsThatNobodyReads(t *testing.T) {
	data := encode(false, rec{0, "a", "1"}, rec{0, "a", "2"}, rec{0, "b", "3"})
	g := NewGroups(NewMerger(bytesOrder{}, []Segment{{Data: data}}, 0), nil, nil)
	var keys []string
	for g.Next() {
		keys = append(keys, string(g.Key()))
	}
	require.Equal(t, []string{"a", "b"}, keys)
	require.EqualValues(t, 3, g.Records())
}

func TestGroupsStopAtAnError(t *testing.T) {
	data := encode(false, rec{0, "a", "1"}, rec{0, "a", "2"}, rec{0, "b", "3"})
	g := NewGroups(NewMerger(bytesOrder{}, []Segment{{Data: data[:len(data)-1]}}, 0), nil, nil)
	n := 0
	for g.Next() {
		for range g.Values() {
			n++
		}
	}
	require.ErrorIs(t, g.Err(), failure.Corrupt.Target())
	require.Equal(t, 2, n)
}

// TestMergeOrderDoesNotDependOnTheRuns checks that the merged sequence does not depend on how
// records are spread over runs, tagged or untagged, in memory or on disk.
func TestMergeOrderDoesNotDependOnTheRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := scratch(t)
		defer os.RemoveAll(dir)
		maps := rapid.IntRange(0, 9).Draw(t, "maps")
		var all []rec
		byMap := make([][]rec, maps)
		for m := range byMap {
			for i := range rapid.IntRange(0, 20).Draw(t, "records") {
				r := rec{m, rapid.StringMatching(`[ab]{0,2}`).Draw(t, "key"), fmt.Sprintf("%d.%d", m, i)}
				byMap[m] = append(byMap[m], r)
			}
			byMap[m] = reference(bytesOrder{}, byMap[m])
			all = append(all, byMap[m]...)
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b rec) int { return cmp.Compare(a.key, b.key) })

		// Some maps keep their own run. The others are mixed into tagged runs.
		var segs []Segment
		mixed := make([][]rec, 3)
		for _, r := range want {
			if where := (r.part * 5) % 7; where < len(mixed) {
				mixed[where] = append(mixed[where], r)
			}
		}
		path := filepath.Join(dir, "runs")
		x := writeSegments(t, path, WriterConfig{Tagged: true, Frame: 64}, mixed...)
		f, err := os.Open(path)
		require.NoError(t, err)
		for i := range mixed {
			if rapid.Bool().Draw(t, "in memory") {
				segs = append(segs, Segment{Data: encode(true, mixed[i]...), Tagged: true})
			} else {
				segs = append(segs, Segment{Src: f, Entry: x[i], Tagged: true})
			}
		}
		for m := range byMap {
			if (m*5)%7 >= len(mixed) {
				segs = append(segs, Segment{Data: encode(false, byMap[m]...), Tag: uint32(m)})
			}
		}
		segs = rapid.Permutation(segs).Draw(t, "order")
		m := NewMerger(bytesOrder{}, segs, 0, f)
		var got []rec
		for m.Next() {
			v, err := m.Value()
			require.NoError(t, err)
			got = append(got, rec{int(m.Tag()), string(m.Key()), string(v)})
		}
		require.NoError(t, m.Err())
		require.NoError(t, m.Close())
		require.Equal(t, append([]rec{}, want...), append([]rec{}, got...))
	})
}

func TestRunsWithTheSameTagKeepTheirOrder(t *testing.T) {
	var segs []Segment
	for i := range 9 {
		segs = append(segs, Segment{Data: encode(false, rec{0, "k", fmt.Sprint(i)}, rec{0, "k", fmt.Sprint(i, "b")})})
	}
	m := NewMerger(bytesOrder{}, segs, 0)
	for i := range 9 {
		for _, want := range []string{fmt.Sprint(i), fmt.Sprint(i, "b")} {
			require.True(t, m.Next())
			v, err := m.Value()
			require.NoError(t, err)
			require.Equal(t, want, string(v))
		}
	}
	require.False(t, m.Next())
}

func TestFirstPassMakesLaterOnesFull(t *testing.T) {
	for factor := 2; factor < 12; factor++ {
		for runs := range 200 {
			left := runs
			for n := FirstPass(runs, factor); left > factor; n = factor {
				require.True(t, n >= 2 && n <= factor)
				left -= n - 1
			}
			if runs > factor {
				require.Equal(t, factor, left)
			}
		}
	}
}

// TestNothingIsAllocatedPerRecord checks that collecting, sorting, combining, merging, and grouping
// make no allocations per record.
func TestNothingIsAllocatedPerRecord(t *testing.T) {
	dir := t.TempDir()
	words := zipfWords(200_000)
	small := zipfWords(20_000)
	for name, cfg := range map[string]Config{
		"plain":    {Cmp: bytesOrder{}},
		"combined": {Cmp: bytesOrder{}, Combine: sumCombiner()},
		"table":    {Cmp: exactOrder{}, Combine: sumCombiner()},
		"in place": {Cmp: exactOrder{}, Combine: sumCombiner(),
			CombineInPlace: mapreduce.Sum[int]().New().(mapreduce.InPlaceCombiner).CombineInPlace},
	} {
		cfg.Dir, cfg.Partitions, cfg.Buffer = dir, 2, 64<<10
		run := func(words []byte) func() {
			return func() {
				c, err := NewCollector(cfg)
				require.NoError(t, err)
				eachWord(words, func(key []byte) {
					if err := c.Collect(int(key[1])&1, key, one); err != nil {
						t.Fatal(err)
					}
				})
				out, err := c.Close(context.Background())
				require.NoError(t, err)
				groupAll(t, out)
				c.Abort()
			}
		}
		few, many := testing.AllocsPerRun(3, run(small)), testing.AllocsPerRun(3, run(words))
		// Spills, merges, and their files need some allocations. Another 26,000 records must not
		// add one each.
		require.Less(t, many-few, 1500.0, name)
	}
}

// nothing discards a value. It replaces a range loop, because a loop over an iterator that the
// compiler cannot inline would allocate the loop's body.
func nothing([]byte) bool { return true }

func groupAll(t *testing.T, out *Output) {
	f, err := os.Open(out.Path)
	require.NoError(t, err)
	for _, e := range out.Index {
		g := NewGroups(NewMerger(bytesOrder{}, []Segment{{Src: f, Entry: e}}, 0), nil, nil)
		for g.Next() {
			g.Values()(nothing)
		}
		require.NoError(t, g.Err())
	}
	require.NoError(t, f.Close())
}

// TestMergeOfNothing checks that a merger without runs ends at once.
func TestMergeOfNothing(t *testing.T) {
	m := NewMerger(bytesOrder{}, nil, 0)
	require.False(t, m.Next())
	require.NoError(t, m.Err())
}

type closer func() error

func (c closer) Close() error { return c() }

// TestCloseOfAMerger checks that Close closes all sources and returns their first error, and that the
// merger then has no more records.
func TestCloseOfAMerger(t *testing.T) {
	closed := 0
	source := func(err error) closer {
		return func() error {
			closed++
			return err
		}
	}
	first := errors.New("first")
	data := encode(false, rec{0, "k", "v"})
	m := NewMerger(bytesOrder{}, []Segment{{Data: data}}, 0, source(nil), source(first), source(errors.New("second")))
	require.Equal(t, first, m.Close())
	require.Equal(t, 3, closed)
	require.False(t, m.Next())
}

// TestDamagedKeyIsNotCompared checks that a comparator does not get a key whose rest is damaged. It
// may fail for parts of keys: byteOrder panics for an empty key.
func TestDamagedKeyIsNotCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	x := writeSegments(t, path, WriterConfig{Frame: 16}, []rec{{key: "a key of more than one frame"}})
	b := readSegments(t, path, x)
	b[len(b)-1] ^= 1
	m := NewMerger(byteOrder{}, []Segment{{Src: bytes.NewReader(b), Entry: x[0]}, {Data: encode(false, rec{key: "k"})}}, 0)
	require.False(t, m.Next())
	require.ErrorIs(t, m.Err(), failure.Corrupt.Target())
}
