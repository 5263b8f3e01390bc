package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
)

// filesBelow returns the files below a directory by relative path.
func filesBelow(t *testing.T, dir string) (list []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(dir)+"/"))
		}
		return err
	}))
	return list
}

func TestOldHistoryIsDeleted(t *testing.T) {
	root := t.TempDir()
	put := func(name string) {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, nil, 0o644))
	}
	for _, name := range []string{"2026/01/01/000000/job_1_0001-x.jhist", "2026/01/01/000000/job_1_0001_conf.xml",
		"2026/01/02/000000/job_1_0002-x.jhist", "2026/01/01/000001/notes.txt",
		"2026/01/01/job_1_0003-x.jhist", "mine/01/01/000000/job_1_0001-x.jhist", "job_1_0009-x.jhist"} {
		put(name)
	}
	fs, err := local.New(conf.New())
	require.NoError(t, err)
	require.NoError(t, CleanDays(t.Context(), fs, root, time.Date(2026, 1, 2, 12, 0, 0, 0, time.Local)))
	require.ElementsMatch(t, []string{"2026/01/02/000000/job_1_0002-x.jhist", "2026/01/01/000001/notes.txt",
		"2026/01/01/job_1_0003-x.jhist", "mine/01/01/000000/job_1_0001-x.jhist", "job_1_0009-x.jhist"}, filesBelow(t, root))
	require.NoDirExists(t, filepath.Join(root, "2026/01/01/000000"))
}
