package sortio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// writeSegments writes a file with one segment for each list of records.
func writeSegments(t require.TestingT, path string, c WriterConfig, parts ...[]rec) Index {
	w, err := NewWriter(path, c)
	require.NoError(t, err)
	for _, recs := range parts {
		for _, r := range recs {
			require.NoError(t, w.Append(uint32(r.part), []byte(r.key), []byte(r.val)))
		}
		require.NoError(t, w.EndSegment())
	}
	x, err := w.Close()
	require.NoError(t, err)
	return x
}

// readSegments returns the content of the file at path up to its index x.
func readSegments(t *testing.T, path string, x Index) []byte {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b[:x.Part()]
}

// readSegment reads all records of a segment. If skip is set, it leaves every other value unread.
func readSegment(s Segment, skip bool) ([]rec, error) {
	m := NewMerger(bytesOrder{}, []Segment{s}, 0)
	var got []rec
	for i := 0; m.Next(); i++ {
		r := rec{part: int(m.Tag()), key: string(m.Key())}
		if !skip || i%2 == 0 {
			v, err := m.Value()
			if err != nil {
				return got, err
			}
			r.val = string(v)
		}
		got = append(got, r)
	}
	return got, m.Err()
}

func TestSegmentsComeBack(t *testing.T) {
	all := codecs()
	rapid.Check(t, func(t *rapid.T) {
		dir := scratch(t)
		defer os.RemoveAll(dir)
		cfg := WriterConfig{Codec: rapid.SampledFrom(all).Draw(t, "codec"), Tagged: rapid.Bool().Draw(t, "tagged"),
			Frame: rapid.SampledFrom([]int{16, 100, 4096, 0}).Draw(t, "frame")}
		blob := rapid.Custom(func(t *rapid.T) string {
			return string(bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")},
				rapid.SampledFrom([]int{0, 1, 2, 15, 127, 128, 300, 20_000}).Draw(t, "size")))
		})
		recs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) rec {
			r := rec{key: blob.Draw(t, "key"), val: blob.Draw(t, "val")}
			if cfg.Tagged {
				r.part = rapid.IntRange(0, 1<<20).Draw(t, "tag")
			}
			return r
		})).Draw(t, "records")
		path := filepath.Join(dir, "f")
		x := writeSegments(t, path, cfg, nil, recs, recs)
		require.Equal(t, Entry{}, x[0])
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		for i, want := range [][]rec{nil, recs, recs} {
			seg := Segment{Src: f, Entry: x[i], Codec: cfg.Codec, Tagged: cfg.Tagged}
			skip := rapid.Bool().Draw(t, "skip")
			got, err := readSegment(seg, skip)
			require.NoError(t, err)
			require.Len(t, got, len(want))
			for j := range got {
				if skip && j%2 == 1 {
					got[j].val = want[j].val
				}
				require.Equal(t, want[j], got[j])
			}

			data, err := LoadSegment(nil, f2reader(f, x[i]), x[i], cfg.Codec, "f")
			require.NoError(t, err)
			got, err = readSegment(Segment{Data: data, Tagged: cfg.Tagged}, false)
			require.NoError(t, err)
			require.Equal(t, append([]rec{}, want...), append([]rec{}, got...))

			var copied bytes.Buffer
			require.NoError(t, CopySegment(&copied, f2reader(f, x[i]), x[i], "f"))
			raw := make([]byte, x[i].Part)
			_, err = f.ReadAt(raw, x[i].Start)
			require.NoError(t, err)
			require.True(t, bytes.Equal(raw, copied.Bytes()))
		}
	})
}

func f2reader(f *os.File, e Entry) *bytes.Reader {
	b := make([]byte, e.Part)
	_, _ = f.ReadAt(b, e.Start)
	return bytes.NewReader(b)
}

