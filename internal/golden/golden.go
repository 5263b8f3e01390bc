// Package golden compares results of tests with files in the repository.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rewrite is the flag that makes tests write their golden files: go test ./PACKAGE -rewrite.
var Rewrite = flag.Bool("rewrite", false, "rewrite golden files and generated documents")

// Compare fails the test if the content of the named file differs from got. With -rewrite, it first
// writes got to the file.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if *Rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run the test with -rewrite if the change is intended")
}

// Transcript runs the commands in a file and compares their output with the expected output in the
// file. The file consists of blocks, separated by empty lines. A block has optional comments, a
// command, "----", and the expected output. A block without "----" is a comment. run executes a
// command and returns its output. With -rewrite, Transcript replaces the expected outputs in the
// file.
func Transcript(t testing.TB, file string, run func(command string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var out strings.Builder
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		head, want, isCommand := strings.Cut(block, "\n----")
		if !isCommand {
			fmt.Fprintf(&out, "%s\n\n", block)
			continue
		}
		command := head[strings.LastIndexByte(head, '\n')+1:]
		got := run(command)
		fmt.Fprintf(&out, "%s\n----\n%s\n", head, got)
		if !*Rewrite {
			require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(got), "%s: after %q", file, command)
		}
	}
	if *Rewrite {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o644))
	}
}

// Releases checks the folders of journals that match pattern. Each contains the state.txt of the
// release that recorded it. reopen opens the journal in dir, rotates it to a snapshot, and returns
// its state, which must be the same for the journal and for the snapshot.
func Releases(t *testing.T, pattern string, reopen func(t *testing.T, dir string) string) {
	dirs, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(dir, "state.txt"))
			require.NoError(t, err)
			work := t.TempDir()
			require.NoError(t, os.CopyFS(work, os.DirFS(dir)))
			require.Equal(t, string(want), reopen(t, work))
			require.Equal(t, string(want), reopen(t, work))
		})
	}
}
