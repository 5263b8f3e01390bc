package sequencefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job/failure"
)

const text, long = "org.apache.hadoop.io.Text", "org.apache.hadoop.io.LongWritable"

var codecs = []string{"DefaultCodec", "GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec", "ZStandardCodec"}

type rec struct{ key, value string }

func write(t require.TestingT, o Options, records []rec) []byte {
	var b bytes.Buffer
	o.KeyClass, o.ValueClass = text, long
	w, err := NewWriter(&b, o)
	require.NoError(t, err)
	for _, r := range records {
		require.NoError(t, w.Append([]byte(r.key), []byte(r.value)))
	}
	require.NoError(t, w.Close())
	require.EqualValues(t, b.Len(), w.Length())
	return b.Bytes()
}

func read(r *Reader) (out []rec, err error) {
	for {
		k, v, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, rec{string(k), string(v)})
	}
}

func readFile(b []byte) ([]rec, error) {
	r, err := NewReader(bytes.NewReader(b), ReadOptions{Name: "f.seq", MaxRecord: 1 << 20})
	if err != nil {
		return nil, err
	}
	return read(r)
}

func records(n int, seed uint64) []rec {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]rec, n)
	for i := range out {
		out[i] = rec{fmt.Sprint("key", i), strings.Repeat("v", r.IntN(50))}
	}
	return out
}

func TestRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Compression:  Compression(rapid.IntRange(0, 2).Draw(t, "compression")),
			Codec:        rapid.SampledFrom(codecs).Draw(t, "codec"),
			SyncInterval: rapid.Int64Range(20, 500).Draw(t, "interval"),
			BlockSize:    rapid.IntRange(1, 2000).Draw(t, "block"),
			Metadata:     []Pair{{"b", "2"}, {"a", rapid.String().Draw(t, "meta")}},
		}
		if o.Codec == "BZip2Codec" && o.Compression == Record {
			o.Codec = "SnappyCodec" // bzip2 would need megabytes per record
		}
		want := records(rapid.IntRange(0, 60).Draw(t, "n"), 1)
		b := write(t, o, want)
		r, err := NewReader(iotest.HalfReader(bytes.NewReader(b)), ReadOptions{})
		require.NoError(t, err)
		h := r.Header()
		require.Equal(t, []any{byte(6), text, long, o.Compression}, []any{h.Version, h.KeyClass, h.ValueClass, h.Compression})
		require.Equal(t, []Pair{{"a", o.Metadata[1].Value}, {"b", "2"}}, h.Metadata)
		got, err := read(r)
		require.NoError(t, err)
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	})
}

// Each record is in exactly one part, regardless of how a file is divided into parts.
func TestPartsAreTheWhole(t *testing.T) {
	want := records(300, 2)
	for _, c := range []Compression{None, Record, Block} {
		b := write(t, Options{Compression: c, Codec: "SnappyCodec", SyncInterval: 100, BlockSize: 300}, want)
		rapid.Check(t, func(t *rapid.T) {
			cuts := []int64{0}
			for cuts[len(cuts)-1] < int64(len(b)) {
				cuts = append(cuts, min(cuts[len(cuts)-1]+rapid.Int64Range(1, int64(len(b)/2)).Draw(t, "step"), int64(len(b))))
			}
			var got []rec
			for i := range cuts[1:] {
				r, err := NewReader(bytes.NewReader(b), ReadOptions{})
				require.NoError(t, err)
				require.NoError(t, r.Part(cuts[i], cuts[i+1], int64(len(b))))
				part, err := read(r)
				require.NoError(t, err)
				got = append(got, part...)
			}
			require.Equal(t, want, got, "cuts %v", cuts)
		})
	}
}

