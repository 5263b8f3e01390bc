package apps_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// writeAll writes files into a new directory and returns its path.
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
	args := []string{"-r", "1", "-inFormat", text, "-outFormat", "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
		"-outKey", "org.apache.hadoop.io.Text"}
	for op, want := range map[string]string{"inner": "2\t[y,p]\n2\t[y,q]\n",
		"outer": "1\t[x,]\n2\t[y,p]\n2\t[y,q]\n7\t[z,]\n8\t[,r]\n", "override": "1\tx\n2\tp\n2\tq\n7\tz\n8\tr\n"} {
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

// TestRandomWriter checks that sort reads and orders the SequenceFiles that randomwriter writes.
func TestRandomWriter(t *testing.T) {
	s := settings{"mapreduce.randomwriter.totalbytes": "60000", "mapreduce.randomwriter.bytespermap": "20000",
		"mapreduce.randomwriter.maxvalue": "100"}
	dir := t.TempDir()
	random, sorted := filepath.Join(dir, "random"), filepath.Join(dir, "sorted")
	_, err := run(t, s, "randomwriter", random)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(random, "part-m-00002"))
	const classes = "org.apache.hadoop.mapreduce.lib."
	_, err = run(t, nil, "sort", "-inFormat", classes+"input.SequenceFileInputFormat", "-outFormat",
		classes+"output.TextOutputFormat", "-outKey", "org.apache.hadoop.io.BytesWritable", "-outValue", "BytesWritable",
		random, sorted)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(parts(t, sorted)), "\n")
	require.Greater(t, len(lines), 60)
	require.IsIncreasing(t, lines)
}

func TestDFSIO(t *testing.T) {
	dir := t.TempDir()
	s := settings{"test.build.data": dir + "/io"}
	results := filepath.Join(dir, "results.log")
	args := []string{"-nrFiles", "3", "-size", "100KB", "-bufferSize", "1000", "-resFile", results}
	for _, test := range []string{"write", "read", "append"} {
		out, err := run(t, s, "dfsio", append(args, "-"+test)...)
		require.NoError(t, err)
		require.Regexp(t, `^----- TestDFSIO ----- : `+test+`
            Date & time: \w{3} \w{3} .* \d{4}
        Number of files: 3
 Total MBytes processed: 0\.29
      Throughput mb/sec: [\d.]+
 Average IO rate mb/sec: [\d.]+
  IO rate std deviation: [\d.]+
     Test exec time sec: [\d.]+

$`, out)
	}
	info, err := os.Stat(filepath.Join(dir, "io/io_data/test_io_2"))
	require.NoError(t, err)
	require.EqualValues(t, 2*100<<10, info.Size())
	all, err := os.ReadFile(results)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(all), "TestDFSIO"))

	_, err = run(t, s, "dfsio", "-read", "-nrFiles", "3", "-size", "1MB", "-resFile", results)
	require.ErrorContains(t, err, "shorter")
	_, err = run(t, s, "dfsio", "-clean")
	require.NoError(t, err)
	require.NoDirExists(t, filepath.Join(dir, "io"))
	for _, bad := range [][]string{{}, {"-size", "1"}, {"-write", "-size", "1X"}, {"-write", "-nrFiles"},
		{"-write", "-nrFiles", "0"}, {"-write", "-size", "9999999TB"}, {"-truncate", "x"}} {
		_, err := run(t, s, "dfsio", bad...)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", bad, err)
	}
}

func TestMRBench(t *testing.T) {
	base := filepath.Join(t.TempDir(), "bench")
	out, err := run(t, nil, "mrbench", "-baseDir", base, "-numRuns", "2", "-inputLines", "5", "-inputType", "random",
		"-verbose")
	require.NoError(t, err)
	require.Regexp(t, `^Total MapReduce jobs executed: 2
Total lines of data per job: 5
Maps per job: 2
Reduces per job: 1
Total milliseconds for task: 1 = \d+
Total milliseconds for task: 2 = \d+
DataLines	Maps	Reduces	AvgTime \(milliseconds\)
5		2	1	\d+
$`, out)
	left, err := os.ReadDir(base)
	require.NoError(t, err)
	require.Empty(t, left)
	for _, bad := range [][]string{{"x"}, {"-maps", "0"}, {"-inputType", "odd"}, {"-numRuns", "none"}} {
		_, err := run(t, nil, "mrbench", bad...)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", bad, err)
	}
}

