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
	require.True(t, i.Holds(0))
	i = IntervalOf([]float64{1, 2, 3, 4})
	require.InDelta(t, 2.5, i.Mean, 1e-9)
	require.InDelta(t, 3.182*math.Sqrt(5.0/3/4), i.Half, 1e-3)
	require.True(t, i.Above(0) && !i.Below(4) && i.Below(5))
	require.True(t, math.IsInf(IntervalOf([]float64{1}).Half, 1), "one run says nothing")
	require.True(t, math.IsInf(IntervalOf(nil).Half, 1))
}

func TestPairs(t *testing.T) {
	require.Equal(t, Interval{2, 0}, Difference([]float64{3, 5, 8}, []float64{1, 3, 6}))
	require.Equal(t, Interval{}, Difference([]float64{1, 2}, []float64{1, 2}))
	r := Ratio([]float64{2, 4, 6}, []float64{1, 2, 3})
	require.InDelta(t, 2, r.Mean, 1e-12)
	require.InDelta(t, 0, r.Half, 1e-12)
}

func TestFormats(t *testing.T) {
	i := Interval{12.3456, 0.789}
	require.Equal(t, []string{"12.3±0.8", "12.35±0.79", "12.35 +- 0.79"},
		[]string{i.String(), i.Fine(), i.Significant()})
}

func TestSpan(t *testing.T) {
	require.Equal(t, "54", Span("%d", 54, 54))
	require.Equal(t, "54 to 55", Span("%d", 54, 55))
	require.Equal(t, "5.5 to 6.3", Span("%.1f", 5.51, 6.29))
	require.Equal(t, "137", Span("%.0f", 136.8, 137.2))
}