// TestEveryDamagedByteIsFound checks that reading fails if any byte of a segment changes. The
// records that were returned before the error must be correct.
func TestEveryDamagedByteIsFound(t *testing.T) {
	dir := t.TempDir()
	for i, c := range codecs() {
		var recs []rec
		for n := range 60 {
			recs = append(recs, rec{key: fmt.Sprintf("key%04d", n), val: fmt.Sprintf("value %d %d", n*n, n)})
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		x := writeSegments(t, path, WriterConfig{Codec: c, Frame: 300}, recs)
		whole := readSegments(t, path, x)
		for at := range whole {
			bad := bytes.Clone(whole)
			bad[at] ^= 1 << (at % 8)
			got, err := readSegment(Segment{Src: bytes.NewReader(bad), Entry: x[0], Codec: c}, false)
			require.ErrorIs(t, err, failure.Corrupt.Target(), "byte %d", at)
			require.Equal(t, recs[:len(got)], append([]rec{}, got...), "byte %d", at)
			_, err = LoadSegment(nil, bytes.NewReader(bad), x[0], c, "")
			require.ErrorIs(t, err, failure.Corrupt.Target())
			require.ErrorIs(t, VerifySegment(bytes.NewReader(bad), x[0], ""), failure.Corrupt.Target())
		}
		for n := range whole {
			require.ErrorIs(t, VerifySegment(bytes.NewReader(whole[:n]), x[0], ""), failure.Corrupt.Target(),
				"cut to %d bytes", n)
		}
	}
}

// TestMovedFramesAreFound checks that reading fails if intact frames were dropped, repeated, or
// swapped.
func TestMovedFramesAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	val := string(make([]byte, 52-2-4))
	recs := []rec{{key: "key1", val: val}, {key: "key2", val: val}, {key: "key3", val: val}}
	x := writeSegments(t, path, WriterConfig{Frame: 52}, recs)
	b := readSegments(t, path, x)
	require.Len(t, b, 3*64)
	f1, f2, f3 := b[:64], b[64:128], b[128:]
	join := func(frames ...[]byte) []byte { return bytes.Join(frames, nil) }
	require.NoError(t, VerifySegment(bytes.NewReader(join(f1, f2, f3)), x[0], ""))
	for _, bad := range [][]byte{join(f1, f2), join(f2, f3), join(f1, f3, f2), join(f1, f1, f2), join(f1, f2, f3, f3)} {
		e := x[0]
		e.Part = int64(len(bad))
		require.ErrorIs(t, VerifySegment(bytes.NewReader(bad), e, ""), failure.Corrupt.Target())
	}
}

// TestSegmentMustMatchItsIndex checks that reading fails if intact frames do not match the index.
func TestSegmentMustMatchItsIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	x := writeSegments(t, path, WriterConfig{}, []rec{{key: "key", val: "value"}})
	b := readSegments(t, path, x)
	for _, change := range []func(*Entry){func(e *Entry) { e.CRC++ }, func(e *Entry) { e.Raw++ },
		func(e *Entry) { e.Raw-- }} {
		e := x[0]
		change(&e)
		require.ErrorIs(t, VerifySegment(bytes.NewReader(b), e, ""), failure.Corrupt.Target())
		got, err := LoadSegment([]byte("before"), bytes.NewReader(b), e, nil, "")
		require.ErrorIs(t, err, failure.Corrupt.Target())
		require.LessOrEqual(t, int64(len(got)-len("before")), e.Raw, "no more memory than the index requires")
	}
	got, err := LoadSegment([]byte("before"), bytes.NewReader(b), x[0], nil, "")
	require.NoError(t, err)
	require.Equal(t, "before\x03\x05keyvalue", string(got))
}

