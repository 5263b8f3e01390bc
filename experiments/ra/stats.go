package ra

import "github.com/howdah/howdah/experiments/lab"

// Metric returns one number of an outcome.
type Metric func(Outcome) float64

// Missed, Beyond, and Distance are the paper's metrics. Outcome describes them.
func Missed(o Outcome) float64   { return o.Missed }
func Beyond(o Outcome) float64   { return o.Beyond }
func Distance(o Outcome) float64 { return o.Distance }

// Lateness returns the hours beyond the deadline, averaged over all jobs, including those that meet
// their deadlines.
func Lateness(o Outcome) float64 { return o.Missed / 100 * o.Beyond }

// Of returns the confidence interval of a metric over outcomes with different seeds.
func Of(o []Outcome, m Metric) lab.Interval { return lab.IntervalOf(m.values(o)) }

func (m Metric) values(list []Outcome) []float64 {
	values := make([]float64, len(list))
	for i, o := range list {
		values[i] = m(o)
	}
	return values
}
