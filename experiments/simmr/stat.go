package simmr

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean with half the width of its 95% interval of confidence.
type Interval struct{ Mean, Half float64 }

// MeanOf gives the mean of independent repetitions, by Student's t.
func MeanOf(x []float64) Interval {
	switch len(x) {
	case 0:
		return Interval{Half: math.Inf(1)}
	case 1:
		return Interval{Mean: x[0], Half: math.Inf(1)}
	}
	mean, deviation := stat.MeanStdDev(x, nil)
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Interval{mean, t * deviation / math.Sqrt(n)}
}

// Difference gives the mean of a - b over pairs of repetitions that had the same luck.
func Difference(a, b []float64) Interval {
	d := make([]float64, min(len(a), len(b)))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return MeanOf(d)
}

// Ratio gives a's mean over b's for such pairs, by the delta method.
func Ratio(a, b []float64) Interval {
	n := min(len(a), len(b))
	mb := stat.Mean(b[:n], nil)
	if mb == 0 {
		return Interval{Mean: math.NaN(), Half: math.Inf(1)}
	}
	r := stat.Mean(a[:n], nil) / mb
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = (a[i] - r*b[i]) / mb
	}
	return Interval{r, MeanOf(rest).Half}
}

// Low and High bound the interval.
func (i Interval) Low() float64  { return i.Mean - i.Half }
func (i Interval) High() float64 { return i.Mean + i.Half }

func (i Interval) String() string { return fmt.Sprintf("%.4g +- %.2g", i.Mean, i.Half) }
