package mro

import (
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
)

// Each applies f to each pair of runs with the same seed and returns the results.
func Each(a, b []*Outcome, f func(a, b *Outcome) float64) []float64 {
	var out []float64
	for i := range a {
		out = append(out, f(a[i], b[i]))
	}
	return out
}

// Reductions returns the reduction of each job's completion time from base to other, in percent, as
// the mean over seeds.
func Reductions(base, other []*Outcome) []float64 {
	out := make([]float64, len(base[0].JCT))
	for i := range base {
		for k := range out {
			out[k] += 100 * (1 - other[i].JCT[k]/base[i].JCT[k]) / float64(len(base))
		}
	}
	return out
}

// Reduction returns the reduction of the completion time from base to other, in percent, as the
// mean over the jobs.
func Reduction(base, other *Outcome) float64 {
	sum := 0.0
	for k := range base.JCT {
		sum += 100 * (1 - other.JCT[k]/base.JCT[k])
	}
	return sum / float64(len(base.JCT))
}

// Joined merges runs of single jobs into one outcome per seed. It keeps the completion times, the sum
// of the decisions, and the mean utilization.
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

// Row returns a table row with the name, the interval i, the maximum reduction, the paper's values,
// and each job's reduction.
func Row(name string, reductions []float64, i lab.Interval, paper string) []string {
	row := []string{name, i.String(), fmt.Sprintf("%.1f", slices.Max(reductions)), paper}
	for _, x := range reductions {
		row = append(row, fmt.Sprintf("%.1f", x))
	}
	return row
}

// Head returns the header for the rows that Row returns.
func Head() []string {
	return append([]string{"run", "reduction (%)", "maximum", "paper: mean, maximum"}, Names()...)
}

// Seeds returns the number of runs on which a relation is based.
func Seeds(r *lab.Run) int {
	if r.Quick {
		return 3
	}
	return 16
}

// Knobs records the choices that the paper leaves open and that these experiments share.
func Knobs(r *lab.Run) {
	r.Knob("cluster", fmt.Sprintf("%d nodes, each with %d millicores and %d MiB for tasks and with %d+%d slots "+
		"(Figure 2(c) shows five reduces on a node)", nodes, cores, memory, slots, slots))
	r.Knob("memory of a task", fmt.Sprintf("%d MiB, the memory of its slot; the additional time of a task that needs "+
		"more is thrash times the fraction of its memory that it lacks", memory/(2*slots)))
	r.Knob("thrash of tasks that collect garbage", fmt.Sprintf("%g, fitted once to the runs of MRO-1 on real nodes, "+
		"version 1, which had no orchestrator; all of the additional time is CPU time", collects.thrash))
	r.Knob("thrash of tasks that spill", fmt.Sprintf("%g, measured with a map that spilled; half of the additional time "+
		"is CPU time", spills.thrash))
	r.Knob("memory of empty slots", "lent, as by default")
	r.Knob("jobs", "one map of 36 to 190 s per block of 64 MB; task sizes are lognormal with sigma 0.3 (0.05 for "+
		"PiEst's maps), and resource usage varies with sigma 0.15")
	r.Knob("scheduler", "fair")
}
