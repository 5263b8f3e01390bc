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
	got, err := readSpec(appendSpec(s))
	require.NoError(t, err)
	require.Equal(t, s, got)
	for bits := range 4 {
		twin := &job.Spec{MapSpeculative: bits&1 != 0, ReduceSpeculative: bits&2 != 0}
		back, err := readSpec(appendSpec(twin))
		require.NoError(t, err)
		require.Equal(t, twin, back)
	}
	body := Append(nil, func(c *Codec) { c.spec(s, &splits{}) })
	for i := range body { // truncated bytes cause an error or a shorter specification, but no panic
		_, _ = readSpec(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), body[:i]))
	}
}

func appendSpec(s *job.Spec) []byte {
	return Append(nil, func(c *Codec) { c.Spec(1, &s) })
}

func readSpec(b []byte) (s *job.Spec, err error) {
	err = Decode(b, func(c *Codec) { c.Spec(1, &s) })
	return s, err
}

// Splits with the same hosts share the names, and no list has unused room, because the JobTracker
// keeps the splits.
func TestSplitsAreSmall(t *testing.T) {
	s := &job.Spec{Splits: slices.Repeat([]job.SplitMeta{{Hosts: []string{"host1", "host2", "host3"}}}, 5)}
	text := appendSpec(s)
	require.Less(t, cap(text), 3*len(text))
	got, err := readSpec(text)
	require.NoError(t, err)
	require.Equal(t, s, got)
	require.Equal(t, 5, cap(got.Splits))
	require.Equal(t, 3, cap(got.Splits[0].Hosts))

	allocs := func(splits int) float64 {
		text := appendSpec(&job.Spec{Splits: slices.Repeat(s.Splits[:1], splits)})
		return testing.AllocsPerRun(10, func() { _, _ = readSpec(text) })
	}
	require.EqualValues(t, 100, allocs(200)-allocs(100), "a list for each split, and no names")
}

// The buffer for a specification fits, because a large job would otherwise leave several times its
// size to the garbage collector.
func TestSpecBufferFits(t *testing.T) {
	split := job.SplitMeta{Hosts: []string{strings.Repeat("h", 200), ""}, Length: -1}
	s := &job.Spec{Splits: slices.Repeat([]job.SplitMeta{split}, 5000),
		Conf: slices.Repeat([]job.Property{{Name: "k", Value: strings.Repeat("v", 4000)}}, 200)}
	text := appendSpec(s)
	require.Less(t, cap(text)-len(text), 64<<10)
	size := func() int { return Size(func(c *Codec) { c.Spec(1, &s) }) }
	require.Equal(t, len(text), size())
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { size() }), 2.0)
}

func TestCountersAndFiles(t *testing.T) {
	c := &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: -1}}}
	c.Builtin[0], c.Builtin[job.NumCounters-1] = 1, 1<<60
	got := &job.Counters{}
	newer := int64(7)
	require.NoError(t, Decode(Append(nil, func(w *Codec) {
		Counters(w, c)
		w.Number(firstBuiltin+protowire.Number(job.NumCounters), &newer) // from a newer program
		w.Number(2, &newer)
	}), func(r *Codec) { Counters(r, got) }))
	require.Equal(t, c, got)

	file := job.OutputFile{Name: "part-r-00000", Length: 5, Checksum: 1<<32 - 1}
	var back job.OutputFile
	require.NoError(t, Decode(Append(nil, func(c *Codec) { File(c, &file) }), func(c *Codec) { File(c, &back) }))
	require.Equal(t, file, back)
}

func TestZeroIsLeftOut(t *testing.T) {
	var number int64
	var text string
	require.Empty(t, Append(nil, func(c *Codec) {
		c.Number(1, &number)
		c.Text(2, &text)
	}))
	require.NotEmpty(t, Append(nil, func(c *Codec) { c.Message(3, func(*Codec) {}) }), "an empty message takes space")
}

func TestMessagesOfAnyLength(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 20_000} {
		text, last := string(make([]byte, n+1)), int64(3)
		b := Append(nil, func(c *Codec) {
			c.Number(9, &last)
			c.Message(1, func(c *Codec) { c.Text(1, &text) })
		})
		var got string
		last = 0
		require.NoError(t, Decode(b, func(c *Codec) { // in another order
			c.Message(1, func(c *Codec) { c.Text(1, &got) })
			c.Number(9, &last)
		}))
		require.Equal(t, text, got)
		require.EqualValues(t, 3, last)
	}
}

func TestDamage(t *testing.T) {
	number, text := int64(300), "text"
	b := Append(nil, func(c *Codec) {
		c.Number(1, &number)
		c.Text(2, &text)
	})
	for name, fields := range map[string]func(*Codec){
		"number for text":    func(c *Codec) { var s string; c.Text(1, &s) },
		"number for message": func(c *Codec) { c.Message(1, func(*Codec) {}) },
		"does not fit":       func(c *Codec) { var v uint8; Small(c, 1, &v) },
		"does not fit2":      func(c *Codec) { var v int8; Small(c, 1, &v) },
		"text for number":    func(c *Codec) { var v int64; c.Number(2, &v) },
	} {
		require.True(t, failure.Is(Decode(b, fields), failure.Corrupt), name)
	}
	for _, bad := range [][]byte{{0xff}, {0x08}, {0x12, 9, 'x'}, {0x0b}} {
		require.True(t, failure.Is(Decode(bad, func(*Codec) {}), failure.Corrupt), "%x", bad)
	}
	number = -1
	var u uint32
	require.Error(t, Decode(Append(nil, func(c *Codec) { c.Number(1, &number) }), func(c *Codec) { Small(c, 1, &u) }))
	number = 4
	b = protowire.AppendFixed32(protowire.AppendTag(nil, 7, protowire.Fixed32Type), 1)
	var v int32
	require.NoError(t, Decode(Append(b, func(c *Codec) { c.Number(1, &number) }), func(c *Codec) { Small(c, 1, &v) }),
		"what a newer program wrote is skipped")
	require.EqualValues(t, 4, v)
}
