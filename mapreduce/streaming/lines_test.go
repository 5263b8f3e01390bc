package streaming

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// plainLines splits text with a simple reference implementation.
func plainLines(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func allLines(t testing.TB, in io.Reader) []string {
	t.Helper()
	r := newLineReader(in, 4*lineBuffer)
	var out []string
	for {
		start, end, err := r.line()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		out = append(out, string(r.buf[start:end]))
		for i := start - room; i < start; i++ {
			r.buf[i] = 0xff // the caller may overwrite this byte
		}
	}
}

func TestLines(t *testing.T) {
	for _, text := range []string{"", "\n", "\r", "\r\n", "a", "a\n", "a\r\n\r\n", "a\rb\r\r\nc", "\n\n\r\n\r",
		strings.Repeat("x", 3*lineBuffer) + "\r\ny"} {
		require.Equal(t, plainLines(text), allLines(t, strings.NewReader(text)), "%.20q", text)
		short := text[:min(len(text), 5000)]
		require.Equal(t, plainLines(short), allLines(t, iotest.OneByteReader(strings.NewReader(short))), "%.20q", text)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\tb\r\nc\rd\n\n", int64(1))
	f.Fuzz(func(t *testing.T, text string, seed int64) {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		require.Equal(t, plainLines(text), allLines(t, &pieces{rest: []byte(text), rng: rng}))
	})
}

// pieces is a reader that returns a few bytes at a time.
type pieces struct {
	rest []byte
	rng  *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 1+p.rng.IntN(7))], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func TestLongLinesAndErrors(t *testing.T) {
	r := newLineReader(strings.NewReader(strings.Repeat("x", 2<<20)), 1<<20)
	_, _, err := r.line()
	require.True(t, failure.Is(err, failure.RecordTooLarge), "%v", err)
	broken := errors.New("broken")
	_, _, err = newLineReader(iotest.ErrReader(broken), 1).line()
	require.ErrorIs(t, err, broken)
}

// The buffers that a long line has outgrown do not remain until the next garbage collection, and the
// last one is no larger than the limit requires.
func TestMemoryOfALongLine(t *testing.T) {
	used := func() int {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc >> 20)
	}
	line := &forever{bytes.Repeat([]byte("x"), 64<<10)}
	before := used()
	r := newLineReader(io.LimitReader(line, 40<<20), 48<<20)
	start, end, err := r.line()
	require.NoError(t, err)
	require.Equal(t, 40<<20, end-start)
	require.Len(t, r.buf, room+48<<20+smallRead)
	require.Less(t, used()-before, 48+16, "the outgrown buffer of 32 MiB is still there")
}

// Records parsed in place are equal to those of a simple parser, encoded by the typed codec.
func FuzzTextRecords(f *testing.F) {
	f.Add([]byte("k\tv\nw\n\tx\ty"), "\t", 1)
	f.Add([]byte("a.b.c.d\n"+strings.Repeat("v", 300)), ".", 2)
	text, err := mapreduce.CodecOf[string]()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, in []byte, sep string, fields int) {
		if sep == "" || strings.ContainsAny(sep, "\r\n") {
			return
		}
		fields = max(fields%8, 0)
		r := formats[0].decoder(bytes.NewReader(in), sep, fields, 1<<20)
		for _, line := range plainLines(string(in)) {
			wantKey, wantValue := cutPlain(line, sep, fields)
			key, value, err := r.next()
			require.NoError(t, err)
			require.Equal(t, text.Append(nil, wantKey), key)
			require.Equal(t, text.Append(nil, wantValue), value)
		}
		_, _, err := r.next()
		require.Equal(t, io.EOF, err)
	})
}

func cutPlain(line, sep string, fields int) (key, value string) {
	parts := strings.Split(line, sep)
	n := max(fields, 1)
	if len(parts) <= n {
		return line, ""
	}
	return strings.Join(parts[:n], sep), strings.Join(parts[n:], sep)
}

func TestReadingRecordsAllocatesNothing(t *testing.T) {
	r := newLineReader(&forever{[]byte("some key\tsome value that is longer\r\nkey alone\n")}, 1<<20)
	text := &textReader{lineReader: r, separator: []byte("\t"), fields: 1}
	require.Zero(t, testing.AllocsPerRun(100_000, func() {
		if _, _, err := text.next(); err != nil {
			t.Fatal(err)
		}
	}))
}

// forever is a reader that repeats a string endlessly.
type forever struct{ text []byte }

func (f *forever) Read(b []byte) (n int, err error) {
	for len(b)-n >= len(f.text) {
		n += copy(b[n:], f.text)
	}
	return n, nil
}

func BenchmarkTextRecords(b *testing.B) {
	line := []byte("some key\tsome value that is longer, as lines go\n")
	text := &textReader{lineReader: newLineReader(&forever{line}, 1<<20), separator: []byte("\t"), fields: 1}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := text.next(); err != nil {
			b.Fatal(err)
		}
	}
}

// For any output of a command, the binary decoders terminate and return only well-formed records and
// errors with a kind.
func FuzzBinaryRecords(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01a\x00\x00\x00\x00"), false)
	f.Add([]byte("\x07\x00\x00\x00\x01a\x03\x00\x00\x00\x05"), true)
	f.Fuzz(func(t *testing.T, in []byte, typed bool) {
		how := formatOf("rawbytes")
		if typed {
			how = formatOf("typedbytes")
		}
		r := how.decoder(bytes.NewReader(in), "", 0, 1<<16)
		for {
			key, value, err := r.next()
			if err != nil {
				if err != io.EOF {
					require.NotEqual(t, failure.Unknown, failure.KindOf(err), "%v", err)
				}
				return
			}
			for _, b := range [][]byte{key, value} {
				how.key.AppendText(nil, b)
				require.Equal(t, len(b)-4, int(uint32(b[0])<<24|uint32(b[1])<<16|uint32(b[2])<<8|uint32(b[3])))
			}
		}
	})
}

func TestWritingRecordsAllocatesNothing(t *testing.T) {
	key, value := []byte("\x03key"), []byte("\x05value")
	for _, f := range formats {
		encode := f.encoder(mapreduce.TextWritable, mapreduce.TextWritable, "\t", false)
		buf := make([]byte, 0, 1<<10)
		require.Zero(t, testing.AllocsPerRun(10_000, func() { buf = encode.append(buf[:0], key, value) }), f.name)
	}
}
