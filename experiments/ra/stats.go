package ra

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Metric picks a number out of an outcome.
type Metric func(Outcome) float64

// The paper's metrics.
func Missed(o Outcome) float64   { return o.Missed }
func Beyond(o Outcome) float64   { return o.Beyond }
func Distance(o Outcome) float64 { return o.Distance }

// Interval is a mean over seeds with half the width of its 95% confidence interval (Student's t).
type Interval struct{ Mean, Half float64 }

func (i Interval) String() string { return fmt.Sprintf("%.1f±%.1f", i.Mean, i.Half) }

// Fine shows two digits after the point.
func (i Interval) Fine() string { return fmt.Sprintf("%.2f±%.2f", i.Mean, i.Half) }

// Below reports whether the mean is below x with 95% confidence, Above whether it is above.
func (i Interval) Below(x float64) bool { return i.Mean+i.Half < x }

// Above reports whether the mean is above x with 95% confidence.
func (i Interval) Above(x float64) bool { return i.Mean-i.Half > x }

// Of gives the interval of a metric.
func Of(o []Outcome, m Metric) Interval {
	values := make([]float64, len(o))
	for i := range o {
		values[i] = m(o[i])
	}
	return interval(values)
}

// Difference gives the interval of a-b, seed by seed: both ran the same workloads, so what differs between workloads cancels.
func Difference(a, b []Outcome, m Metric) Interval {
	values := make([]float64, len(a))
	for i := range a {
		values[i] = m(a[i]) - m(b[i])
	}
	return interval(values)
}

func interval(values []float64) Interval {
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