func TestMarksAreFound(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Options{KeyClass: text, ValueClass: text})
	require.NoError(t, err)
	require.NoError(t, w.Append([]byte("a"), nil))
	require.NoError(t, w.Sync())
	mark := w.Length() - markSize
	require.NoError(t, w.Append([]byte("b"), nil))
	require.NoError(t, w.Close())
	for pos, want := range map[int64]string{0: "a", mark - 1: "b", mark: "b", mark + 1: "", int64(b.Len()): ""} {
		r, err := NewReader(bytes.NewReader(b.Bytes()), ReadOptions{})
		require.NoError(t, err)
		require.NoError(t, r.Sync(pos, int64(b.Len())))
		k, _, err := r.Next()
		require.Equal(t, want == "", err == io.EOF, "%d: %v", pos, err)
		require.Equal(t, want, string(k), "%d", pos)
	}
	r, err := NewReader(iotest.OneByteReader(&b), ReadOptions{})
	require.NoError(t, err)
	require.ErrorIs(t, r.Sync(100, 1000), failure.Usage.Target())
}

func TestDamageIsToldWithItsPosition(t *testing.T) {
	for _, c := range []Compression{None, Record, Block} {
		whole := write(t, Options{Compression: c, Codec: "GzipCodec", SyncInterval: 100, BlockSize: 300}, records(40, 3))
		for n := range len(whole) {
			got, err := readFile(whole[:n])
			if err != nil {
				require.ErrorIs(t, err, failure.Corrupt.Target(), "cut to %d", n)
				require.ErrorContains(t, err, "f.seq at byte ")
			} else {
				require.Less(t, len(got), 40, "a file that is cut between records looks whole")
			}
			bad := bytes.Clone(whole)
			bad[n] ^= 0xff
			_, err = readFile(bad)
			if err != nil && !failure.Is(err, failure.Corrupt) && !failure.Is(err, failure.RecordTooLarge) &&
				!failure.Is(err, failure.Config) {
				t.Fatalf("byte %d changed: %v", n, err)
			}
		}
	}
	broken := errors.New("disk on fire")
	whole := write(t, Options{}, records(100, 3))
	r, err := NewReader(io.MultiReader(bytes.NewReader(whole[:500]), iotest.ErrReader(broken)), ReadOptions{})
	require.NoError(t, err)
	_, err = read(r)
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, failure.Corrupt.Target())
}

func TestWhatIsNoSequenceFileIsRefused(t *testing.T) {
	for _, b := range []string{"", "SE", "text\n", "SEQ\x03", "SEQ\x07", "SEQ\x06\x84\xff\xff\xff\xff"} {
		_, err := readFile([]byte(b))
		require.ErrorIs(t, err, failure.Corrupt.Target(), "%q", b)
	}
	_, err := NewWriter(io.Discard, Options{Compression: Block, Codec: "org.example.Zip"})
	require.ErrorIs(t, err, failure.Config.Target())
}

// Versions 4 and 5 have no metadata. Version 4 stores class names with a two-byte length and does
// not name a codec.
func TestOldVersionsAreRead(t *testing.T) {
	sync := "0123456789abcdef"
	records := "\x00\x00\x00\x02\x00\x00\x00\x01kv" + "\xff\xff\xff\xff" + sync + "\x00\x00\x00\x01\x00\x00\x00\x00w"
	for _, head := range []string{
		"SEQ\x04\x00\x01K\x00\x01V\x00\x00",
		"SEQ\x05\x01K\x01V\x00\x00",
	} {
		got, err := readFile([]byte(head + sync + records))
		require.NoError(t, err)
		require.Equal(t, []rec{{"k", "v"}, {"", "w"}}, got)
	}
}

func TestLargeRecords(t *testing.T) {
	big := []rec{{"a", strings.Repeat("x", 3<<20)}, {"b", ""}, {strings.Repeat("k", 200_000), "c"}}
	for _, c := range []Compression{None, Record, Block} {
		b := write(t, Options{Compression: c, Codec: "Lz4Codec"}, big)
		r, err := NewReader(bytes.NewReader(b), ReadOptions{})
		require.NoError(t, err)
		got, err := read(r)
		require.NoError(t, err)
		require.Equal(t, big, got)
		r, err = NewReader(bytes.NewReader(b), ReadOptions{MaxRecord: 1 << 20})
		require.NoError(t, err)
		_, err = read(r)
		require.Error(t, err, "larger than allowed")
	}
}

