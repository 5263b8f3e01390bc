package faw

import (
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Part returns work scaled down for a cluster that is an n-th of the testbed, so that each node has
// the same load as in the testbed. It keeps an n-th of the core nodes, of the small jobs, and of
// the tasks of the other jobs.
func Part(n int, work []fawkes.Workload) (out []fawkes.Workload) {
	for _, w := range work {
		w.Spec.Core = max(1, w.Spec.Core/n)
		jobs, small := w.Jobs, 0
		w.Jobs = nil
		for _, j := range jobs {
			switch {
			case j.Input > int64(Sizes[0]*(1<<30)):
				w.Jobs = append(w.Jobs, cut(n, j))
			case small%n == 0:
				w.Jobs = append(w.Jobs, j)
				fallthrough
			default:
				small++
			}
		}
		out = append(out, w)
	}
	return out
}

// cut returns a copy of job j with an n-th of its data and tasks, but at least one map. If the job
// has reduces, the copy has at least one.
func cut(n int, j *trace.Job) *trace.Job {
	c := *j
	c.Input, c.Shuffled, c.Output = j.Input/int64(n), j.Shuffled/int64(n), j.Output/int64(n)
	c.Maps = j.Maps[:max(1, len(j.Maps)/n)]
	c.Reduces = j.Reduces[:min(len(j.Reduces), max(1, len(j.Reduces)/n))]
	return &c
}
