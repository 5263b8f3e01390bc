package proctree

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestInheritedFiles checks that a tree does not get a file that this process would pass on, for example
// because the shell that started it had opened the file.
func TestInheritedFiles(t *testing.T) {
	secret, err := os.Open("/proc/self/status")
	require.NoError(t, err)
	defer secret.Close()
	fd, err := unix.FcntlInt(secret.Fd(), unix.F_DUPFD, 100) // without close-on-exec
	require.NoError(t, err)
	defer unix.Close(fd)
	var exit *exec.ExitError
	require.ErrorAs(t, helper("open", strconv.Itoa(fd)).Run(), &exit, "an ordinary child inherits it")
	s := NewSpawner(Group)
	defer s.Close()
	tree, err := s.Start(spec(nil, "open", strconv.Itoa(fd)))
	require.NoError(t, err)
	got, err := tree.Wait()
	require.NoError(t, err)
	require.Zero(t, got.Code)
}

// Trees of different Spawners in one process are independent. A Spawner does not kill the strays of
// another Spawner's trees.
func TestTwoSpawners(t *testing.T) {
	a, b := NewSpawner(Group), NewSpawner(Group)
	defer a.Close()
	defer b.Close()
	stays, err := a.Start(spec(nil, "sleep"))
	require.NoError(t, err)
	ends, err := b.Start(spec(nil, "quit", "0"))
	require.NoError(t, err)
	_, err = ends.Wait()
	require.NoError(t, err)
	require.Len(t, marked(stays.mark, 0), 1)
	require.NoError(t, stays.Kill())
	_, err = stays.Wait()
	require.NoError(t, err)
}
