package mro

import (
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
)

// Interval is the interval of a measure over seeds.
type Interval = lab.Interval

// Of gives the interval of one value for each seed.
func Of(values []float64) Interval { return lab.IntervalOf(values) }

// Each takes a number of each pair of runs of the same seed.
func Each(a, b []*Outcome, f func(a, b *Outcome) float64) []float64 {
	var out []float64
	for i := range a {
		out = append(out, f(a[i], b[i]))
	}
	return out
}

// Minus gives the interval of the differences, seed by seed: what differs between workloads cancels.
func Minus(a, b []float64) Interval {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return Of(d)
}

// Reductions of completion time in percent by job, each the mean over seeds.
func Reductions(base, other []*Outcome) []float64 {
	out := make([]float64, len(base[0].JCT))
	for i := range base {
		for k := range out {
			out[k] += 100 * (1 - other[i].JCT[k]/base[i].JCT[k]) / float64(len(base))
		}
	}
	return out
}

// Reduction is the mean over jobs of a pair of runs, in percent.
func Reduction(base, other *Outcome) float64 {
	sum := 0.0
	for k := range base.JCT {
		sum += 100 * (1 - other.JCT[k]/base.JCT[k])
	}
	return sum / float64(len(base.JCT))
}

// Joined makes one outcome of runs of single jobs, seed by seed.
func Joined(runs [][]*Outcome) []*Outcome {
	out := make([]*Outcome, len(runs[0]))
	for s := range out {
		out[s] = &Outcome{}
		for _, r := range runs {
			o := r[s]
			out[s].JCT = append(out[s].JCT, o.JCT...)
			out[s].Decisions += o.Decisions
			for k := range o.Util {
				out[s].Util[k] += o.Util[k] / float64(len(runs))
			}
		}
	}
	return out
}

// Row is a line of a table: mean, maximum and each job.
func Row(name string, reductions []float64, i Interval, paper string) []string {
	row := []string{name, i.String(), fmt.Sprintf("%.1f", slices.Max(reductions)), paper}
	for _, x := range reductions {
		row = append(row, fmt.Sprintf("%.1f", x))
	}
	return row
}

// Head is the head of such a table.
func Head() []string {
	return append([]string{"run", "reduction (%)", "maximum", "paper: mean, maximum"}, Names()...)
}

// Seeds is how many runs a relation rests on.
func Seeds(r *lab.Run) int {
	if r.Quick {
		return 3
	}
	return 16
}

// More tells whether something is above 0 with 95% confidence. The few runs of a quick execution can only contradict it.
func More(r *lab.Run, i Interval) bool { return i.Above(0) || r.Quick && !i.Below(0) }

// Knobs notes what the paper leaves open and these experiments share.
func Knobs(r *lab.Run) {
	r.Knob("cluster", fmt.Sprintf("%d nodes of %d m CPU and %d MiB for tasks, %d+%d slots (Figure 2(c) has five reduces on a node)", nodes, cores, memory, slots, slots))
	r.Knob("memory of a task", fmt.Sprintf("its slot: %d MiB; one that wants more is slowed down by up to 1+thrash (1 to 2), half of it or all of it in CPU", memory/(2*slots)))
	r.Knob("memory of empty slots", "not lent: it is there for the task that is launched with the next beat")
	r.Knob("jobs", "maps by input size and blocks of 64 MB, of 36 to 190 s, sizes log-normal with sigma 0.3; what a task uses varies with sigma 0.15")
	r.Knob("scheduler", "fair")
}
