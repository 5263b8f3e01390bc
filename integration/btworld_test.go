//go:build integration

package integration

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The complete BTWorld workflow of 21 jobs writes byte-identical output on a cluster and
// in-process. Several jobs run at the same time, and the test kills a TaskTracker that holds map
// output.
func TestBTWorldWorkflow(t *testing.T) {
	dir := t.TempDir()
	scrapes, alone, out := filepath.Join(dir, "scrapes"), filepath.Join(dir, "alone"), filepath.Join(dir, "out")
	reduces := []string{"-D", "mapreduce.job.reduces=2"}
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: patient})
	ok(t, c.Howdah("run", "-q", "btworld-generate", "-scrapes", "20000", "-swarms", "1000", "-m", "3", scrapes))

	btworld := application{name: "btworld"}
	want := btworld.result(t, alone,
		ok(t, minicluster.Alone(t, append([]string{"run", "-q", "btworld"}, append(reduces, scrapes, alone)...)...)))
	args := append([]string{"run", "-q", "btworld", "-D", "mapreduce.input.fileinputformat.split.maxsize=300000"},
		append(reduces, scrapes, out)...)
	wait, _ := c.Background(args...)
	minicluster.Eventually(t, 120*time.Second, "the first query to be answered", func() bool {
		done, err := filepath.Glob(filepath.Join(out, "*", "_SUCCESS"))
		return err == nil && len(done) > 0
	})
	c.Kill("tasktracker-1")
	r := ok(t, wait())
	require.Contains(t, r.Out, "20000 scrapes; damaged lines skipped: 0\n")
	require.Equal(t, 14+2, strings.Count(r.Out, "\n"), r.Out)
	require.Empty(t, differ(want, btworld.result(t, out, r)))
	require.Len(t, want, 14+14+11, "a mark for each query, and two part files unless it ranks everything")
	require.NoDirExists(t, filepath.Join(out, "_between"))
}
