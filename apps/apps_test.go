package apps_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/local"
)

// runner runs the jobs of an application in this process.
type runner struct {
	conf *conf.Config
	fs   dfs.Resolver
	out  bytes.Buffer
}

func (r *runner) Conf() *conf.Config { return r.conf }
func (r *runner) FS() dfs.Resolver   { return r.fs }
func (r *runner) Stdout() io.Writer  { return &r.out }
func (r *runner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	return local.Run(ctx, local.Options{FS: r.fs}, j, c)
}

// settings holds -D properties.
type settings map[string]string

// run runs an application and returns its standard output.
func run(t *testing.T, s settings, app string, args ...string) (stdout string, err error) {
	t.Helper()
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", t.TempDir(), "test")
	for k, v := range s {
		c.Set(k, v, "test")
	}
	fs, err := dfslocal.Resolver(c)
	require.NoError(t, err)
	for _, p := range apps.All() {
		if a := p.App(); a.Name == app {
			r := &runner{conf: c, fs: fs}
			err = a.Run(context.Background(), r, args)
			return r.out.String(), err
		}
	}
	t.Fatalf("no application %s", app)
	return "", nil
}

// parts returns the concatenated part files of an output.
func parts(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	require.NoError(t, err)
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		text, err := os.ReadFile(n)
		require.NoError(t, err)
		b.Write(text)
	}
	return b.String()
}

// small holds settings that make a job use many maps and merge passes.
var small = settings{
	"mapreduce.input.fileinputformat.split.maxsize": "1000",
	"mapreduce.task.io.sort.mb":                     "1",
	"mapreduce.task.io.sort.factor":                 "2",
	"mapreduce.map.output.compress":                 "true",
}

// everyWay runs an application under several settings and returns its output, which must be
// byte-identical each time. It appends an output directory to args. output is the path to compare,
// relative to that directory.
func everyWay(t *testing.T, output, app string, args ...string) string {
	t.Helper()
	var first string
	for i, s := range []settings{nil, small, {"mapreduce.input.fileinputformat.split.maxsize": fewBytes(t, args)}} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, s, app, append(slices.Clone(args), out)...)
		require.NoError(t, err)
		got := parts(t, filepath.Join(out, output))
		if i == 0 {
			first = got
		}
		require.Equal(t, first, got, "with %v", s)
	}
	require.NotEmpty(t, first)
	return first
}

// fewBytes returns a split size at which the input files among args have up to about 100 splits. It
// is at least 37, so in small inputs many lines are longer than a split.
func fewBytes(t *testing.T, args []string) string {
	t.Helper()
	total := 0
	for _, a := range args {
		err := filepath.WalkDir(a, func(_ string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			total += int(info.Size())
			return err
		})
		if !errors.Is(err, os.ErrNotExist) {
			require.NoError(t, err)
		}
	}
	return strconv.Itoa(max(37, total/100))
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.txt")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// prose returns lines of a few distinct words.
func prose(lines int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range lines {
		for range r.IntN(12) {
			fmt.Fprintf(&b, "w%d ", r.IntN(50))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func counted(words []string) map[string]int {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	return n
}

func TestWordcount(t *testing.T) {
	text := prose(300)
	var want []string
	for w, n := range counted(strings.Fields(text)) {
		want = append(want, fmt.Sprintf("%s\t%d", w, n))
	}
	sort.Strings(want)
	require.Equal(t, strings.Join(want, "\n")+"\n", everyWay(t, "", "wordcount", write(t, text)))
}

// TestWordsOfOtherFormats checks that, if the keys are texts, the job counts only the words of the
// values.
func TestWordsOfOtherFormats(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, err := run(t, settings{conf.JobInputFormatClass.Name: "KeyValueTextInputFormat"}, "wordcount",
		write(t, "a\tb c\nd\tb\n"), out)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "b\t2\nc\t1\n", string(b))
}

func TestSortTakesOptionsAnywhere(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, err := run(t, nil, "sort", write(t, "b\t1\na\t2\n"), "-outKey", "Text", out, "-r", "2")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(out, "part-r-00001"))
	_, err = run(t, nil, "join", "in", "out", "-joinOp", "sideways")
	require.True(t, failure.Is(err, failure.Config) || failure.Is(err, failure.Usage), "%v", err)
}

func TestWordsThatAreNoUTF8(t *testing.T) {
	require.Equal(t, "caf\uFFFD\t3\nok\t1\n", everyWay(t, "", "wordcount", write(t, "caf\xe9 ok caf\xff\ncaf\uFFFD\n")))
}

func TestGrep(t *testing.T) {
	text := prose(300)
	in := write(t, text)
	n := counted(regexp.MustCompile("w[1-3]+").FindAllString(text, -1))
	var matches []string
	for m := range n {
		matches = append(matches, m)
	}
	sort.Slice(matches, func(i, j int) bool {
		if a, b := n[matches[i]], n[matches[j]]; a != b {
			return a > b
		}
		return matches[i] < matches[j]
	})
	var want strings.Builder
	for _, m := range matches {
		fmt.Fprintf(&want, "%d\t%s\n", n[m], m)
	}
	for _, s := range []settings{nil, small} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, s, "grep", in, out, "w[1-3]+")
		require.NoError(t, err)
		require.Equal(t, want.String(), parts(t, out))
		left, err := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
		require.NoError(t, err)
		require.Equal(t, []string{out}, left, "nothing but the output is left")
	}
	_, err := run(t, nil, "grep", in, filepath.Join(t.TempDir(), "out"), "(")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	_, err = run(t, nil, "grep", in, filepath.Join(t.TempDir(), "out"), "w(.)", "2")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
}

