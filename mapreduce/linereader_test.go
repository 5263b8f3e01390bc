package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func chunk(start, length int64) Split {
	return Split{Chunks: []Chunk{{"/f", start, length}}, Length: length}
}

// lines splits text with a simple reference implementation.
func lines(text, delim string) []string {
	if delim == "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
		delim = "\n"
	}
	all := strings.Split(text, delim)
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// For any splits, each line appears exactly once and in order, with its offset as the key.
func TestLinesOfAnySplitsAreTheFilesLines(t *testing.T) {
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		delim := rapid.SampledFrom([]string{"", "", "ab", "||x"}).Draw(t, "delimiter")
		alphabet := []string{"a", "b", "\n", "\r", "\r\n", "|", "|x", "||x", "ab", "wörter", strings.Repeat("z", 200)}
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(alphabet)).Draw(t, "text"), "")
		env := testEnv(tb, map[string]string{"/f": text}, conf.TextInputFormatRecordDelimiter.Name, delim)
		var got []string
		for at := 0; at < len(text); {
			n := rapid.IntRange(1, len(text)-at).Draw(t, "length")
			keys, values, err := readAll(env, TextInput{}, chunk(int64(at), int64(n)))
			require.NoError(t, err)
			for i, k := range keys {
				off, _ := strconv.Atoi(k)
				require.True(t, strings.HasPrefix(text[off:], values[i]))
			}
			got = append(got, values...)
			at += n
		}
		require.Equal(t, lines(text, delim), append([]string{}, got...))
	})
}

func TestLineEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"":                 nil,
		"\n":               {"0="},
		"a":                {"0=a"},
		"a\nb\n":           {"0=a", "2=b"},
		"a\r\nb\rc\n\nd":   {"0=a", "3=b", "5=c", "7=", "8=d"},
		"a\r":              {"0=a"},
		"\r\r\n\n":         {"0=", "1=", "3="},
		"\xef\xbb\xbfa\nb": {"0=a", "5=b"},
		"\xef\xbb\xbf":     nil,
	} {
		keys, values, err := readAll(testEnv(t, map[string]string{"/f": text}), TextInput{}, chunk(0, int64(len(text))))
		require.NoError(t, err)
		var got []string
		for i := range keys {
			got = append(got, keys[i]+"="+values[i])
		}
		require.Equal(t, want, got, "%q", text)
	}
}

func TestLongLinesAreSkippedOrRefused(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	text := "a\n" + long + "\nb\n"
	env := testEnv(t, map[string]string{"/f": text}, conf.InputLineRecordReaderLineMaxLength.Name, "1000")
	_, values, err := readAll(env, TextInput{}, chunk(0, int64(len(text))))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, values)

	env = testEnv(t, map[string]string{"/f": text})
	_, values, err = readAll(env, TextInput{}, chunk(0, int64(len(text))))
	require.NoError(t, err)
	require.Equal(t, []string{"a", long, "b"}, values)

	env = testEnv(t, map[string]string{"/f": text}, "mapreduce.map.memory.mb", "80")
	_, _, err = readAll(env, TextInput{}, chunk(0, int64(len(text))))
	require.True(t, failure.Is(err, failure.RecordTooLarge), "%v", err)
	require.ErrorContains(t, err, "/f at byte 2")

	env.Conf.Set(conf.InputLineRecordReaderLineMaxLength.Name, "1000", "test") // the remedy that the error suggests
	keys, values, err := readAll(env, TextInput{}, chunk(0, int64(len(text))))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, values)
	require.Equal(t, []string{"0", strconv.Itoa(len(text) - 2)}, keys)
}

// The buffers of a long line, which are larger than the line, do not remain until the next garbage
// collection.
func TestALongLinesBufferIsReturned(t *testing.T) {
	used := func() int {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc >> 20)
	}
	scan := newLineScanner(io.LimitReader(endless{}, 40<<20), nil, 1<<30, 1<<30)
	before := used()
	_, end, _, err := scan.next()
	require.NoError(t, err)
	require.Equal(t, 40<<20, end-headroom)
	require.Less(t, used()-before, 128+24, "the outgrown buffer of 32 MiB is still there")
	r := &lineReader{scan: scan}
	require.NoError(t, r.Close())
	require.Less(t, used()-before, 32)
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A split that starts inside a long line neither stores the rest of the line nor reads beyond its own
// end, unless a line starts there.
func TestSplitsInsideALongLineCostNothing(t *testing.T) {
	const mb = 1 << 20
	text := "a\n" + strings.Repeat("x", 3*mb) + "\n" + strings.Repeat("y", mb) + "\nb\n"
	env := testEnv(t, map[string]string{"/f": text})
	for _, delim := range [][]byte{nil, []byte("\n"), []byte("\nb")} {
		s := chunk(mb, mb)
		c := testContext(env)
		r, err := newLineReader(c, &s, delim)
		require.NoError(t, err)
		_, _, err = r.Next()
		require.Equal(t, io.EOF, err)
		require.Len(t, r.scan.buf, headroom+lineBufferSize)
		require.LessOrEqual(t, c.Counters().Builtin[job.InputBytesRead], int64(mb+readPastEnd))
		require.NoError(t, r.Close())
	}
	_, values, err := readAll(env, TextInput{}, chunk(mb, 2*mb+3))
	require.NoError(t, err)
	require.Equal(t, []string{strings.Repeat("y", mb)}, values)
}

