package proctree

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process has its mark from the start, even while the kernel is still setting up its memory.
func TestCarriesAtOnce(t *testing.T) {
	for i := range 500 {
		mark := fmt.Sprintf("HOWDAH_TEST_MARK=%d.%d", os.Getpid(), i)
		cmd := exec.Command("sleep", "1000")
		cmd.Env = append(os.Environ(), mark)
		require.NoError(t, cmd.Start())
		found := Carries(cmd.Process.Pid, mark)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		require.True(t, found, "start %d", i)
	}
}

// Carries does not wait for a process without an environment or for a process that has ended.
func TestNothingToCarry(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{}
	require.NoError(t, cmd.Start())
	id := strconv.Itoa(cmd.Process.Pid)
	require.True(t, hasMemory(id))
	require.False(t, Carries(cmd.Process.Pid, "A=b"))
	require.NoError(t, cmd.Process.Kill())
	waitUntilDead(cmd.Process.Pid)
	require.False(t, hasMemory(id))
	require.Error(t, cmd.Wait())
	require.False(t, hasMemory(id))
}

// KillMarked finds and kills a marked process even if it has left its process group. It does not
// kill a process with a longer mark.
func TestKillMarked(t *testing.T) {
	mark := fmt.Sprintf("HOWDAH_TEST_MARK=%d", os.Getpid())
	start := func(mark string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "setsid sleep 1000 & exec sleep 1000")
		cmd.Env = append(os.Environ(), mark)
		require.NoError(t, cmd.Start())
		return cmd
	}
	a, other := start(mark), start(mark+"0")
	defer KillMarked(mark + "0")
	require.Eventually(t, func() bool { return len(Marked(mark)) == 2 && len(Marked(mark+"0")) == 2 }, time.Minute,
		5*time.Millisecond)
	require.True(t, Carries(a.Process.Pid, mark))
	require.False(t, Carries(other.Process.Pid, mark))
	KillMarked(mark)
	require.Empty(t, Marked(mark))
	require.False(t, Carries(a.Process.Pid, mark))
	require.Error(t, a.Wait())
	require.Len(t, Marked(mark+"0"), 2)
	KillMarked(mark + "0")
	require.Error(t, other.Wait())
}
