package chaos

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain also lets the test binary serve as the process whose clock jumps. That process prints
// the time for each line that it reads.
func TestMain(m *testing.M) {
	if os.Getenv("CHAOS_CLOCK") == "" {
		os.Exit(m.Run())
	}
	start := time.Now()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(time.Now().Unix(), int(time.Since(start)/time.Second))
	}
}

func TestShiftClock(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHAOS_CLOCK=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { in.Close(); _ = cmd.Wait() }()
	lines := bufio.NewReader(out)
	// ask returns the process's wall clock relative to this one, and its run time.
	ask := func() (wall time.Duration, ran int) {
		_, err := in.Write([]byte("\n"))
		require.NoError(t, err)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		var unix int64
		_, err = fmt.Sscan(strings.TrimSpace(line), &unix, &ran)
		require.NoError(t, err)
		return time.Duration(unix-time.Now().Unix()) * time.Second, ran
	}
	for _, by := range []time.Duration{0, time.Hour, -72 * time.Hour, 0} {
		if err := ShiftClock(cmd.Process.Pid, by); err != nil {
			t.Skip("cannot change another process: ", err)
		}
		wall, ran := ask()
		require.InDelta(t, by.Seconds(), wall.Seconds(), 20)
		require.Less(t, ran, 60, "the monotonic clock does not jump")
	}
}
