//go:build integration

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakePeer writes the texts in turn, one in each run.
type fakePeer struct {
	single
	title string
	texts []string
	same  bool // with Hadoop's part files
	count int
}

func (p *fakePeer) name() string     { return p.title }
func (p *fakePeer) available() error { return nil }
func (p *fakePeer) start() error     { return nil }
func (p *fakePeer) mapReduce() bool  { return p.same }
func (p *fakePeer) runs(j *job) bool { return j.name == "wordcount" }

func (p *fakePeer) run(_ *job, _, out string) (time.Duration, error) {
	text := p.texts[p.count%len(p.texts)]
	p.count++
	return time.Duration(p.count) * time.Second, writePart(out, "part-r-00000", text)
}

// onYARN is a peer that uses YARN.
type onYARN struct{ fakePeer }

func (p *onYARN) used() (use, error) {
	return use{containers: float64(p.count), memory: 10 * float64(p.count), mapPeak: 300, reducePeak: 200,
		maps: 8, local: 7}, nil
}

func writePart(out, name, text string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name), []byte(text), 0o644)
}

func newBench(t *testing.T, runs int, peers ...peer) *bench {
	b := &bench{ctx: t.Context(), dir: t.TempDir(), runs: runs, size: 1e9, peers: peers}
	for i := range jobs {
		b.jobs = append(b.jobs, &jobs[i])
	}
	return b
}

// All runs of all programs must have the same result, not only the last ones.
func TestResultsOfAllRuns(t *testing.T) {
	good := []string{"a\t1\nb\t2\n"}
	require.NoError(t, newBench(t, 3, &fakePeer{texts: good}, &fakePeer{texts: []string{"  2 b\n  1 a\n"}}).measure())
	for _, texts := range [][]string{{"a\t1\n", good[0], good[0]}, {good[0], "a\t1\nb\t3\n", good[0]},
		{good[0], good[0], "a\t1\na\t1\nb\t2\n"}} {
		err := newBench(t, 3, &fakePeer{texts: good}, &fakePeer{texts: texts}).measure()
		require.ErrorContains(t, err, "wordcount: the results differ (wordcount)", texts)
	}
	other := &fakePeer{texts: []string{"b\t2\na\t1\n"}, same: true}
	require.NoError(t, newBench(t, 1, &fakePeer{texts: good}, other).measure())
	require.ErrorContains(t, newBench(t, 1, &fakePeer{texts: good, same: true}, other).measure(), "part files")
}

func TestOrdered(t *testing.T) {
	digest := func(texts ...string) string {
		dir := t.TempDir()
		for i, text := range texts {
			require.NoError(t, writePart(dir, "part-r-0000"+string(rune('0'+i)), text))
		}
		sum, err := ordered(dir)
		require.NoError(t, err)
		return sum
	}
	require.Equal(t, digest("a\nb\n"), digest("a\n", "b\n"))
	require.NotEqual(t, digest("a\nb\n"), digest("b\na\n"))
	_, err := ordered(t.TempDir())
	require.ErrorContains(t, err, "no part files")
}

func TestCountedNeedsTwoFields(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writePart(dir, "part-0", "a 1 2\n"))
	_, err := counted(dir)
	require.ErrorContains(t, err, `"a 1 2" is not a word and a count`)
}

func TestPi(t *testing.T) {
	pi, out := &jobs[len(jobs)-1], filepath.Join(t.TempDir(), "out")
	require.NoError(t, pi.keepPi([]byte("Job Finished in 0.1 seconds\nEstimated value of Pi is 3.14\n"), out))
	text, err := os.ReadFile(filepath.Join(out, "part-0"))
	require.NoError(t, err)
	require.Equal(t, "Estimated value of Pi is 3.14", string(text))
	require.ErrorContains(t, pi.keepPi([]byte("Job Finished"), filepath.Join(t.TempDir(), "out")), "no estimate")
}

func TestPipe(t *testing.T) {
	dir := t.TempDir()
	g := &gnu{b: newBench(t, 1)}
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(in, []byte("xay xaay\nxay\n"), 0o644))
	_, err := g.run(&job{pattern: "xa*y"}, in, out)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(out, "part-0"))
	require.NoError(t, err)
	require.Equal(t, "      2 xay\n      1 xaay\n", string(text))
	_, err = g.run(&job{pattern: "z"}, in, filepath.Join(dir, "nothing"))
	require.NoError(t, err, "grep exits with 1 if nothing matches")
	_, err = g.run(&job{pattern: "z"}, filepath.Join(dir, "missing"), filepath.Join(dir, "failed"))
	require.ErrorContains(t, err, "exit status 2")
}

func TestPage(t *testing.T) {
	text := []string{"a\t1\n"}
	b := newBench(t, 5, &fakePeer{title: "first", texts: text}, &onYARN{fakePeer{title: "second", texts: text}})
	b.options, b.missing = []string{"RUNS=5", "BYTES=7"}, []string{"third"}
	require.NoError(t, b.measure())
	dir := filepath.Join(t.TempDir(), "benchmarks")
	require.NoError(t, b.page(dir, &machine{Commit: "c0ffee", Date: "1 January 2026", Processor: "a processor", Cores: 2,
		MemoryGiB: 23.6, Kernel: "6.0", Load: "0.10"}))
	page, err := os.ReadFile(filepath.Join(dir, "peers.md"))
	require.NoError(t, err)
	for _, part := range []string{"    make bench-peers RUNS=5 BYTES=7\n\nCommit c0ffee, 1 January 2026, medians of 5",
		"| wordcount | first | 3.00 | 1.00 | 5.00 | 1.00 |\n| wordcount | second | 3.00 | 1.00 | 5.00 | 1.00 |\n",
		"| wordcount | second | 3 | 30 | 300 | 200 | 8 | 7 |\n\n- Machine",
		"(a processor), 24 GiB", "- third was not measured.\n"} {
		require.Contains(t, string(page), part)
	}
	picture, err := os.ReadFile(filepath.Join(dir, "peers.svg"))
	require.NoError(t, err)
	require.Contains(t, string(picture), ">second<")
}
