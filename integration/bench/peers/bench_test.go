package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakePeer writes the texts in turn, one in each run.
type fakePeer struct {
	texts []string
	runs  int
}

func (p *fakePeer) name() string { return "fake" }
func (p *fakePeer) start() error { return nil }
func (p *fakePeer) stop()        {}

func (p *fakePeer) run(_, _, out string) (time.Duration, error) {
	text := p.texts[p.runs%len(p.texts)]
	p.runs++
	if err := os.Mkdir(out, 0o755); err != nil {
		return 0, err
	}
	return time.Second, os.WriteFile(filepath.Join(out, "part-r-00000"), []byte(text), 0o644)
}

// All runs of a job must have the same output, not only the last runs of the runtimes.
func TestOutputsOfAllRuns(t *testing.T) {
	b := &bench{dir: t.TempDir(), runs: 3}
	require.NoError(t, b.measure(&fakePeer{texts: []string{"a"}}))
	require.Len(t, b.results, len(jobs))
	for _, texts := range [][]string{{"b", "a", "a"}, {"a", "b", "a"}, {"a", "a", "b"}} {
		err := b.measure(&fakePeer{texts: texts})
		require.ErrorContains(t, err, "wordcount: the outputs of two runs differ", fmt.Sprint(texts))
	}
}

func Example_firstRuntime() {
	b := &bench{results: []result{
		{"hdfs", "wordcount", 2 * time.Second, "d1"}, {"local", "wordcount", 3 * time.Second, "d1"},
		{"hdfs", "terasort", 4 * time.Second, "d2"}, {"local", "terasort", 2 * time.Second, "d2"}}}
	if err := b.print(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// job        runtime  seconds  relative to the first  output
	// wordcount  hdfs     2.0      1.0                    d1
	// wordcount  local    3.0      1.5                    d1
	// terasort   hdfs     4.0      1.0                    d2
	// terasort   local    2.0      0.5                    d2
}
