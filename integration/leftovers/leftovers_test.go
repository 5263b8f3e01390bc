package leftovers

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// The check fails if leftovers exist.
func TestFinds(t *testing.T) {
	tmp := t.TempDir()
	require.Empty(t, find(tmp, made()))
	file := filepath.Join(tmp, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, []string{file}, find(tmp, made()))
	require.NoError(t, os.Remove(file))
	if runtime.GOOS != "linux" {
		return
	}
	cmd := exec.Command("cat")
	cmd.Env = []string{"TMPDIR=" + tmp}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	echo := []byte("it runs") // a process that has just started has no environment yet
	_, err = in.Write(echo)
	require.NoError(t, err)
	_, err = io.ReadFull(out, echo)
	require.NoError(t, err)
	require.Len(t, find(tmp, made()), 1)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Empty(t, find(tmp, made()))
}

func TestPool(t *testing.T) {
	name := network("/pool")
	require.Len(t, name, 9)
	for _, x := range []string{name, name + "-7", "howdah-" + name} {
		require.Equal(t, name, pool(x))
	}
	require.Equal(t, "hwd", pool("hwd"))
	require.True(t, ofAnotherTest("howdah-test-0"))
	require.True(t, ofAnotherTest("test-0"))
	require.False(t, ofAnotherTest(fmt.Sprint("test-", os.Getpid())))
	require.False(t, ofAnotherTest("tasktracker-0"))
}

// The second TaskTracker with the same PID has a group with a number.
func TestTaskTracker(t *testing.T) {
	require.Equal(t, "tasktracker-157", taskTracker("tasktracker-157"))
	require.Equal(t, "tasktracker-157", taskTracker("tasktracker-157-1"))
	require.Equal(t, "hwd", taskTracker("hwd"))
}
