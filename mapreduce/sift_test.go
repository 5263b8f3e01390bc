package mapreduce

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
)

// slow is a file system whose files return few bytes at a time.
type slow struct {
	dfs.FileSystem
	most int
}

func (s slow) Open(ctx context.Context, name string) (dfs.File, error) {
	file, err := s.FileSystem.Open(ctx, name)
	return slowFile{file, s.most}, err
}

type slowFile struct {
	dfs.File
	most int
}

func (f slowFile) Read(p []byte) (int, error) { return f.File.Read(p[:min(len(p), f.most)]) }

// A reader that may leave out records still delivers, with their keys, all records that contain the
// text, and counts the others.
func TestSiftedRecords(t *testing.T) {
	outer, left := t, int64(0)
	pieces := []string{"a", "b", "ab", "\t", "\n", "\r", "\r\n", "\xef\xbb\xbf", strings.Repeat("z", 20)}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.SampledFrom(pieces), 60, 200).Draw(t, "text")
		end := rapid.IntRange(0, len(all)).Draw(t, "end")
		start := len(strings.Join(all[:rapid.IntRange(0, end).Draw(t, "start")], ""))
		s := chunk(int64(start), int64(len(strings.Join(all[:end], ""))-start))
		env := testEnv(outer, map[string]string{"/f": strings.Join(all, "")},
			conf.InputLineRecordReaderLineMaxLength.Name,
			rapid.SampledFrom([]string{"2147483647", "30", "2"}).Draw(t, "longest"),
			conf.TextInputFormatRecordDelimiter.Name, rapid.SampledFrom([]string{"", "ab"}).Draw(t, "delimiter"))
		env.FS = memFS{slow{env.FS.(memFS).fs, rapid.IntRange(1, 300).Draw(t, "read")}}
		for _, needed := range []string{"a", "ab", "aba", "za", "\xbf", "a\tb", "\n", "\nb", "b\ra"} {
			for _, format := range []InputFormat{TextInput{}, KeyValueTextInput{}, NLineInput{}} {
				left += checkSifted(t, env, format, s, needed)
			}
		}
	})
	require.Positive(t, left, "no record was left out")
}

// checkSifted compares a reader that may leave out records with one that may not, and returns the
// number of records that the first left out.
func checkSifted(t *rapid.T, env *Env, format InputFormat, s Split, needed string) (missing int64) {
	got, counted := siftedRecords(t, env, format, s, needed)
	all, none := siftedRecords(t, env, format, s, "")
	require.Zero(t, none)
	for _, record := range all {
		if len(got) > 0 && got[0] == record {
			got = got[1:]
			continue
		}
		require.NotContains(t, record[1], needed)
		missing++
	}
	require.Empty(t, got)
	require.Equal(t, missing, counted)
	return missing
}

// siftedRecords returns the records that a reader delivers, and the number of those that it left out.
func siftedRecords(t *rapid.T, env *Env, f InputFormat, s Split, needed string) (got [][2]string, left int64) {
	c := testContext(env)
	r, err := f.Open(c, &s)
	require.NoError(t, err)
	r.(Sifter).Sift([]byte(needed))
	for {
		k, v, err := r.Next()
		if err == io.EOF {
			return got, c.Counters().Builtin[job.MapInputRecords]
		}
		require.NoError(t, err)
		got = append(got, [2]string{string(k), string(v)})
	}
}