func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("k%03d\tv%d", r.IntN(200), i))
	}
	in := write(t, strings.Join(lines, "\n")+"\n")
	sort.SliceStable(lines, func(i, j int) bool { return lines[i][:4] < lines[j][:4] })
	want := strings.Join(lines, "\n") + "\n"
	out := filepath.Join(t.TempDir(), "out")
	_, err := run(t, nil, "sort", in, out)
	require.NoError(t, err)
	require.Equal(t, want, parts(t, out))

	out = filepath.Join(t.TempDir(), "out")
	_, err = run(t, nil, "sort", "-r", "5", "-totalOrder", "0.5", "100", "10", in, out)
	require.NoError(t, err)
	require.Equal(t, want, parts(t, out), "part files are in order")
	require.FileExists(t, filepath.Join(out, "part-r-00004"))
}

func TestPi(t *testing.T) {
	out, err := run(t, nil, "pi", "4", "1000")
	require.NoError(t, err)
	require.Contains(t, out, "Estimated value of Pi is 3.14000000000000000000\n") // the output of Hadoop 3.4.2
	_, err = run(t, nil, "pi", "0", "1")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
}

func TestSleep(t *testing.T) {
	_, err := run(t, nil, "sleep", "-m", "3", "-r", "2", "-mt", "2", "-rt", "1", "-recordt", "1")
	require.NoError(t, err)
}

func TestLoadgen(t *testing.T) {
	_, err := run(t, nil, "loadgen", "-m", "3", "-r", "2", "-map", "cpu=2ms,memory=2m,write=64k;read=100k", "-reduce",
		"cpu=1ms", "-steps", "4", "-skew", "0.5")
	require.NoError(t, err)
	for _, bad := range [][]string{{"x"}, {"-m", "0"}, {"-map", "fuel=3"}, {"-reduce", ""},
		{"-steps", "1", "-map", "cpu=1s;cpu=2s"}, {"-skew", "2"}} {
		_, err := run(t, nil, "loadgen", bad...)
		require.Contains(t, []failure.Kind{failure.Usage, failure.Config}, failure.KindOf(err), "%v: %v", bad, err)
	}
}

func TestRandomText(t *testing.T) {
	s := settings{"mapreduce.randomtextwriter.totalbytes": "30000", "mapreduce.randomtextwriter.bytespermap": "10000"}
	var texts [2]string
	for i := range texts {
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, s, "randomtextwriter", out)
		require.NoError(t, err)
		texts[i] = parts(t, out)
		require.FileExists(t, filepath.Join(out, "part-m-00002"))
	}
	require.Greater(t, len(texts[0]), 30000)
	require.Equal(t, texts[0], texts[1], "the seed alone decides")
}