func TestEveryDamagedByteOfAnIndexIsFound(t *testing.T) {
	x := Index{{0, 10, 22, 7, 3}, {}, {22, 100, 112, 9, 70_000}}
	b, err := x.MarshalBinary()
	require.NoError(t, err)
	var y Index
	require.NoError(t, y.UnmarshalBinary(b))
	require.Equal(t, x, y)
	empty, err := Index{}.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, new(Index).UnmarshalBinary(empty))
	for at := range b {
		bad := bytes.Clone(b)
		bad[at] ^= 0x10
		require.ErrorIs(t, y.UnmarshalBinary(bad), failure.Corrupt.Target(), "byte %d", at)
		require.ErrorIs(t, y.UnmarshalBinary(b[:at]), failure.Corrupt.Target(), "cut to %d bytes", at)
	}
}

func FuzzIndex(f *testing.F) {
	b, _ := Index{{0, 10, 22, 7, 3}, {22, 100, 112, 9, 4}}.MarshalBinary()
	f.Add(b)
	f.Add([]byte(indexMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		var x Index
		if x.UnmarshalBinary(b) != nil {
			return
		}
		again, err := x.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}

// FuzzRecords reads arbitrary bytes as the records of a segment.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("\x03\x05keyvalue\x00\x00"), false)
	f.Add([]byte("\x01\x03\x05keyvalue"), true)
	f.Add(bytes.Repeat([]byte{0xff}, 20), false)
	f.Fuzz(func(t *testing.T, b []byte, tagged bool) {
		total := 0
		m := NewMerger(bytesOrder{}, []Segment{{Data: b, Tagged: tagged}}, 1<<16)
		for m.Next() {
			v, err := m.Value()
			if err != nil {
				break
			}
			total += len(m.Key()) + len(v)
		}
		require.LessOrEqual(t, total, len(b))
	})
}

// FuzzFrames reads arbitrary bytes as a stored segment.
func FuzzFrames(f *testing.F) {
	path := filepath.Join(f.TempDir(), "f")
	x := writeSegments(f, path, WriterConfig{}, []rec{{key: "key", val: "value"}})
	b, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(b, x[0].Raw, x[0].CRC, uint8(0))
	for i, c := range codecs() {
		f.Add(b, int64(100), uint32(i), uint8(i))
		_ = c
	}
	f.Fuzz(func(t *testing.T, b []byte, raw int64, crc uint32, which uint8) {
		all := codecs()
		data, err := LoadSegment(nil, bytes.NewReader(b), Entry{Raw: raw, Part: int64(len(b)), CRC: crc},
			all[int(which)%len(all)], "")
		if err == nil {
			require.EqualValues(t, raw, len(data))
		} else {
			require.ErrorIs(t, err, failure.Corrupt.Target())
		}
	})
}

// TestHugeValuesAreReadOneAtATime checks that a merge of many runs reads no huge value before its
// record is current.
func TestHugeValuesAreReadOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	const runs, size = 8, 4 << 20
	val := make([]byte, size)
	var parts [][]rec
	for i := range runs {
		parts = append(parts, []rec{{key: fmt.Sprint(i), val: string(val)}})
	}
	x := writeSegments(t, path, WriterConfig{}, parts...)
	parts = nil
	f, err := os.Open(path)
	require.NoError(t, err)
	var segs []Segment
	for _, e := range x {
		segs = append(segs, Segment{Src: f, Entry: e})
	}
	m := NewMerger(bytesOrder{}, segs, 0, f)
	defer m.Close()
	huge := func() (n int) {
		for i := range m.heads {
			if cap(m.heads[i].cursor.(*reader).valBuf) >= size {
				n++
			}
		}
		return n
	}
	require.Zero(t, huge())
	n := 0
	for m.Next() {
		v, err := m.Value()
		require.NoError(t, err)
		require.Len(t, v, size)
		require.Equal(t, 1, huge())
		n++
	}
	require.NoError(t, m.Err())
	require.Equal(t, runs, n)

	small := NewMerger(bytesOrder{}, segs[:1], size/2)
	require.False(t, small.Next())
	require.ErrorIs(t, small.Err(), failure.RecordTooLarge.Target())
}

func TestCopyStopsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	var recs []rec
	for range 200_000 {
		recs = append(recs, rec{key: "k"})
	}
	x := writeSegments(t, filepath.Join(dir, "f"), WriterConfig{}, recs)
	f, err := os.Open(filepath.Join(dir, "f"))
	require.NoError(t, err)
	m := NewMerger(bytesOrder{}, []Segment{{Src: f, Entry: x[0]}}, 0, f)
	defer m.Close()
	w, err := NewWriter(filepath.Join(dir, "all"), WriterConfig{})
	require.NoError(t, err)
	require.NoError(t, Copy(context.Background(), w, NewMerger(bytesOrder{}, []Segment{{Src: f, Entry: x[0]}}, 0)))
	require.NoError(t, w.EndSegment())
	all, err := w.Close()
	require.NoError(t, err)
	require.Equal(t, x, all)
	w, err = NewWriter(filepath.Join(dir, "g"), WriterConfig{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, Copy(ctx, w, m), context.Canceled)
	w.Abort()
	require.NoFileExists(t, filepath.Join(dir, "g"))
}

func TestMaxKeyOfIndex(t *testing.T) {
	require.EqualValues(t, 7, Index{{MaxKey: 3}, {MaxKey: 7}, {}}.MaxKey())
	require.Zero(t, Index{}.MaxKey())
	path := filepath.Join(t.TempDir(), "f")
	x := writeSegments(t, path, WriterConfig{}, []rec{{key: "longest"}, {key: "z"}}, []rec{{key: "abc"}})
	require.EqualValues(t, []uint32{7, 3}, []uint32{x[0].MaxKey, x[1].MaxKey}, "each segment has its own")
}

// TestTooLargeNamesTheKey checks that the error for a key larger than a quarter of the record limit
// mentions the key.
func TestTooLargeNamesTheKey(t *testing.T) {
	require.ErrorContains(t, TooLarge("record", 26, 0, 100), "the key has 26 bytes; the limit is 25")
	require.ErrorContains(t, TooLarge("record", 25, 80, 100), "key and value have 105 bytes; the limit is 100")
}

// TestRecordAtItsLimit checks that a record of exactly the limit is accepted, and a larger record is
// rejected. The limit of the key is a quarter.
func TestRecordAtItsLimit(t *testing.T) {
	for _, x := range []struct {
		key, val int
		fits     bool
	}{{200, 0, true}, {201, 0, false}, {200, 600, true}, {200, 601, false}, {199, 602, false}} {
		data := encode(false, rec{key: string(make([]byte, x.key)), val: string(make([]byte, x.val))})
		m := NewMerger(bytesOrder{}, []Segment{{Data: data, Name: "the segment"}}, 800)
		require.Equal(t, x.fits, m.Next(), "%+v", x)
		require.Equal(t, !x.fits, failure.Is(m.Err(), failure.RecordTooLarge), "%+v", x)
		if !x.fits {
			require.ErrorContains(t, m.Err(), "the segment")
		}
	}
}

// The error for a damaged index names its file.
func TestDamagedIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), OutputName)
	tooLong, err := Index{{Part: 5}, {Start: 5, Part: 3}}.MarshalBinary()
	require.NoError(t, err)
	for _, b := range []string{"", "no index", "neither an index nor empty", "1234567" + string(tooLong),
		"no entries for" + string(tooLong[len(tooLong)-indexTail:])} {
		require.NoError(t, os.WriteFile(path, []byte(b), 0o600))
		_, err := ReadIndex(path)
		require.True(t, failure.Is(err, failure.Corrupt), "%q: %v", b, err)
		require.ErrorContains(t, err, path)
	}
	require.NoError(t, os.WriteFile(path, append([]byte("12345678"), tooLong...), 0o600))
	_, err = ReadIndex(path)
	require.NoError(t, err)
}

