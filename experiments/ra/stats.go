package ra

import "github.com/howdah/howdah/experiments/lab"

// Metric picks a number out of an outcome.
type Metric func(Outcome) float64

// The paper's metrics.
func Missed(o Outcome) float64   { return o.Missed }
func Beyond(o Outcome) float64   { return o.Beyond }
func Distance(o Outcome) float64 { return o.Distance }

// Interval is the interval of a metric over seeds.
type Interval = lab.Interval

// Of gives the interval of a metric.
func Of(o []Outcome, m Metric) Interval {
	values := make([]float64, len(o))
	for i := range o {
		values[i] = m(o[i])
	}
	return lab.IntervalOf(values)
}

// Difference gives the interval of a-b, seed by seed: both ran the same workloads, so what differs between workloads cancels.
func Difference(a, b []Outcome, m Metric) Interval {
	values := make([]float64, len(a))
	for i := range a {
		values[i] = m(a[i]) - m(b[i])
	}
	return lab.IntervalOf(values)
}