func TestKeyValueLines(t *testing.T) {
	text := "k\tv\nalone\n\tv\nk\t" + strings.Repeat("v", 300) + "\nk\tv\tw\n"
	_, values, err := readAll(testEnv(t, map[string]string{"/f": text}), KeyValueTextInput{}, chunk(0, int64(len(text))))
	require.NoError(t, err)
	require.Equal(t, []string{"v", "", "v", strings.Repeat("v", 300), "v\tw"}, values)
	keys, _, err := readAll(testEnv(t, map[string]string{"/f": text},
		conf.InputKeyValueLineRecordReaderKeyValueSeparator.Name, "l"), KeyValueTextInput{},
		chunk(0, int64(len(text))))
	require.NoError(t, err)
	require.Equal(t, []string{"k\tv", "a", "\tv", "k\t" + strings.Repeat("v", 300), "k\tv\tw"}, keys)
}

func BenchmarkTextInput(b *testing.B) {
	for _, width := range []int{10, 50, 100, 1000} {
		line := bytes.Repeat([]byte("x"), width-1)
		text := strings.Repeat(string(line)+"\n", 16<<20/width)
		b.Run(fmt.Sprintf("line=%d", width), func(b *testing.B) {
			env := testEnv(b, map[string]string{"/f": text})
			s := chunk(0, int64(len(text)))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := TextInput{}.Open(testContext(env), &s)
				require.NoError(b, err)
				for {
					if _, _, err = r.Next(); err != nil {
						break
					}
				}
				r.Close()
			}
		})
	}
}

func TestProgress(t *testing.T) {
	text := strings.Repeat("0123456789\n", 1000)
	env := testEnv(t, map[string]string{"/f": text})
	s := Split{Chunks: []Chunk{{"/f", 0, 5500}, {"/f", 5500, 5500}}, Length: 11000}
	r, err := TextInput{}.Open(testContext(env), &s)
	require.NoError(t, err)
	require.Zero(t, r.Progress())
	last := float32(0)
	for i := range 1000 {
		_, _, err := r.Next()
		require.NoError(t, err)
		require.GreaterOrEqual(t, r.Progress(), last)
		last = r.Progress()
		require.InDelta(t, float32(i+1)/1000, last, 0.01)
	}
	require.NoError(t, r.Close())

	empty := chunk(0, 0)
	r, err = TextInput{}.Open(testContext(testEnv(t, map[string]string{"/f": ""})), &empty)
	require.NoError(t, err)
	_, _, err = r.Next()
	require.Equal(t, io.EOF, err)
	require.Zero(t, r.Progress())
}

func TestReadingStopsWithTheAttempt(t *testing.T) {
	env := testEnv(t, map[string]string{"/f": strings.Repeat("x\n", 1<<20)})
	ctx, cancel := context.WithCancel(context.Background())
	s := chunk(0, 2<<20)
	r, err := TextInput{}.Open(NewContext(ctx, *env, TaskInfo{}), &s)
	require.NoError(t, err)
	_, _, err = r.Next()
	require.NoError(t, err)
	cancel()
	for err == nil {
		_, _, err = r.Next()
	}
	require.ErrorIs(t, err, context.Canceled)
}

// failing is a file system whose files return an error after some bytes.
type failing struct {
	dfs.FileSystem
	after int64
}

func (f failing) Open(ctx context.Context, name string) (dfs.File, error) {
	file, err := f.FileSystem.Open(ctx, name)
	return &failingFile{file, f.after}, err
}

type failingFile struct {
	dfs.File
	left int64
}

func (f *failingFile) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, failure.New(failure.IO, "read", "disk", syscall.EIO)
	}
	n, err := f.File.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

func TestStorageErrorsSayWhere(t *testing.T) {
	env := testEnv(t, map[string]string{"/f": "one\ntwo\nthree\n"})
	env.FS = memFS{failing{env.FS.(memFS).fs, 6}}
	_, values, err := readAll(env, TextInput{}, chunk(0, 14))
	require.Equal(t, []string{"one"}, values)
	require.True(t, failure.Is(err, failure.IO), "%v", err)
	require.ErrorContains(t, err, "/f at byte 4")
	require.ErrorIs(t, err, syscall.EIO)
	_, _, err = readAll(env, TextInput{}, Split{Chunks: []Chunk{{"/gone", 0, 1}}, Length: 1})
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
}

// Like Hadoop, the reader casts the separator's first character to a byte and ignores the
// delimiter.
func TestKeyValueSeparator(t *testing.T) {
	for sep, want := range map[string]string{"": "\t", "::": ":", "\u00fc": "\xfc", "\u0141": "A", "\U0001f418": "\x3d"} {
		text := "k" + want + "v||w\n"
		keys, values, err := readAll(testEnv(t, map[string]string{"/f": text},
			conf.InputKeyValueLineRecordReaderKeyValueSeparator.Name, sep, conf.TextInputFormatRecordDelimiter.Name, "||"),
			KeyValueTextInput{}, chunk(0, int64(len(text))))
		require.NoError(t, err)
		require.Equal(t, []string{"k"}, keys, "%q", sep)
		require.Equal(t, []string{"v||w"}, values, "%q", sep)
	}
}
