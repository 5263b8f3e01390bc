package apps_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// writeAll writes files into a new directory and gives its path.
func writeAll(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))), []byte(text), 0o644))
	}
	return dir
}

func TestMultiFileWordCount(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, err := run(t, nil, "multifilewc", writeAll(t, "to be\n", "or not\n", "to be"), out)
	require.NoError(t, err)
	require.Equal(t, "be\t2\nnot\t1\nor\t1\nto\t2\n", parts(t, out))
}

func TestJoin(t *testing.T) {
	a, b := writeAll(t, "1\tx\n2\ty\n", "7\tz\n"), writeAll(t, "2\tp\n2\tq\n", "8\tr\n")
	const text = "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat"
	args := []string{"-r", "1", "-inFormat", text, "-outFormat", "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat", "-outKey", "org.apache.hadoop.io.Text"}
	for op, want := range map[string]string{"inner": "2\t[y,p]\n2\t[y,q]\n", "outer": "1\t[x,]\n2\t[y,p]\n2\t[y,q]\n7\t[z,]\n8\t[,r]\n", "override": "1\tx\n2\tp\n2\tq\n7\tz\n8\tr\n"} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, nil, "join", append(args, "-joinOp", op, a, b, out)...)
		require.NoError(t, err)
		require.Equal(t, want, parts(t, out))
	}
	_, err := run(t, nil, "join", "-outKey", "IntWritable", "-inFormat", text, a, b, "out")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	_, err = run(t, nil, "join", "-joinOp", "left", "-inFormat", text, a, b, "out")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	_, err = run(t, nil, "join", a)
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
}

// Random SequenceFiles are sorted by the sort of SequenceFiles.
func TestRandomWriter(t *testing.T) {
	s := settings{"mapreduce.randomwriter.totalbytes": "60000", "mapreduce.randomwriter.bytespermap": "20000", "mapreduce.randomwriter.maxvalue": "100"}
	dir := t.TempDir()
	random, sorted := filepath.Join(dir, "random"), filepath.Join(dir, "sorted")
	_, err := run(t, s, "randomwriter", random)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(random, "part-m-00002"))
	const classes = "org.apache.hadoop.mapreduce.lib."
	_, err = run(t, nil, "sort", "-inFormat", classes+"input.SequenceFileInputFormat", "-outFormat", classes+"output.TextOutputFormat", "-outKey", "org.apache.hadoop.io.BytesWritable", "-outValue", "BytesWritable", random, sorted)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(parts(t, sorted)), "\n")
	require.Greater(t, len(lines), 60)
	require.IsIncreasing(t, lines)
}
