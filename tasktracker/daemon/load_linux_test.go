package daemon

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimesOfTheNode(t *testing.T) {
	all, busy, err := parseNode([]byte("cpu  10 20 30 400 50 1 2 3 7 7\ncpu0 1 2 3\n"))
	require.NoError(t, err)
	require.EqualValues(t, []int64{516, 66}, []int64{all, busy})
	for _, bad := range []string{"", "cpu 1 2", "cpu a b c d e", "intr 1 2 3 4 5"} {
		_, _, err := parseNode([]byte(bad))
		require.Error(t, err)
	}
}

// TestOwnTimesGrow checks that CPU time of this process counts as the TaskTracker's own.
func TestOwnTimesGrow(t *testing.T) {
	from, err := readCPU()
	require.NoError(t, err)
	for until := burned(t) + 100*time.Millisecond; burned(t) < until; { // wait for CPU time on a busy machine
	}
	to, err := readCPU()
	require.NoError(t, err)
	require.GreaterOrEqual(t, to.own-from.own, int64(3))
	require.Greater(t, to.all, from.all)
}

// burned returns the CPU time of this process.
func burned(t *testing.T) time.Duration {
	var r syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func FuzzProcTimes(f *testing.F) {
	f.Add([]byte("cpu  10 20 30 400 50 1 2 3 7 7\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = parseNode(b)
	})
}
