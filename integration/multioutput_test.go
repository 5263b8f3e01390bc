//go:build integration

package integration

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The job publishes the files of multiple outputs exactly once, even if attempts fail in the middle
// or lose to speculative attempts.
func TestMultipleOutputsAreExact(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "multi")
	build, err := exec.Command("go", "build", "-o", bin, "./testdata/multi").CombinedOutput()
	require.NoError(t, err, string(build))
	in, _ := text(t, 3, 200)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2,
		Set: append([]string{"howdah.speculation.lag.ms=500", "howdah.speculation.interval.ms=200"}, hasty...)})
	run := func(set ...string) map[string]string {
		out := filepath.Join(t.TempDir(), "out")
		ok(t, c.Command(bin, append(defines(append([]string{"mapreduce.job.reduces=3"}, set...)), in, out)...))
		return tree(t, out)
	}
	want := run()
	require.Contains(t, want, "counts-r-00002")
	require.Contains(t, want, "by/length/3/words-r-00000")
	for name := range want {
		require.False(t, strings.HasPrefix(name, "part-"), "the job's own output is lazy")
	}
	for _, set := range [][]string{
		{"multi.fail=record", "multi.attempts=2"},
		{"multi.fail=close", "multi.attempts=3"},
		{"multi.slow=600000"}, // another attempt finishes first, so the job ends
	} {
		require.Equal(t, want, run(set...), "%q", set)
	}
}

// tree reads all files below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	}))
	return all
}