func TestNothingIsAllocatedForARecord(t *testing.T) {
	key, value := []byte("key"), bytes.Repeat([]byte("value "), 20)
	for _, o := range []Options{{}, {Compression: Record, Codec: "SnappyCodec"}, {Compression: Record},
		{Compression: Block, Codec: "Lz4Codec"}} {
		var file bytes.Buffer
		file.Grow(64 << 20)
		w, err := NewWriter(&file, o)
		require.NoError(t, err)
		const n = 20_000
		writing := testing.AllocsPerRun(1, func() {
			for range n {
				_ = w.Append(key, value)
			}
		})
		require.NoError(t, w.Close())
		r, err := NewReader(&file, ReadOptions{})
		require.NoError(t, err)
		reading := testing.AllocsPerRun(1, func() {
			for range n {
				_, _, err = r.Next()
			}
		})
		require.NoError(t, err)
		require.Less(t, writing, float64(n/50), "%+v", o)
		require.Less(t, reading, float64(n/50), "%+v", o)
	}
}

func FuzzReader(f *testing.F) {
	for _, c := range []Compression{None, Record, Block} {
		f.Add(write(f, Options{Compression: c, Codec: "SnappyCodec", SyncInterval: 50, BlockSize: 50}, records(10, 4)),
			int64(0))
		f.Add(write(f, Options{Compression: c, SyncInterval: 50, BlockSize: 50}, records(10, 4)), int64(100))
	}
	f.Fuzz(func(t *testing.T, b []byte, start int64) {
		r, err := NewReader(bytes.NewReader(b), ReadOptions{MaxRecord: 1 << 20})
		if err != nil {
			return
		}
		if start > 0 && r.Part(start, start+100, int64(len(b))) != nil {
			return
		}
		_, _ = read(r)
	})
}

func BenchmarkWrite(b *testing.B) { bench(b, func(*bytes.Buffer) error { return nil }) }

func BenchmarkRead(b *testing.B) {
	bench(b, func(file *bytes.Buffer) error {
		r, err := NewReader(file, ReadOptions{})
		for err == nil {
			_, _, err = r.Next()
		}
		return err
	})
}

// bench calls then with a written file and measures the call. If then returns nil, bench also
// measures writing the file. It counts the bytes of keys and values.
func bench(b *testing.B, then func(*bytes.Buffer) error) {
	rng := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(rng, 1.1, 1, 50_000)
	type record struct{ key, value []byte }
	var all []record
	size := 0
	for size < 8<<20 {
		r := record{fmt.Appendf(nil, "\x08k%07d", len(all)), nil}
		for len(r.value) < 80 {
			r.value = fmt.Appendf(r.value, "word%d ", zipf.Uint64())
		}
		all = append(all, r)
		size += len(r.key) + len(r.value)
	}
	for _, c := range []struct {
		name string
		Options
	}{
		{"none", Options{}}, {"record-snappy", Options{Compression: Record, Codec: "SnappyCodec"}},
		{"block-snappy", Options{Compression: Block, Codec: "SnappyCodec"}},
		{"block-lz4", Options{Compression: Block, Codec: "Lz4Codec"}},
		{"block-zstd", Options{Compression: Block, Codec: "ZStandardCodec"}}, {"block-zlib", Options{Compression: Block}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var file bytes.Buffer
			write := func() {
				file.Reset()
				w, _ := NewWriter(&file, c.Options)
				for i := range all {
					_ = w.Append(all[i].key, all[i].value)
				}
				_ = w.Close()
			}
			write()
			whole := bytes.Clone(file.Bytes())
			for b.Loop() {
				if then(bytes.NewBuffer(whole)) == nil {
					write()
				}
			}
		})
	}
}
