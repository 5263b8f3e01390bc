package proctree

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What carries a mark is found and ended, also what has left its group; what carries a longer one is not.
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
	require.Eventually(t, func() bool { return len(Marked(mark)) == 2 && len(Marked(mark+"0")) == 2 }, 10*time.Second, 5*time.Millisecond)
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