func TestTera(t *testing.T) {
	dir := t.TempDir()
	gen, sorted := filepath.Join(dir, "gen"), filepath.Join(dir, "sorted")
	_, err := run(t, settings{"mapreduce.job.maps": "3"}, "teragen", "1000", gen)
	require.NoError(t, err)
	rows := parts(t, gen)
	require.Len(t, rows, 100_000)

	s := settings{"mapreduce.job.reduces": "3", "mapreduce.input.fileinputformat.split.maxsize": "777"}
	_, err = run(t, s, "terasort", gen, sorted)
	require.NoError(t, err)
	var want []string
	for i := 0; i < len(rows); i += 100 {
		want = append(want, rows[i:i+100])
	}
	sort.Strings(want)
	require.Equal(t, strings.Join(want, ""), parts(t, sorted))

	ok, bad := filepath.Join(dir, "ok"), filepath.Join(dir, "bad")
	_, err = run(t, nil, "teravalidate", sorted, ok)
	require.NoError(t, err)
	require.Equal(t, "checksum\t1f9ffe645ec\n", parts(t, ok)) // as in Hadoop 3.4.2
	_, err = run(t, nil, "teravalidate", gen, bad)
	require.NoError(t, err)
	require.True(t, strings.Contains(parts(t, bad), "error\tmisorder in part-m-00001 between 7c 5a 4c e8 25 28 3f 69 "+
		"a7 87 and 24 7c 77 5d e0 f8 98 c8 f1 83\n"))
	left, err := filepath.Glob(filepath.Join(dir, "_*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSecondarySort(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var in strings.Builder
	bySecond := map[int][]int{}
	for range 300 {
		a, b := r.IntN(20)-10, r.IntN(1000)-500
		fmt.Fprintf(&in, "%d %d\n", a, b)
		bySecond[a] = append(bySecond[a], b)
	}
	var want strings.Builder
	for a := -10; a < 10; a++ {
		if len(bySecond[a]) == 0 {
			continue
		}
		want.WriteString("------------------------------------------------\n")
		sort.Ints(bySecond[a])
		for _, b := range bySecond[a] {
			fmt.Fprintf(&want, "%d\t%d\n", a, b)
		}
	}
	require.Equal(t, want.String(), everyWay(t, "", "secondarysort", write(t, in.String())))
}

func TestKMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var in strings.Builder
	for i := range 200 {
		c := float64(i % 4 * 10)
		fmt.Fprintf(&in, "%.3f,%.3f\n", c+r.NormFloat64(), -c+r.NormFloat64())
	}
	file := write(t, in.String())
	clusters := everyWay(t, "points", "kmeans", "-k", "4", "-rounds", "20", "-seed", "1", file)
	require.Len(t, strings.Split(strings.TrimSpace(clusters), "\n"), 200)

	// The last round's centers are the means of their points, so no center would move in a further
	// round.
	out := filepath.Join(t.TempDir(), "out")
	text, err := run(t, nil, "kmeans", "-k", "4", "-rounds", "50", "-seed", "1", file, out)
	require.NoError(t, err)
	require.Contains(t, text, "centers moved by at most 0\n")
	sums, n := map[string][2]float64{}, map[string]float64{}
	for _, l := range strings.Split(strings.TrimSpace(parts(t, filepath.Join(out, "points"))), "\n") {
		id, point, _ := strings.Cut(l, "\t")
		var x, y float64
		_, err := fmt.Sscanf(point, "%f,%f", &x, &y)
		require.NoError(t, err)
		sums[id], n[id] = [2]float64{sums[id][0] + x, sums[id][1] + y}, n[id]+1
	}
	last := regexp.MustCompile(`clusters: (.*)`).FindStringSubmatch(text)[1]
	for _, l := range strings.Split(strings.TrimSpace(parts(t, last)), "\n") {
		f := strings.FieldsFunc(l, func(c rune) bool { return c == '\t' || c == ',' })
		require.Equal(t, n[f[0]], number(t, f[1]))
		require.InDelta(t, sums[f[0]][0]/n[f[0]], number(t, f[2]), 1e-6)
		require.InDelta(t, sums[f[0]][1]/n[f[0]], number(t, f[3]), 1e-6)
	}

	_, err = run(t, nil, "kmeans", "-k", "300", file, filepath.Join(t.TempDir(), "out"))
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	_, err = run(t, nil, "kmeans", "-k", "2", file, out)
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
}

// TestKMeansClustering checks that the clustering job is optional and can group the points of a
// cluster.
func TestKMeansClustering(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var in strings.Builder
	for range 300 {
		fmt.Fprintf(&in, "%d %d\n", r.IntN(100), r.IntN(100))
	}
	file := write(t, in.String())
	args := []string{"-k", "12", "-rounds", "3"}
	out := filepath.Join(t.TempDir(), "out")
	_, err := run(t, nil, "kmeans", append(args, "-cl", file, out)...)
	require.NoError(t, err)
	points := sortedLines(parts(t, filepath.Join(out, "points")))
	require.Len(t, points, 300)

	out = filepath.Join(t.TempDir(), "out")
	s := settings{"mapreduce.job.reduces": "3", "mapreduce.input.fileinputformat.split.maxsize": "500"}
	_, err = run(t, s, "kmeans", append(args, "-sorted", file, out)...)
	require.NoError(t, err)
	require.Equal(t, points, sortedLines(parts(t, filepath.Join(out, "points"))))
	files, err := filepath.Glob(filepath.Join(out, "points", "part-r-*"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	seen := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		last := ""
		for line := range strings.Lines(string(text)) {
			cluster, _, _ := strings.Cut(line, "\t")
			require.False(t, cluster != last && seen[cluster], "cluster %s is in two places", cluster)
			last, seen[cluster] = cluster, true
		}
	}
	require.Len(t, seen, 12)

	out = filepath.Join(t.TempDir(), "out")
	text, err := run(t, nil, "kmeans", append(args, "-cl=false", file, out)...)
	require.NoError(t, err)
	require.Contains(t, text, "clusters: ")
	require.NotContains(t, text, "points: ")
	require.NoDirExists(t, filepath.Join(out, "points"))

	_, err = run(t, nil, "kmeans", "-cl=false", "-sorted", file, out+"2")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	_, err = run(t, settings{"mapreduce.job.reduces": "0"}, "kmeans", file, out+"2")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.NoDirExists(t, out+"2")
}

func number(t *testing.T, s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return x
}

// TestPageRank compares the ranks with those that the same rounds yield in floating point.
func TestPageRank(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const pages, rounds = 60, 12
	links := map[int][]int{}
	var in strings.Builder
	for p := range pages - 5 { // the last pages have no line
		fmt.Fprintf(&in, "p%02d\t", p)
		for range r.IntN(6) {
			to := r.IntN(pages)
			if fmt.Fprintf(&in, "p%02d ", to); !slices.Contains(links[p], to) {
				links[p] = append(links[p], to)
			}
		}
		in.WriteByte('\n')
	}
	in.WriteString("p99\tp00\n") // no page links to this last page
	links[99] = []int{0}
	known := map[int]bool{0: true, 99: true}
	for p := range pages - 5 {
		known[p] = true
		for _, to := range links[p] {
			known[to] = true
		}
	}
	rank := map[int]float64{}
	for p := range known {
		rank[p] = 1
	}
	for range rounds {
		next, held := map[int]float64{}, 0.0
		for p := range known {
			if len(links[p]) == 0 {
				held += rank[p]
			}
			for _, to := range links[p] {
				next[to] += rank[p] / float64(len(links[p]))
			}
		}
		for p := range known {
			rank[p] = 0.15 + 0.85*(next[p]+held/float64(len(known)))
		}
	}
	file := write(t, in.String())
	got := everyWay(t, "ranks", "pagerank", "-rounds", strconv.Itoa(rounds), file)

	// A reduce finds its pages in its own part file of the previous round, even in a compressed one.
	args := []string{"-rounds", strconv.Itoa(rounds), file}
	packed, err := run(t, settings{"mapreduce.job.reduces": "7", "mapreduce.output.fileoutputformat.compress": "true"},
		"pagerank", append(args, filepath.Join(t.TempDir(), "out"))...)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "out")
	plain, err := run(t, settings{"mapreduce.job.reduces": "7"}, "pagerank", append(args, out)...)
	require.NoError(t, err)
	changes := regexp.MustCompile("round .*")
	require.Equal(t, changes.FindAllString(plain, -1), changes.FindAllString(packed, -1))
	require.Equal(t, sortedLines(got), sortedLines(parts(t, filepath.Join(out, "ranks"))))
	_, err = run(t, settings{"mapreduce.job.reduces": "0"}, "pagerank", file, out)
	require.True(t, failure.Is(err, failure.Config), "%v", err)

	lines := strings.Split(strings.TrimSpace(got), "\n")
	require.Len(t, lines, len(known))
	for _, l := range lines {
		page, text, _ := strings.Cut(l, "\t")
		p, err := strconv.Atoi(strings.TrimPrefix(page, "p"))
		require.NoError(t, err)
		require.InDelta(t, rank[p], number(t, text), 1e-6, page)
	}
}
