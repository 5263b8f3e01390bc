package serve

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreads(t *testing.T) {
	require.Equal(t, 4, threads("", 1, 1))
	require.Equal(t, 4, threads("", 2, 2))
	require.Equal(t, 4, threads("", 3, 3))
	require.Zero(t, threads("", 4, 4))
	require.Zero(t, threads("", 8, 8))
	require.Zero(t, threads("2", 2, 2), "the administrator has set the number")
	require.Zero(t, threads("", 2, 3), "the process has a CPU limit")
}

func TestUseThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU()))
	t.Setenv("GOMAXPROCS", "")
	useThreads(goal)
	require.Equal(t, runtime.NumCPU(), runtime.GOMAXPROCS(0), "a small process")
	useThreads(goal + 1)
	require.Equal(t, max(minThreads, runtime.NumCPU()), runtime.GOMAXPROCS(0))
}