// A record's lengths are encoded in one byte each if both are below 128.
func TestLengthsOfRecords(t *testing.T) {
	sizes := []int{0, 1, 127, 128, 129, 16_383, 16_384}
	for _, k := range sizes {
		for _, v := range sizes {
			key, value := bytes.Repeat([]byte{'k'}, k), bytes.Repeat([]byte{'v'}, v)
			b := make([]byte, recordSize(k, v))
			require.Equal(t, len(b), putRecord(b, key, value))
			gotKey, gotValue, n := parseRecord(b)
			require.Equal(t, len(b), n)
			require.True(t, bytes.Equal(key, gotKey) && bytes.Equal(value, gotValue), "%d and %d bytes", k, v)
			got, err := readSegment(Segment{Data: b}, false)
			require.NoError(t, err)
			require.Equal(t, []rec{{key: string(key), val: string(value)}}, got)
		}
	}
}

// TestImpossibleLengths checks that a length of 2 GiB or more counts as damage, and a smaller length
// above the limit as a large record.
func TestImpossibleLengths(t *testing.T) {
	for _, x := range []struct {
		key, value uint64
		want       failure.Kind
	}{
		{maxLength, 0, failure.RecordTooLarge}, {maxLength + 1, 0, failure.Corrupt},
		{0, maxLength, failure.RecordTooLarge}, {0, maxLength + 1, failure.Corrupt},
		{math.MaxUint64, math.MaxUint64, failure.Corrupt},
	} {
		data := binary.AppendUvarint(binary.AppendUvarint(nil, x.key), x.value)
		m := NewMerger(bytesOrder{}, []Segment{{Data: data}}, 800)
		require.False(t, m.Next())
		require.ErrorIs(t, m.Err(), x.want.Target(), "%+v", x)
	}
}

// fakeCodec packs frames with a function.
type fakeCodec struct {
	codec.Codec
	pack func(src []byte) ([]byte, error)
}

func (c fakeCodec) Append(dst, src []byte) ([]byte, error) {
	b, err := c.pack(src)
	return append(dst, b...), err
}

// TestFramesAreCompressedIfThatHelps checks that a frame is stored compressed only if that makes it
// smaller. A frame whose two lengths are equal counts as not compressed.
func TestFramesAreCompressedIfThatHelps(t *testing.T) {
	recs := []rec{{key: "key", val: string(make([]byte, 1000))}}
	same := fakeCodec{pack: func(src []byte) ([]byte, error) { return make([]byte, len(src)), nil }}
	for i, c := range append(codecs(), same) {
		path := filepath.Join(t.TempDir(), "f")
		x := writeSegments(t, path, WriterConfig{Codec: c}, recs)
		if c == nil || i == len(codecs()) {
			require.Equal(t, x[0].Raw+frameHeader, x[0].Part)
		} else {
			require.Less(t, x[0].Part, x[0].Raw/2)
		}
		b := readSegments(t, path, x)
		got, err := readSegment(Segment{Src: bytes.NewReader(b), Entry: x[0], Codec: c}, false)
		require.NoError(t, err)
		require.Equal(t, recs, got)
	}
}

// TestFramesWithInvalidLengths checks that reading fails at frames whose checksum is right, but whose
// lengths are not, and at bytes behind the last frame.
func TestFramesWithInvalidLengths(t *testing.T) {
	for _, x := range []struct {
		stored, raw, stray int
		ok                 bool
	}{
		{stored: 1, raw: 1, ok: true},
		{stored: 1, raw: maxFrame, ok: true},
		{stored: 1, raw: maxFrame + 1},
		{stored: 0, raw: 5},
		{stored: 0, raw: 0},
		{stored: 5, raw: 4},
		{stored: 5, raw: 5, stray: 1},
		{stored: 5, raw: 5, stray: frameHeader},
	} {
		b := make([]byte, frameHeader+x.stored)
		binary.LittleEndian.PutUint32(b, uint32(x.stored))
		binary.LittleEndian.PutUint32(b[4:], uint32(x.raw))
		crc := frameSum(0, b[:8], b[frameHeader:])
		binary.LittleEndian.PutUint32(b[8:], crc)
		b = append(b, make([]byte, x.stray)...)
		err := VerifySegment(bytes.NewReader(b), Entry{Raw: int64(x.raw), Part: int64(len(b)), CRC: crc}, "")
		if x.ok {
			require.NoError(t, err, "%+v", x)
		} else {
			require.ErrorIs(t, err, failure.Corrupt.Target(), "%+v", x)
		}
	}
}

