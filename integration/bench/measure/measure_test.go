//go:build integration

package measure

import (
	"math"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExponent(t *testing.T) {
	require.InDelta(t, 2, Exponent([]float64{1, 10, 100}, []float64{3, 300, 30000}), 1e-9)
	require.InDelta(t, 1, Exponent([]float64{0.1, 4}, []float64{0.5, 20}), 1e-9)
	require.True(t, math.IsNaN(Exponent([]float64{1}, []float64{1})))
}

func TestCompare(t *testing.T) {
	one := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
	// With 9 pairs, the second smallest and second largest ratio bound the median with 96%.
	r := Compare(one, []float64{1.3, 1.2, 9, 1.25, 1.15, 1.22, 1.21, 0.5, 1.24})
	require.Equal(t, Ratio{1.22, 1.15, 1.3}, r)
	require.True(t, r.Regressed())
	// With 8 pairs, they would bound it with 93% only.
	require.Equal(t, Ratio{4.5, 1, 8}, Compare(one[:8], []float64{1, 2, 3, 4, 5, 6, 7, 8}))
	require.Equal(t, Ratio{2, 2, 2}, Compare(one[:MinPairs], []float64{2, 2, 2, 2, 2, 2}))
	require.False(t, Ratio{1.09, 1.05, 1.2}.Regressed(), "less than 10%")
	require.False(t, Ratio{1.5, 0.9, 2}.Regressed(), "may be chance")
	// With one pair fewer than MinPairs, even the extremes bound the median with less than 95%.
	require.Greater(t, math.Pow(0.5, MinPairs-1), 0.025)
	require.LessOrEqual(t, math.Pow(0.5, MinPairs), 0.025)
}

func TestMedian(t *testing.T) {
	require.Equal(t, 2.0, Median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, Median([]float64{4, 1, 2, 3}))
}

func TestRun(t *testing.T) {
	c, out, err := Run(exec.Command("sh", "-c", "echo text; echo lost >&2"))
	require.NoError(t, err)
	require.Equal(t, "text\n", string(out))
	require.Positive(t, c.Wall)
	require.Greater(t, c.Peak, int64(100<<10))
	_, _, err = Run(exec.Command("sh", "-c", "echo reason >&2; exit 3"))
	require.ErrorContains(t, err, "exit status 3: reason")
}

func TestChildCPU(t *testing.T) {
	before, err := ChildCPU()
	require.NoError(t, err)
	// The shell's child waits for a child that uses CPU time, and then for its input to end.
	cmd := exec.Command("sh", "-c",
		"sh -c 'sh -c \"i=0; while [ \\$i -lt 300000 ]; do i=\\$((i+1)); done\"; echo done; cat'; :")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = out.Read(make([]byte, 5))
	require.NoError(t, err)
	after, err := ChildCPU()
	require.NoError(t, err)
	require.Greater(t, after, before)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}
