package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

func drawCounters(t *rapid.T) *job.Counters {
	c := &job.Counters{}
	for range rapid.IntRange(0, 5).Draw(t, "builtin") {
		c.Builtin[rapid.IntRange(0, int(job.NumCounters)-1).Draw(t, "id")] = rapid.Int64().Draw(t, "value")
	}
	for range rapid.IntRange(0, 3).Draw(t, "user") {
		c.Add(rapid.String().Draw(t, "group"), rapid.String().Draw(t, "name"), rapid.Int64().Draw(t, "value"))
	}
	return c
}

func drawSpec(t *rapid.T) *job.Spec {
	i32 := rapid.Int32()
	s := &job.Spec{
		Name: rapid.String().Draw(t, "name"), User: "u", Queue: "q", Priority: job.Priority(rapid.Int8().Draw(t, "priority")),
		SubmitKey: rapid.String().Draw(t, "key"), StagingDir: "file:/s", OutputDir: "file:/o",
		Reduces:     i32.Draw(t, "reduces"),
		MapAttempts: i32.Draw(t, "ma"), ReduceAttempts: i32.Draw(t, "ra"), MapFailuresPercent: i32.Draw(t, "mf"),
		ReduceFailuresPercent: i32.Draw(t, "rf"), TrackerFailures: i32.Draw(t, "tf"), SlowStart: i32.Draw(t, "slow"),
		TaskTimeout: rapid.Int64().Draw(t, "timeout"), MapMemory: i32.Draw(t, "mm"), ReduceMemory: i32.Draw(t, "rm"),
		MapVCores: i32.Draw(t, "mv"), ReduceVCores: i32.Draw(t, "rv"), MapLimit: i32.Draw(t, "ml"),
		ReduceLimit: i32.Draw(t, "rl"),
		SkipAfter:   i32.Draw(t, "sa"), MapSkip: rapid.Int64().Draw(t, "ms"), ReduceSkip: rapid.Int64().Draw(t, "rs"),
		MaxCounters: i32.Draw(t, "mc"), MaxCounterGroups: i32.Draw(t, "mg"),
		Deadline: rapid.Int64().Draw(t, "deadline"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "splits") {
		s.Splits = append(s.Splits, job.SplitMeta{Hosts: rapid.SliceOf(rapid.String()).Draw(t, "hosts"),
			Length: rapid.Int64().Draw(t, "length"), Offset: rapid.Int64().Draw(t, "offset")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "conf") {
		s.Conf = append(s.Conf, job.Property{Name: rapid.String().Draw(t, "k"), Value: rapid.String().Draw(t, "v")})
	}
	return s
}

func drawEvent(t *rapid.T) *event.Event {
	i32, i64, u8 := rapid.Int32(), rapid.Int64(), rapid.Uint8()
	e := &event.Event{
		Time: i64.Draw(t, "time"), Job: i32.Draw(t, "job"), Tracker: i32.Draw(t, "tracker"),
		Attempt: job.Attempt{Task: job.Task{Job: i32.Draw(t, "ajob"), Index: i32.Draw(t, "index"),
			Type: job.TaskType(u8.Draw(t, "tt"))}, N: i32.Draw(t, "n")},
		Type: event.Type(u8.Draw(t, "type")), Slot: job.TaskType(u8.Draw(t, "slot")),
		Locality: job.Locality(rapid.Int8().Draw(t, "loc")),
		State:    job.AttemptState(u8.Draw(t, "state")), TaskState: job.TaskState(u8.Draw(t, "ts")),
		JobState: job.State(u8.Draw(t, "js")),
		Priority: job.Priority(rapid.Int8().Draw(t, "p")), Kind: failure.Kind(u8.Draw(t, "kind")),
		Slots: [2]int32{i32.Draw(t, "s0"), i32.Draw(t, "s1")}, Memory: i32.Draw(t, "mem"), VCores: i32.Draw(t, "cores"),
		N: i64.Draw(t, "N"), Incarnation: i64.Draw(t, "inc"), ShuffleDone: i64.Draw(t, "sh"), SortDone: i64.Draw(t, "so"),
		Range: job.Range{Start: i64.Draw(t, "from"), Length: i64.Draw(t, "n")},
		Name:  rapid.String().Draw(t, "name"), Host: "h", Rack: "/r", Addr: "h:1", Text: rapid.String().Draw(t, "text"),
	}
	if rapid.Bool().Draw(t, "same job") {
		e.Attempt.Job = e.Job
	}
	if rapid.Bool().Draw(t, "spec") {
		e.Spec = drawSpec(t)
	}
	if rapid.Bool().Draw(t, "counters") {
		e.Counters = drawCounters(t)
	}
	for range rapid.IntRange(0, 2).Draw(t, "files") {
		e.Manifest = append(e.Manifest, job.OutputFile{Name: rapid.String().Draw(t, "file"), Length: i64.Draw(t, "len"),
			Checksum: rapid.Uint32().Draw(t, "crc")})
	}
	return e
}

func TestEventsSurviveTheCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEvent(t)
		got := event.Event{Text: "left over", Manifest: make([]job.OutputFile, 3)}
		require.NoError(t, DecodeEvent(AppendEvent(nil, e), &got))
		if d := cmp.Diff(e, &got, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

func journalOf(t require.TestingT, events []*event.Event) ([]byte, []int) {
	b := AppendHeader(nil)
	ends := []int{len(b)}
	for _, e := range events {
		var err error
		b, err = AppendRecord(b, e)
		require.NoError(t, err)
		ends = append(ends, len(b))
	}
	return b, ends
}

// If a journal is cut or damaged, the decoder returns the facts before that position and the offset
// of the end of the intact part.
func TestTornTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []*event.Event
		for range rapid.IntRange(1, 4).Draw(t, "events") {
			events = append(events, drawEvent(t))
		}
		b, ends := journalOf(t, events)
		cut := rapid.IntRange(ends[0], len(b)).Draw(t, "cut")
		flip := rapid.Bool().Draw(t, "flip") && cut < len(b)
		whole := b
		if flip {
			whole = bytes.Clone(b)
			whole[cut] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		} else {
			whole = b[:cut]
		}
		good := 0
		for good+1 < len(ends) && ends[good+1] <= cut {
			good++
		}
		d := NewDecoder(bytes.NewReader(whole))
		var e event.Event
		for i := range good {
			require.NoError(t, d.Next(&e))
			if diff := cmp.Diff(events[i], &e, cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
		}
		err := d.Next(&e)
		switch {
		case flip && good < len(events)-1:
			require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
			require.Contains(t, err.Error(), fmt.Sprintf("at byte %d:", ends[good]))
		case flip: // a larger length looks like a cut
			require.True(t, failure.Is(err, failure.Corrupt) || errors.Is(err, ErrTorn), "%v", err)
		case cut == ends[good]:
			require.ErrorIs(t, err, io.EOF)
		default:
			require.ErrorIs(t, err, ErrTorn)
		}
		require.Equal(t, err, d.Next(&e), "the end stays the end")
		require.EqualValues(t, ends[good], d.Offset())
	})
}

// writes returns a journal of several writes, with the offset of each write. Checksums follow the
// marks unless the journal is old.
func writes(t *testing.T, old bool, sizes ...int) (b []byte, at []int) {
	if b = AppendSyncedHeader(nil); old {
		b = AppendHeader(nil)
	}
	for i, n := range sizes {
		at = append(at, len(b))
		if old {
			b = append(b, Mark...)
		} else {
			b = AppendMark(b, Sum(0, b))
		}
		for range n {
			var err error
			b, err = AppendRecord(b, &event.Event{Type: event.JobStarted, Job: int32(i + 1), Text: strings.Repeat("x", 300)})
			require.NoError(t, err)
		}
	}
	return b, at
}

// read returns the number of facts before the end of a journal, and the error there.
func read(b []byte) (n int, err error) {
	d := NewDecoder(bytes.NewReader(b))
	var e event.Event
	for {
		if err = d.Next(&e); err != nil {
			return n, err
		}
		n++
	}
}

// Whatever byte of a marked journal changes, the decoder either reports damage or loses no fact. A
// larger length of the very last record is the exception, because it looks like a cut.
func TestFlippedBits(t *testing.T) {
	for _, old := range []bool{false, true} {
		b, _ := writes(t, old, 3, 1, 4)
		last := len(b) - 300
		for at := range b {
			for bit := range 8 {
				bad := bytes.Clone(b)
				bad[at] ^= 1 << bit
				n, err := read(bad)
				if !failure.Is(err, failure.Corrupt) {
					require.ErrorIs(t, err, ErrTorn, "byte %d", at)
					require.Equal(t, 7, n, "byte %d", at)
					require.Less(t, last-40, at)
				}
			}
		}
	}
}

// Whole records before the last mark that are missing, duplicated, or swapped are damage. The offset is not
// after the damage.
func TestWholeRecords(t *testing.T) {
	b, at := writes(t, false, 3, 1, 4, 2)
	var ends []int // of records and marks
	d := NewDecoder(bytes.NewReader(b))
	for {
		ends = append(ends, int(d.Offset()))
		if _, err := d.Payload(); err != nil {
			break
		}
	}
	ends = slices.Concat(ends[1:], at, []int{at[3] + frameSize + sumSize})
	slices.Sort(ends)
	ends = slices.Compact(ends)
	whole, err := read(b)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, 10, whole)
	for i, from := range ends {
		for _, to := range ends[i+1:] {
			for what, bad := range map[string][]byte{
				"missing": slices.Concat(b[:from], b[to:]),
				"doubled": slices.Concat(b[:to], b[from:]),
			} {
				n, err := read(bad)
				if from >= at[3] || what == "missing" && to > at[3] {
					continue // no mark follows
				}
				require.True(t, failure.Is(err, failure.Corrupt), "%s: bytes %d to %d: %d facts, %v", what, from, to, n, err)
				d := NewDecoder(bytes.NewReader(bad))
				for err = nil; err == nil; _, err = d.Payload() {
				}
				require.LessOrEqual(t, d.Offset(), int64(to), "%s: bytes %d to %d", what, from, to)
			}
		}
	}
	swapped := slices.Concat(b[:at[1]], b[at[2]:at[3]], b[at[1]:at[2]], b[at[3]:])
	_, err = read(swapped)
	require.ErrorContains(t, err, fmt.Sprintf("at byte %d: between here and byte ", at[0]+frameSize+sumSize))
}

// A crash can leave zeros anywhere in the last write, but never before it. A hole that includes the
// mark of the last write looks like a crash.
func TestHoles(t *testing.T) {
	for _, old := range []bool{false, true} {
		testHoles(t, old)
	}
}

func testHoles(t *testing.T, old bool) {
	b, at := writes(t, old, 3, 8, 8)
	hole := func(from, to int) (int, error) {
		bad := bytes.Clone(b)
		clear(bad[from:to])
		return read(bad)
	}
	for sector := 512; sector+512 <= len(b); sector += 512 {
		n, err := hole(sector, sector+512)
		if sector+512 <= at[2] {
			require.True(t, failure.Is(err, failure.Corrupt), "sector at %d: %v", sector, err)
		} else {
			require.ErrorIs(t, err, ErrTorn, "sector at %d", sector)
			require.LessOrEqual(t, 9, n)
		}
	}
	n, err := hole(at[2], len(b))
	require.ErrorIs(t, err, ErrTorn)
	require.Equal(t, 11, n)
	n, err = hole(at[2], (at[2]/512+1)*512) // the rest of a sector
	require.ErrorIs(t, err, ErrTorn)
	require.Equal(t, 11, n)
	_, err = hole(at[2]+200, at[2]+210) // no file system leaves such a hole
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

// Bytes that are missing or swapped in the middle of a journal are damage.
func TestMissingAndSwappedBytes(t *testing.T) {
	b, at := writes(t, false, 3, 3, 3)
	_, err := read(slices.Concat(b[:at[1]+50], b[at[1]+90:]))
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	_, err = read(slices.Concat(b[:100], b[400:700], b[100:400], b[700:]))
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

// Salvage finds the facts after the damage.
func TestSalvage(t *testing.T) {
	b, at := writes(t, false, 2, 2, 1)
	b[at[0]+60] ^= 1
	var jobs []int32
	for e := range Salvage(b[at[0]:]) {
		jobs = append(jobs, e.Job)
	}
	require.Equal(t, []int32{1, 2, 2, 3}, jobs)
}

func TestEach(t *testing.T) {
	events := []*event.Event{{Type: event.JobStarted, Job: 1}, {Type: event.JobStarted, Job: 2}}
	b, _ := journalOf(t, events)
	var got []*event.Event
	keep := func(e *event.Event) error {
		got = append(got, e)
		return nil
	}
	require.NoError(t, NewDecoder(bytes.NewReader(b)).Each(keep))
	require.Empty(t, cmp.Diff(events, got, cmpopts.EquateEmpty()))
	require.ErrorIs(t, NewDecoder(bytes.NewReader(b[:len(b)-1])).Each(keep), ErrTorn)
	require.Len(t, got, 3)
	refuse := func(*event.Event) error { return io.ErrShortWrite }
	require.ErrorIs(t, NewDecoder(bytes.NewReader(b)).Each(refuse), io.ErrShortWrite)
}

func TestHeader(t *testing.T) {
	var e event.Event
	require.ErrorIs(t, NewDecoder(bytes.NewReader(nil)).Next(&e), io.EOF)
	require.ErrorIs(t, NewDecoder(bytes.NewReader([]byte("howd"))).Next(&e), ErrTorn)
	err := NewDecoder(bytes.NewReader([]byte("howdahj9 and more"))).Next(&e)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

func TestZeroedTailIsTorn(t *testing.T) {
	b, ends := journalOf(t, []*event.Event{{Type: event.JobStarted, Job: 1}})
	d := NewDecoder(bytes.NewReader(append(b, make([]byte, 4096)...)))
	var e event.Event
	require.NoError(t, d.Next(&e))
	require.ErrorIs(t, d.Next(&e), ErrTorn)
	require.EqualValues(t, ends[1], d.Offset())
}

func TestRecordThatIsNotUnderstood(t *testing.T) {
	b, err := AppendFrame(AppendHeader(nil), []byte{0xff})
	require.NoError(t, err)
	b, err = AppendRecord(b, &event.Event{Type: event.JobStarted, Job: 1})
	require.NoError(t, err)
	d := NewDecoder(bytes.NewReader(b))
	var e event.Event
	for range 2 {
		require.True(t, failure.Is(d.Next(&e), failure.Corrupt), "nothing behind it is read either")
	}
}

func TestReadErrorIsNoTornTail(t *testing.T) {
	b, _ := journalOf(t, []*event.Event{{Type: event.JobStarted, Job: 1}})
	d := NewDecoder(io.MultiReader(bytes.NewReader(b), badReader{}))
	var e event.Event
	require.NoError(t, d.Next(&e))
	err := d.Next(&e)
	require.True(t, failure.Is(err, failure.IO), "%v", err)
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// Journals of earlier versions depend on these bytes.
func TestGoldenBytes(t *testing.T) {
	e := &event.Event{Type: event.AttemptFinished, Time: 5, Job: 7, Tracker: 2, State: job.AttemptFailed,
		Kind: failure.User, Text: "boom", Attempt: job.Attempt{Task: job.Task{Job: 7, Index: 3, Type: job.Reduce}, N: 1}}
	want := []byte{0x08, 10, 0x10, 18, 0x18, 14, 0x20, 4, 0x28, 2, 0x30, 6, 0x38, 2, 0x50, 6, 0x70, 20, 0xda, 0x01, 4, 'b',
		'o', 'o', 'm'}
	require.Equal(t, want, AppendEvent(nil, e))
}

func TestHashTellsFactsApart(t *testing.T) {
	sum := func(events ...event.Event) string {
		h := NewHash()
		for i := range events {
			h.Add(&events[i])
		}
		require.EqualValues(t, len(events), h.Count())
		return h.String()
	}
	a, b := event.Event{Type: event.JobStarted, Job: 1}, event.Event{Type: event.JobStarted, Job: 2}
	require.Equal(t, sum(a, b), sum(a, b))
	require.NotEqual(t, sum(a, b), sum(b, a))
}

func FuzzDecode(f *testing.F) {
	b, _ := journalOf(f, []*event.Event{
		{Type: event.JobSubmitted, Job: 1,
			Spec: &job.Spec{Name: "n", Splits: []job.SplitMeta{{Hosts: []string{"h"}, Length: 3}},
				Conf: []job.Property{{Name: "k", Value: "v"}}}},
		{Type: event.JobFinished, Job: 1,
			Counters: &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: 1}}}},
		{Type: event.AttemptFinished, Job: 1, Manifest: []job.OutputFile{{Name: "part-r-00000", Length: 3, Checksum: 9}}},
	})
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add(AppendMark(AppendSyncedHeader(nil), Sum(0, AppendSyncedHeader(nil))))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := NewDecoder(bytes.NewReader(b))
		var e event.Event
		for d.Next(&e) == nil {
			again := AppendEvent(nil, &e)
			var twin event.Event
			require.NoError(t, DecodeEvent(again, &twin))
			require.Equal(t, again, AppendEvent(nil, &twin))
		}
		require.LessOrEqual(t, d.Offset(), int64(len(b)))
	})
}

// FuzzPayload fuzzes the decoder of facts without the checksum.
func FuzzPayload(f *testing.F) {
	f.Add(AppendEvent(nil, &event.Event{Type: event.JobSubmitted, Job: 1, Spec: &job.Spec{Name: "n", Reduces: 1},
		Counters: &job.Counters{}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e, twin event.Event
		if DecodeEvent(b, &e) != nil {
			return
		}
		again := AppendEvent(nil, &e)
		require.NoError(t, DecodeEvent(again, &twin))
		require.Equal(t, again, AppendEvent(nil, &twin))
	})
}
