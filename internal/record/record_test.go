package record

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func TestSpec(t *testing.T) {
	s := &job.Spec{
		Name: "n", User: "u", Queue: "q", Priority: job.VeryLow, SubmitKey: "k", StagingDir: "s", OutputDir: "o",
		Reduces: 1, MapAttempts: 2, ReduceAttempts: 3, MapFailuresPercent: 4, ReduceFailuresPercent: 5,
		TrackerFailures: 6, SlowStart: 7, TaskTimeout: 8, MapMemory: 9, ReduceMemory: 10, MapVCores: 11,
		ReduceVCores: 12, MapLimit: 13, ReduceLimit: 14, Deadline: -15, ReduceSpeculative: true,
		MaxCounters: 18, MaxCounterGroups: 19,
		Splits: []job.SplitMeta{{Hosts: []string{"a", "", "b"}, Length: 16, Offset: 17}, {}},
		Conf:   []job.Property{{Name: "k", Value: "v"}, {}},
	}
	w := Writer{}
	w.Message(1, func(w *Writer) { w.Spec(s) })
	got, err := readSpec(w.B)
	require.NoError(t, err)
	require.Equal(t, s, got)
	for bits := range 4 {
		twin := &job.Spec{MapSpeculative: bits&1 != 0, ReduceSpeculative: bits&2 != 0}
		w := Writer{}
		w.Message(1, func(w *Writer) { w.Spec(twin) })
		back, err := readSpec(w.B)
		require.NoError(t, err)
		require.Equal(t, twin, back)
	}
	w = Writer{}
	w.Spec(s)
	for i := range w.B { // truncated bytes cause an error or a shorter specification, but no panic
		part := Writer{}
		part.Message(1, func(p *Writer) { p.B = append(p.B, w.B[:i]...) })
		_, _ = readSpec(part.B)
	}
}

func readSpec(b []byte) (s *job.Spec, err error) {
	err = Fields(b, func(f Field) (err error) {
		s, err = DecodeSpec(f)
		return err
	})
	return s, err
}

// Splits with the same hosts share the names, and no list has unused room, because the JobTracker
// keeps the splits.
func TestSplitsAreSmall(t *testing.T) {
	s := &job.Spec{Splits: slices.Repeat([]job.SplitMeta{{Hosts: []string{"host1", "host2", "host3"}}}, 5)}
	w := Writer{}
	w.Message(1, func(w *Writer) { w.Spec(s) })
	require.Less(t, cap(w.B), 3*len(w.B))
	got, err := readSpec(w.B)
	require.NoError(t, err)
	require.Equal(t, s, got)
	require.Equal(t, 5, cap(got.Splits))
	require.Equal(t, 3, cap(got.Splits[0].Hosts))

	allocs := func(splits int) float64 {
		w := Writer{}
		w.Message(1, func(w *Writer) { w.Spec(&job.Spec{Splits: slices.Repeat(s.Splits[:1], splits)}) })
		return testing.AllocsPerRun(10, func() { _, _ = readSpec(w.B) })
	}
	require.EqualValues(t, 100, allocs(200)-allocs(100), "a list for each split, and no names")
}

// The buffer for a specification fits, because a large job would otherwise leave several times its
// size to the garbage collector.
func TestSpecBufferFits(t *testing.T) {
	split := job.SplitMeta{Hosts: []string{strings.Repeat("h", 200), ""}, Length: -1}
	s := &job.Spec{Splits: slices.Repeat([]job.SplitMeta{split}, 5000),
		Conf: slices.Repeat([]job.Property{{Name: "k", Value: strings.Repeat("v", 4000)}}, 200)}
	w := Writer{}
	w.Message(1, func(w *Writer) { w.Spec(s) })
	require.Less(t, cap(w.B)-len(w.B), 64<<10)
	require.Equal(t, len(w.B), Size(func(w *Writer) { w.Message(1, func(w *Writer) { w.Spec(s) }) }))
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { Size(func(w *Writer) { w.Spec(s) }) }), 2.0)
}

func TestCountersAndFiles(t *testing.T) {
	c := &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: -1}}}
	c.Builtin[0], c.Builtin[job.NumCounters-1] = 1, 1<<60
	w := Writer{}
	w.Counters(c)
	w.Number(firstBuiltin+protowire.Number(job.NumCounters), 7) // from a newer program
	w.Number(2, 7)
	got := &job.Counters{}
	require.NoError(t, Fields(w.B, func(f Field) error { return DecodeCounter(f, got) }))
	require.Equal(t, c, got)

	w = Writer{}
	file := job.OutputFile{Name: "part-r-00000", Length: 5, Checksum: 1<<32 - 1}
	w.File(&file)
	var back job.OutputFile
	require.NoError(t, Fields(w.B, func(f Field) error { return DecodeFile(f, &back) }))
	require.Equal(t, file, back)
}

func TestZeroIsLeftOut(t *testing.T) {
	w := Writer{}
	w.Number(1, 0)
	w.Text(2, "")
	require.Empty(t, w.B)
	w.Message(3, func(*Writer) {})
	require.NotEmpty(t, w.B, "an empty message takes space")
}

func TestMessagesOfAnyLength(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 20_000} {
		text := string(make([]byte, n+1))
		w := Writer{}
		w.Number(9, 3)
		w.Message(1, func(w *Writer) { w.Text(1, text) })
		var got string
		var last int64
		require.NoError(t, Fields(w.B, func(f Field) error {
			if f.Num == 9 {
				return f.Number(&last)
			}
			return f.Message(func(f Field) error { return f.Text(&got) })
		}))
		require.Equal(t, text, got)
		require.EqualValues(t, 3, last)
	}
}

func TestDamage(t *testing.T) {
	w := Writer{}
	w.Number(1, 300)
	w.Text(2, "text")
	each := map[string]func(Field) error{
		"number for text": func(f Field) error { var s string; return f.Text(&s) },
		"number for message": func(f Field) error {
			return f.Message(func(Field) error { return nil })
		},
		"does not fit":  func(f Field) error { var v uint8; return Small(f, &v) },
		"does not fit2": func(f Field) error { var v int8; return Small(f, &v) },
	}
	for name, f := range each {
		require.True(t, failure.Is(Fields(w.B, f), failure.Corrupt), name)
	}
	text := func(f Field) error {
		var v int64
		if f.Num == 2 {
			return f.Number(&v)
		}
		return nil
	}
	require.True(t, failure.Is(Fields(w.B, text), failure.Corrupt))
	for _, bad := range [][]byte{{0xff}, {0x08}, {0x12, 9, 'x'}, {0x0b}} {
		require.True(t, failure.Is(Fields(bad, func(Field) error { return nil }), failure.Corrupt), "%x", bad)
	}
	w = Writer{}
	w.Number(1, -1)
	var u uint32
	require.Error(t, Fields(w.B, func(f Field) error { return Small(f, &u) }))
	w = Writer{B: protowire.AppendFixed32(protowire.AppendTag(nil, 7, protowire.Fixed32Type), 1)}
	w.Number(1, 4)
	var v int32
	require.NoError(t, Fields(w.B, func(f Field) error {
		if f.Num == 1 {
			return Small(f, &v)
		}
		return nil
	}), "what a newer program wrote is skipped")
	require.EqualValues(t, 4, v)
}