// TestImpossibleIndex checks that an index with a right checksum is still rejected if it contains
// negative lengths.
func TestImpossibleIndex(t *testing.T) {
	for _, e := range []Entry{{Start: -1, Part: 5}, {Raw: -1}, {Start: 5, Part: -1}, {Start: math.MaxInt64, Part: 1}} {
		b, err := Index{e}.MarshalBinary()
		require.NoError(t, err)
		require.ErrorIs(t, new(Index).UnmarshalBinary(b), failure.Corrupt.Target(), "%+v", e)
	}
}

// TestLargestIndex checks that the index of a job with the maximum number of reducers can be read, and
// that no reader allocates memory for more.
func TestLargestIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), OutputName)
	for n := MaxPartitions; n <= MaxPartitions+1; n++ {
		b, err := make(Index, n).MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		x, err := ReadIndex(path)
		require.Equal(t, n > MaxPartitions, failure.Is(err, failure.Corrupt), "%v", err)
		require.Len(t, x, n%(MaxPartitions+1))
	}
}

// TestKindsOfIOErrors checks that an error keeps its kind, and that an error without a kind becomes
// one of input or output.
func TestKindsOfIOErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadIndex(filepath.Join(dir, "index"))
	require.ErrorIs(t, err, failure.NotFound.Target())

	path := filepath.Join(dir, "f")
	x := writeSegments(t, path, WriterConfig{}, []rec{{key: "key"}})
	require.ErrorIs(t, VerifySegment(iotest.ErrReader(errors.New("bad disk")), x[0], ""), failure.IO.Target())
	f, err := os.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	b := readSegments(t, path, x)
	require.ErrorIs(t, CopySegment(f, bytes.NewReader(b), x[0], ""), failure.IO.Target())

	// The aborted file is closed, so the first frame cannot be written.
	w, err := NewWriter(filepath.Join(dir, "g"), WriterConfig{})
	require.NoError(t, err)
	w.Abort()
	require.ErrorIs(t, w.Append(0, nil, make([]byte, 2*frameSize)), failure.IO.Target())
}

// TestBufferOfHugeKeys checks which buffer a reader keeps for keys that span frames. A much smaller key
// replaces the buffer of a huge key, and a key within a frame releases the buffer.
func TestBufferOfHugeKeys(t *testing.T) {
	const spanning, inFrame = 5000, 1
	steps := []struct{ key, buffer int }{
		{4 * maxFrame, 4 * maxFrame}, {2 * maxFrame, 4 * maxFrame}, {2*maxFrame - 1, 2*maxFrame - 1},
		{spanning, spanning}, {maxFrame, maxFrame}, {spanning, maxFrame}, {inFrame, maxFrame},
		{2 * maxFrame, 2 * maxFrame}, {inFrame, 0},
	}
	var recs []rec
	for _, s := range steps {
		recs = append(recs, rec{key: string(make([]byte, s.key))})
	}
	path := filepath.Join(t.TempDir(), "f")
	x := writeSegments(t, path, WriterConfig{Frame: minFrameSize}, recs)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var r reader
	r.open(&Segment{Src: f, Entry: x[0]}, math.MaxInt32)
	for i, s := range steps {
		ok, err := r.next()
		require.NoError(t, err)
		require.True(t, ok)
		require.Len(t, r.key(), s.key)
		require.Equal(t, s.buffer, cap(r.keyBuf), "step %d", i)
	}
}
