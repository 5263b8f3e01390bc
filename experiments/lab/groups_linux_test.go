package lab

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run removes the groups of a killed run and all of its own. Regular files imitate the kernel's.
func TestGroups(t *testing.T) {
	mount := t.TempDir()
	controllers := []string{"cpu", "cpuacct", "memory"}
	for _, c := range controllers {
		require.NoError(t, os.MkdirAll(filepath.Join(mount, c, GroupsHome, "run-1", "tasktracker-2", "child-3"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(mount, c, "cgroup.procs"), nil, 0o644))
	}
	tree, remove, err := OpenGroups(mount)
	require.NoError(t, err)
	for _, c := range controllers {
		require.NoDirExists(t, filepath.Join(mount, c, GroupsHome, "run-1"))
		require.DirExists(t, filepath.Join(mount, c, tree.Path()))
		require.NoError(t, os.MkdirAll(filepath.Join(mount, c, tree.Path(), "tasktracker-4", "child-5"), 0o755),
			"of a TaskTracker that was killed")
	}
	remove()
	for _, c := range controllers {
		require.NoDirExists(t, filepath.Join(mount, c, GroupsHome))
	}
}
