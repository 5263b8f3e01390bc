package lab

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean over seeds with half the width of its 95% confidence interval (Student's t).
type Interval struct{ Mean, Half float64 }

// IntervalOf gives the interval of one value for each seed; of a single value the width is infinite.
func IntervalOf(values []float64) Interval {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	if n < 2 {
		return Interval{mean, math.Inf(1)}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Interval{mean, t * math.Sqrt(square/(n-1)/n)}
}

func (i Interval) String() string { return fmt.Sprintf("%.1f±%.1f", i.Mean, i.Half) }

// Fine shows two digits after the point.
func (i Interval) Fine() string { return fmt.Sprintf("%.2f±%.2f", i.Mean, i.Half) }

// Below reports whether the mean is below x with 95% confidence.
func (i Interval) Below(x float64) bool { return i.Mean+i.Half < x }

// Above reports whether the mean is above x with 95% confidence.
func (i Interval) Above(x float64) bool { return i.Mean-i.Half > x }

// Holds reports whether x lies in the interval.
func (i Interval) Holds(x float64) bool { return math.Abs(i.Mean-x) <= i.Half }
