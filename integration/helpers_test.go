//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// text writes files of random words. It returns their directory and the expected word counts.
func text(t testing.TB, files, lines int) (dir string, want map[string]int) {
	t.Helper()
	dir, want = filepath.Join(t.TempDir(), "in"), map[string]int{}
	require.NoError(t, os.Mkdir(dir, 0o755))
	r := rand.New(rand.NewPCG(1, 2))
	for f := range files {
		var b strings.Builder
		for range lines {
			for range 1 + r.IntN(6) {
				w := fmt.Sprintf("w%d", int(r.ExpFloat64()*50))
				want[w]++
				b.WriteString(w + " ")
			}
			b.WriteByte('\n')
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d", f)), []byte(b.String()), 0o644))
	}
	return dir, want
}

// counts reads the output of a word count. It fails the test if _SUCCESS is missing, if _temporary
// exists, or if a word occurs twice.
func counts(t testing.TB, out string) map[string]int {
	t.Helper()
	require.FileExists(t, filepath.Join(out, "_SUCCESS"))
	require.NoDirExists(t, filepath.Join(out, "_temporary"))
	got := map[string]int{}
	for _, l := range strings.Split(strings.TrimSuffix(parts(t, out), "\n"), "\n") {
		word, n, ok := strings.Cut(l, "\t")
		require.True(t, ok, "%q", l)
		require.NotContains(t, got, word, "a word in two places")
		var v int
		_, err := fmt.Sscan(n, &v)
		require.NoError(t, err)
		got[word] = v
	}
	return got
}

// parts returns the concatenated part files of an output.
func parts(t testing.TB, out string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, "part-*"))
	require.NoError(t, err)
	sort.Strings(files)
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		b.Write(text)
	}
	return b.String()
}

// slowcount builds the program in testdata/slowcount.
func slowcount(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "slowcount")
	cmd := exec.Command("go", "build", "-o", bin, "./testdata/slowcount")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// ok fails the test if a command failed.
func ok(t testing.TB, r minicluster.Result) minicluster.Result {
	t.Helper()
	require.Zero(t, r.Code, "%s%s", r.Out, r.Err)
	return r
}
