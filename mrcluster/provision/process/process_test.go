package process

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/owndir"
)

// TestFilesOfAnAgentArePrivate checks that other users cannot read an agent's log, which contains the
// names of MR-clusters and their errors.
func TestFilesOfAnAgentArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "node")
	require.NoError(t, Start(dir, []string{"/bin/sh", "-c", "exit 0"}, nil, nil))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, owndir.Crossed(), info.Mode().Perm())
	info, err = os.Stat(Log(dir))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}
