package lab

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIntervals(t *testing.T) {
	i := IntervalOf([]float64{1, 2, 3, 4, 5})
	require.InDelta(t, 3, i.Mean, 1e-12)
	require.InDelta(t, 2.776*math.Sqrt(2.5/5), i.Half, 1e-3) // Student's t with 4 degrees of freedom
	i = IntervalOf([]float64{1, 2, 3})
	require.InDelta(t, 2, i.Mean, 1e-9)
	require.InDelta(t, 2.484, i.Half, 1e-3) // 4.303 / sqrt(3)
	require.False(t, i.Above(0))
	i = IntervalOf([]float64{1, 2, 3, 4})
	require.InDelta(t, 2.5, i.Mean, 1e-9)
	require.InDelta(t, 3.182*math.Sqrt(5.0/3/4), i.Half, 1e-3)
	require.True(t, i.Above(0) && !i.Below(4) && i.Below(5))
	require.True(t, math.IsInf(IntervalOf([]float64{1}).Half, 1), "one run says nothing")
	require.True(t, math.IsInf(IntervalOf(nil).Half, 1))
}

func TestPairs(t *testing.T) {
	require.Equal(t, Interval{2, 0, 3}, Difference([]float64{3, 5, 8}, []float64{1, 3, 6}))
	require.Equal(t, Interval{N: 2}, Difference([]float64{1, 2}, []float64{1, 2}))
	r := Ratio([]float64{2, 4, 6}, []float64{1, 2, 3})
	require.InDelta(t, 2, r.Mean, 1e-12)
	require.InDelta(t, 0, r.Half, 1e-12)
	require.Equal(t, 3, r.N)
	require.InDelta(t, 75, Gain([]float64{1, 2}, []float64{4, 8}).Mean, 1e-12)
	require.True(t, math.IsNaN(Ratio([]float64{1, 2}, []float64{0, 0}).Mean))
}

// Least, Most, and Farthest choose by the ends of intervals, or by the value of a single run.
func TestChoose(t *testing.T) {
	narrow, wide, far := Interval{1, 1, 2}, Interval{2, 3, 2}, Interval{-3, 1, 2}
	require.Equal(t, far, Least(narrow, wide, far))
	require.Equal(t, wide, Least(narrow, wide))
	require.Equal(t, wide, Most(narrow, wide, far))
	require.Equal(t, wide, Farthest(0, narrow, wide, far))
	require.Equal(t, far, Farthest(2, narrow, wide, far))
	require.Equal(t, Once(1), Least(Once(2), Once(1)))
	require.Equal(t, Once(2), Most(Once(2), Once(1)))
	require.Equal(t, Interval{-1, 4, 2}, narrow.Minus(wide))
	require.Equal(t, Interval{94, 9, 2}, wide.Scale(100, -3))
}

func TestFormats(t *testing.T) {
	i := Interval{12.3456, 0.789, 2}
	require.Equal(t, []string{"12.3±0.8", "12.35±0.79", "12.35 +- 0.79"},
		[]string{i.String(), i.Fine(), i.Significant()})
}

func TestSpan(t *testing.T) {
	require.Equal(t, "54", Span("%d", 54, 54))
	require.Equal(t, "54 to 55", Span("%d", 54, 55))
	require.Equal(t, "5.5 to 6.3", Span("%.1f", 5.51, 6.29))
	require.Equal(t, "137", Span("%.0f", 136.8, 137.2))
}
