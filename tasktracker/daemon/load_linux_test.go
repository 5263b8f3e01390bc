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

func TestTimesOfAProcess(t *testing.T) {
	p, ok := parseProcess([]byte("42 (a) b) c) S 7 42 42 0 -1 0 1 2 3 4 100 20 3000 400 20 0"))
	require.True(t, ok)
	require.Equal(t, process{parent: 7, ticks: 3520}, p)
	for _, bad := range []string{"", "42 (x", "42 (x) S 7", "42 (x) S y 42 42 0 -1 0 1 2 3 4 100 20 3000 400", "42 (x) S 7 42 42 0 -1 0 1 2 3 4 a 20 3000 400"} {
		_, ok := parseProcess([]byte(bad))
		require.False(t, ok, bad)
	}
	tree := map[int]process{1: {}, 5: {parent: 1}, 6: {parent: 5}, 7: {parent: 6}, 8: {parent: 8}}
	require.True(t, below(tree, 7, 5))
	require.False(t, below(tree, 5, 7))
	require.False(t, below(tree, 8, 5), "a ring ends")
}

// What this process burns is its own.
func TestOwnTimesGrow(t *testing.T) {
	from, err := readCPU()
	require.NoError(t, err)
	for until := burned(t) + 100*time.Millisecond; burned(t) < until; { // however little of a busy machine it gets
	}
	to, err := readCPU()
	require.NoError(t, err)
	require.GreaterOrEqual(t, to.own-from.own, int64(3))
	require.Greater(t, to.all, from.all)
}

// burned is the CPU time of this process.
func burned(t *testing.T) time.Duration {
	var r syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func FuzzProcTimes(f *testing.F) {
	f.Add([]byte("42 (a) b) c) S 7 42 42 0 -1 0 1 2 3 4 100 20 3000 400 20 0"))
	f.Add([]byte("cpu  10 20 30 400 50 1 2 3 7 7\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = parseNode(b)
		_, _ = parseProcess(b)
	})
}
