//go:build integration

package formats

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/mapreduce"
)

const inputPackage = "org.apache.hadoop.mapreduce.lib.input."

// lines returns text with all kinds of line endings.
func lines(n int) []byte {
	r := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(fmt.Sprintf("%d\t", i), r.IntN(5)))
		b.WriteString(strings.Repeat("x", r.IntN(60)))
		b.WriteString([]string{"\n", "\r\n", "\n", "\r"}[r.IntN(4)])
	}
	b.WriteString("without end")
	return []byte(b.String())
}

// Our splits have the same lengths as Hadoop's and contain the same keys and values.
func TestSplitsAreHadoops(t *testing.T) {
	h := start(t)
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, b, 0o644))
		return file
	}
	text := put("text", lines(300))
	big := put("big", lines(120_000))
	var s script
	s.add("compress", codecPackage+"BZip2Codec", big, filepath.Join(dir, "big.bz2"))
	s.add("compress", codecPackage+"GzipCodec", text, filepath.Join(dir, "text.gz"))
	h.run(t, s)
	bz2, err := codec.ByClass("bzip2")
	require.NoError(t, err)
	packed, err := bz2.AppendStream(nil, lines(100_000))
	require.NoError(t, err)
	ours := put("ours.bz2", packed)
	_, longs := values(t, 5000, func(i int) int64 { return int64(i) * 77 })
	_, texts := values(t, 5000, func(i int) string { return fmt.Sprint("value ", i, strings.Repeat("y", i%100)) })
	var rs []record
	for i := range longs {
		rs = append(rs, record{key: longs[i], value: texts[i]})
	}
	for i, how := range [][2]string{{"NONE"}, {"BLOCK", "SnappyCodec"}} {
		write(t, filepath.Join(dir, fmt.Sprint("seq", i)), io_+"LongWritable", io_+"Text", how, rs)
	}

	maxSize := func(n int) []string { return []string{conf.InputFileInputFormatSplitMaxSize.Name, fmt.Sprint(n)} }
	cases := [][]string{
		append([]string{"TextInputFormat", text}, maxSize(1000)...),
		append([]string{"TextInputFormat", filepath.Join(dir, "big.bz2")}, maxSize(100_000)...),
		append([]string{"TextInputFormat", filepath.Join(dir, "big.bz2")}, maxSize(250_001)...),
		append([]string{"KeyValueTextInputFormat", ours}, maxSize(90_000)...),
		append([]string{"TextInputFormat", ours, "textinputformat.record.delimiter", "xx"}, maxSize(90_000)...),
		{"TextInputFormat", filepath.Join(dir, "text.gz")},
		{"NLineInputFormat", text, conf.InputLineInputFormatLinesPerMap.Name, "7"},
		{"NLineInputFormat", text},
		append([]string{"FixedLengthInputFormat", put("fixed", []byte(strings.Repeat("abcdefg", 1000))),
			conf.FixedLengthInputFormatRecordLength.Name, "7"}, maxSize(999)...),
		append([]string{"FixedLengthInputFormat", put("fixed.1", []byte(strings.Repeat("abcdefg", 10))),
			conf.FixedLengthInputFormatRecordLength.Name, "35"}, maxSize(9)...),
		append([]string{"SequenceFileInputFormat", filepath.Join(dir, "seq0")}, maxSize(1)...),
		append([]string{"SequenceFileInputFormat", filepath.Join(dir, "seq1")}, maxSize(1)...),
		append([]string{"SequenceFileAsTextInputFormat", filepath.Join(dir, "seq0")}, maxSize(1)...),
		append([]string{"SequenceFileAsBinaryInputFormat", filepath.Join(dir, "seq1")}, maxSize(1)...),
	}
	s = nil
	for i, c := range cases {
		s.add(append([]string{"splits", inputPackage + c[0], c[1], filepath.Join(dir, fmt.Sprint("dump", i))}, c[2:]...)...)
	}
	h.run(t, s)
	for i, c := range cases {
		want, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("dump", i)))
		require.NoError(t, err)
		got := ourSplits(t, c)
		if got != string(want) {
			a, b := strings.SplitAfter(string(want), "\n"), strings.SplitAfter(got, "\n")
			for j := range a {
				if j >= len(b) || a[j] != b[j] {
					require.Equal(t, strings.Join(a[max(j-2, 0):min(j+3, len(a))], ""),
						strings.Join(b[min(max(j-2, 0), len(b)):min(j+3, len(b))], ""), "%v line %d", c, j)
				}
			}
			require.Equal(t, len(a), len(b), "%v", c)
		}
		require.Greater(t, strings.Count(got, "\n"), 5, "%v", c)
	}
}

// ourSplits dumps our splits in the format of Formats.java.
func ourSplits(t *testing.T, c []string) string {
	cf := conf.New()
	cf.Set(conf.InputFileInputFormatInputDir.Name, c[1], "test")
	cf.Set(conf.JobInputFormatClass.Name, c[0], "test")
	for i := 2; i < len(c); i += 2 {
		cf.Set(c[i], c[i+1], "test")
	}
	fs, err := local.Resolver(cf)
	require.NoError(t, err)
	env := &mapreduce.Env{Conf: cf, FS: fs}
	format := (&mapreduce.Job{Name: "j"}).InputFormat()
	splits, err := format.Splits(context.Background(), env)
	require.NoError(t, err)
	var b strings.Builder
	for _, s := range splits {
		fmt.Fprintf(&b, "split %d\n", s.Length)
		r, err := format.Open(mapreduce.NewContext(context.Background(), *env, mapreduce.TaskInfo{}), &s)
		require.NoError(t, err)
		key, value := format.Types(cf)
		if key == nil {
			key, value = r.(mapreduce.TypedReader).RecordTypes()
		}
		for {
			k, v, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err, "%v", c)
			b.Write(append(value.AppendText(append(key.AppendText(nil, k), '\t'), v), '\n'))
		}
		require.NoError(t, r.Close())
	}
	return b.String()
}
