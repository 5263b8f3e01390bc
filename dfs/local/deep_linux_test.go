package local

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
)

// counted is a context that records the largest number of open files.
type counted struct {
	context.Context
	most *int
}

func (c counted) Err() error {
	open, err := os.ReadDir("/proc/self/fd")
	*c.most = max(*c.most, len(open))
	return err
}

// TestDeleteDeep deletes directories that are deeper than a path can be long. The number of open
// files stays small.
func TestDeleteDeep(t *testing.T) {
	l, dir := newFS(t)
	sums, err := WithChecksums(conf.New())
	require.NoError(t, err)
	for what, fs := range map[string]dfs.FileSystem{"whole": l, "checksums": sums, "within": l.Within(dir)} {
		t.Run(what, func(t *testing.T) {
			top := filepath.Join(dir, "top")
			require.NoError(t, os.Mkdir(top, 0o777))
			at, err := os.OpenRoot(top)
			for range 3000 {
				require.NoError(t, err)
				require.NoError(t, at.Mkdir("d", 0o777))
				above := at
				at, err = at.OpenRoot("d")
				above.Close()
			}
			require.NoError(t, err)
			at.Close()
			var before, most int
			require.NoError(t, counted{most: &before}.Err())
			require.NoError(t, fs.Delete(counted{t.Context(), &most}, top, true))
			require.NoDirExists(t, top)
			require.Greater(t, most, before)
			require.LessOrEqual(t, most-before, 16)
		})
	}
}
