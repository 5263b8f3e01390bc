package logtail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	var text strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	all := text.String()
	const before = "the beginning stays\n"
	for _, n := range []int64{1, 9, 100, 3 << 20, int64(len(all)), int64(len(all)) + 1} {
		require.NoError(t, os.WriteFile(name, []byte(before+all), 0o600))
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		require.NoError(t, err)
		require.NoError(t, Cut(f, int64(len(before)), n))
		require.NoError(t, f.Close())
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		want := before + all
		if n < int64(len(all)) {
			_, end, _ := strings.Cut(all[int64(len(all))-n:], "\n")
			want = before + end
		}
		require.Equal(t, len(want), len(got), n)
		require.True(t, want == string(got), n)
	}
	require.NoError(t, os.WriteFile(name, []byte("one long line"), 0o600))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	defer f.Close()
	require.ErrorContains(t, Cut(f, 0, 4), "O_APPEND", "Cut needs to write at the start")
}