// TestSequenceFilesByDefault checks that join and aggregatewordcount read SequenceFiles by default.
func TestSequenceFilesByDefault(t *testing.T) {
	const lib, text = "org.apache.hadoop.mapreduce.lib.", "org.apache.hadoop.io.Text"
	dir := t.TempDir()
	var sorted []string
	for i, lines := range []string{"b\ttwo\na\tone\nc\tthree\n", "c\tdrei\na\teins\n"} {
		out := filepath.Join(dir, string(rune('a'+i)))
		_, err := run(t, nil, "sort", "-r", "2", "-inFormat", lib+"input.KeyValueTextInputFormat", "-outFormat",
			lib+"output.SequenceFileOutputFormat", "-outKey", text, "-outValue", text, write(t, lines), out)
		require.NoError(t, err)
		sorted = append(sorted, out)
	}
	joined := filepath.Join(dir, "joined")
	_, err := run(t, nil, "join", "-r", "1", "-outFormat", lib+"output.TextOutputFormat", "-outKey", text, sorted[0],
		sorted[1], joined)
	require.NoError(t, err)
	require.Equal(t, "a\t[one,eins]\nc\t[three,drei]\n", parts(t, joined))
	_, err = run(t, nil, "join", "-outFormat", lib+"output.TextOutputFormat", sorted[0], sorted[1],
		filepath.Join(dir, "wrong"))
	require.ErrorContains(t, err, "expected org.apache.hadoop.io.BytesWritable, received "+text)

	counted := filepath.Join(dir, "counted")
	_, err = run(t, nil, "aggregatewordcount", sorted[0]+","+sorted[1], counted)
	require.NoError(t, err)
	require.Equal(t, "drei\t1\neins\t1\none\t1\nthree\t1\ntwo\t1\n", parts(t, counted))
}

func TestSortValidator(t *testing.T) {
	const lib, text = "org.apache.hadoop.mapreduce.lib.", "org.apache.hadoop.io.BytesWritable"
	s := settings{"mapreduce.randomwriter.totalbytes": "30000", "mapreduce.randomwriter.bytespermap": "10000",
		"mapreduce.randomwriter.maxvalue": "100"}
	dir := t.TempDir()
	random, sorted := filepath.Join(dir, "random"), filepath.Join(dir, "sorted")
	_, err := run(t, s, "randomwriter", random)
	require.NoError(t, err)
	_, err = run(t, nil, "sort", "-r", "3", "-inFormat", lib+"input.SequenceFileInputFormat", "-outFormat",
		lib+"output.SequenceFileOutputFormat", "-outKey", text, "-outValue", text, random, sorted)
	require.NoError(t, err)
	total := filepath.Join(dir, "total")
	order := []string{"-r", "3", "-totalOrder", "1", "100", "10", "-inFormat", lib + "input.SequenceFileInputFormat",
		"-outFormat", lib + "output.TextOutputFormat", "-outKey"}
	_, err = run(t, nil, "sort", append(order, text, "-outValue", text, random, total)...)
	require.NoError(t, err)
	require.IsIncreasing(t, strings.Split(strings.TrimSpace(parts(t, total)), "\n"))
	_, err = run(t, nil, "sort", append(order, "org.apache.hadoop.io.LongWritable", "-outValue", text, random,
		filepath.Join(dir, "wrong"))...)
	require.ErrorContains(t, err, "Type mismatch in key")
	for _, deep := range [][]string{nil, {"-deep", "-r", "2"}} {
		out, err := run(t, nil, "testmapredsort", append(deep, "-sortInput", random, "-sortOutput", sorted)...)
		require.NoError(t, err)
		require.Contains(t, out, "SUCCESS! Validated the MapReduce framework's 'sort' successfully.")
		require.NoDirExists(t, sorted+"_validate")
	}
	_, err = run(t, nil, "testmapredsort", "-sortInput", sorted, "-sortOutput", random)
	require.ErrorContains(t, err, "validate sort", "the input is not sorted")

	require.NoError(t, os.Rename(filepath.Join(sorted, "part-r-00000"), filepath.Join(sorted, "part-r-00009")))
	require.NoError(t, os.Rename(filepath.Join(sorted, "part-r-00001"), filepath.Join(sorted, "part-r-00000")))
	_, err = run(t, nil, "testmapredsort", "-sortInput", random, "-sortOutput", sorted)
	require.ErrorContains(t, err, "belongs in part", "the parts are not where they belong")

	require.NoError(t, os.Remove(filepath.Join(random, "part-m-00000")))
	require.NoError(t, os.Rename(filepath.Join(sorted, "part-r-00000"), filepath.Join(sorted, "part-r-00001")))
	require.NoError(t, os.Rename(filepath.Join(sorted, "part-r-00009"), filepath.Join(sorted, "part-r-00000")))
	_, err = run(t, nil, "testmapredsort", "-sortInput", random, "-sortOutput", sorted)
	require.ErrorContains(t, err, "the records of the input are")
	_, err = run(t, nil, "testmapredsort", "-deep", "-sortInput", random, "-sortOutput", sorted)
	require.ErrorContains(t, err, "times more often")
	_, err = run(t, nil, "testmapredsort", "-sortInput", random)
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
}
