package process

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

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

// TestFail checks that a failed node has only its suspended agent left, which its back end takes for a
// running one, and that the node can return.
func TestFail(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not show the members of a node")
	}
	for _, gracefully := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "node")
		bye, ready := filepath.Join(t.TempDir(), "bye"), filepath.Join(t.TempDir(), "ready")
		daemon := `trap "echo > $0; exit" TERM; echo > $1; while :; do sleep 0.01; done`
		command := []string{"/bin/sh", "-c", `/bin/sh -c "$0" "$1" "$2" & sleep 100`, daemon, bye, ready}
		require.NoError(t, Start(dir, command, nil, nil))
		t.Cleanup(func() { require.NoError(t, End(context.Background(), dir)) })
		for !exists(ready) {
			time.Sleep(time.Millisecond)
		}
		agent := PID(dir)
		require.NoError(t, Fail(t.Context(), dir, gracefully))
		require.Equal(t, []int{agent}, Members(dir))
		require.True(t, Running(dir))
		require.Equal(t, gracefully, exists(bye))
		require.NoError(t, Resume(dir))
		require.NoError(t, Return(dir))
		for Running(dir) {
			time.Sleep(time.Millisecond)
		}
		require.Error(t, Fail(t.Context(), dir, gracefully), "no agent is running")
		require.NoError(t, Start(dir, command, nil, nil))
		require.False(t, slices.Contains(Members(dir), agent))
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
