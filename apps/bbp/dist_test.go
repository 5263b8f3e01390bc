package bbp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func distOf(t *testing.T, args ...string) string {
	t.Helper()
	r := mrtest.NewRunner()
	require.NoError(t, Dist().Run(context.Background(), r, args))
	return r.Printed()
}

// TestBits expects the last two lines of Hadoop 3.4.2, except for the digits that Hadoop marks as
// unreliable.
func TestBits(t *testing.T) {
	for _, shape := range [][]string{{"2", "1", "m", "2"}, {"1", "5", "x", "1"}, {"3", "99", "r", "7"}} {
		args := append(append([]string{"20"}, shape...), "/sums", t.TempDir())
		require.True(t, strings.HasSuffix(distOf(t, args...), "\n\nb = 20 (bits skipped)\nA8885A308D31 3 (12 hex digits)\n"),
			shape)
	}
	require.Contains(t, distOf(t, "0", "1", "1", "m", "1", "/sums", t.TempDir()),
		"\nb = 0 (bit skipped)\n243F6A8885A3 0 (12 hex digits)\n")
	require.Contains(t, distOf(t, "39,996", "1", "2", "m", "3", "/sums", t.TempDir()),
		"\nb = 39,996 (bits skipped)\n68AC8FCFB80 16 (11 hex digits)\n")
	require.Contains(t, distOf(t, "21", "1", "1", "m", "1", "/sums", t.TempDir()), "\n5110B4611A62 6 (12 hex digits)\n",
		"one bit further")
}

func TestSumsAreTakenUpAgain(t *testing.T) {
	kept := t.TempDir()
	args := []string{"20", "1", "3", "m", "1", "/sums", kept}
	want := distOf(t, args...)
	require.Equal(t, want, distOf(t, args...), "nothing is computed again")
	files, err := filepath.Glob(kept + "/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 3)
	require.NoError(t, os.Remove(files[1]))
	require.Equal(t, want, distOf(t, args...), "one is")
	require.NoError(t, os.WriteFile(files[2], []byte("what?\n"), 0o644))
	require.Equal(t, failure.Corrupt, failure.KindOf(Dist().Run(context.Background(), mrtest.NewRunner(), args)))
}

func TestBadDistArguments(t *testing.T) {
	for _, args := range []string{"", "x 1 1 m 1 /r /l", "-1 1 1 m 1 /r /l", "1 0 1 m 1 /r /l", "1 1 0 m 1 /r /l",
		"1 1 1 q 1 /r /l", "1 1 1 m 0 /r /l", "2000000000000000000 1 1 m 1 /r /l"} {
		require.Equal(t, failure.Usage,
			failure.KindOf(Dist().Run(context.Background(), mrtest.NewRunner(), strings.Fields(args))), args)
	}
}
