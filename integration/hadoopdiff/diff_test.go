//go:build integration

package hadoopdiff

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
)

var (
	keep  = flag.String("keep", "", "new directory for scratch files, which stay there")
	whole = flag.Bool("whole", false, "run all cases, each also on a minicluster (make hadoopdiff)")
)

// shared is the bench of all tests except TestExamplesInEveryForm. Its two JVMs are warm after a few
// jobs.
var shared *Bench

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if shared != nil {
		shared.Close()
		if *keep == "" {
			_ = os.RemoveAll(shared.Dir)
		}
	}
	os.Exit(code)
}

// bench returns the shared bench. It skips the test if Hadoop cannot run.
func bench(t *testing.T) *Bench {
	t.Helper()
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	if shared != nil {
		return shared
	}
	lib, err := apachehadoop.Jars(context.Background())
	require.NoError(t, err)
	dir := *keep
	if dir == "" {
		dir, err = os.MkdirTemp("", "hadoopdiff")
		require.NoError(t, err)
	}
	shared, err = NewBench(context.Background(), dir, minicluster.Binary(t), lib, 2)
	require.NoError(t, err)
	return shared
}

// quick selects the cases that run without -whole: every quick-th case, and every (quick*quick)-th
// case also on a minicluster.
const quick = 4

func TestCases(t *testing.T) {
	b := bench(t)
	b.Cluster = minicluster.Start(t, minicluster.Options{TaskTrackers: 2}).Conf
	t.Run("all", func(t *testing.T) {
		for i, c := range cases() {
			if !*whole && i%quick != 0 {
				continue
			}
			c.Cluster = *whole || i%(quick*quick) == 0
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				runCase(t, b, &c, 1)
			})
		}
	})
}

// runCase runs a case and reports each difference as a failure.
func runCase(t *testing.T, b *Bench, c *Case, seed uint64) {
	t.Helper()
	o, err := b.Run(c, seed)
	require.NoError(t, err)
	t.Logf("%v there, %v here", o.Theirs.Time, o.Ours.Time)
	for _, d := range o.Differences {
		t.Error(d)
	}
	if *keep == "" && !t.Failed() {
		_ = os.RemoveAll(o.Dir)
	}
}

func ExampleCase() {
	c := Case{Args: words("wordcount {in} {out}")}
	fmt.Println(strings.Join(c.ours(places{in: "IN", out: "OUT"}), " "))
	// Output: run wordcount IN OUT
}
