package lab

import (
	"slices"

	"github.com/howdah/howdah/simulator/trace"
)

// Measure is a reported quantity of a run.
type Measure struct {
	Name, Unit string
	Of         func(*trace.Result) float64
	In         func(*trace.Result) bool // reports whether a run has the measure; nil means every run has it
}

// Measures are the quantities that reports show, in order. The first four are times.
var Measures = []Measure{
	{"makespan", "s", func(r *trace.Result) float64 { return float64(r.Makespan) / 1000 }, nil},
	{"mean job time", "s", func(r *trace.Result) float64 { return mean(Durations(r)) }, nil},
	{"median job time", "s", func(r *trace.Result) float64 { return percentile(Durations(r), 0.5) }, nil},
	{"95% job time", "s", func(r *trace.Result) float64 { return percentile(Durations(r), 0.95) }, nil},
	{"jobs failed", "", failed, func(r *trace.Result) bool { return failed(r) > 0 }},
	{"deadlines missed", "%", func(r *trace.Result) float64 { _, late := Exceeded(r); return 100 * late },
		hasDeadlines},
	{"relative deadlines exceeded", "", func(r *trace.Result) float64 { sum, _ := Exceeded(r); return sum },
		hasDeadlines},
}

// Shown returns the measures that at least one of the runs has.
func Shown(runs []*trace.Result) []Measure {
	return slices.DeleteFunc(slices.Clone(Measures), func(m Measure) bool {
		return m.In != nil && !slices.ContainsFunc(runs, m.In)
	})
}

// Over returns the measure's mean over several runs, with its 95% confidence interval.
func (m Measure) Over(runs []*trace.Result) Interval { return IntervalOf(m.Each(runs)) }

// Each returns the measure's value in each run.
func (m Measure) Each(runs []*trace.Result) []float64 {
	x := make([]float64, len(runs))
	for i := range runs {
		x[i] = m.Of(runs[i])
	}
	return x
}

func failed(r *trace.Result) float64 {
	n := 0.0
	for i := range r.Jobs {
		if r.Jobs[i].Failed {
			n++
		}
	}
	return n
}

// Durations returns the time from submission to end for each job, in seconds and in ascending
// order.
func Durations(r *trace.Result) []float64 {
	list := make([]float64, len(r.Jobs))
	for i := range r.Jobs {
		list[i] = float64(r.Jobs[i].Finish-r.Jobs[i].Submit) / 1000
	}
	slices.Sort(list)
	return list
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

func hasDeadlines(r *trace.Result) bool {
	return slices.ContainsFunc(r.Jobs, func(j trace.JobResult) bool { return j.Deadline > 0 })
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }
