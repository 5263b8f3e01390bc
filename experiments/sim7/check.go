package sim7

import (
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
)

const (
	loaded = 4 // the means up to 1000 s
	idle   = 5 // 100,000 s: jobs hardly ever meet
)

// worse is by how much the metric of policy a is above that of b, repetition by repetition.
func worse(o *simmr.Outcome, mean, factor, a, b int) simmr.Interval {
	c := o.Cells[mean][factor]
	return simmr.Difference(c[a].Exceeded, c[b].Exceeded)
}

func check(r *lab.Run, o *simmr.Outcome) {
	for f, factor := range o.Sweep.Factors {
		better, text := true, ""
		all := make([]float64, o.Sweep.Repeat) // over the means, repetition by repetition
		for m, mean := range o.Sweep.Means[:loaded] {
			d := worse(o, m, f, maxEDF, minEDFAverage)
			better = better && (d.Low() > 0 || mean == 1)
			text += fmt.Sprintf(" mean %g s: %v;", mean, d)
			for i := range all {
				all[i] += (o.Cells[m][f][maxEDF].Exceeded[i] - o.Cells[m][f][minEDFAverage].Exceeded[i]) / loaded
			}
		}
		over := simmr.MeanOf(all)
		r.Check(fmt.Sprintf("df %g: MinEDF is better than MaxEDF for means of 10 to 1000 s each, and over those of 1 to 1000 s", factor), better && over.Low() > 0,
			"MaxEDF - MinEDF%s all: %v", text, over)
	}
	crossover(r, o)
}

// crossover shows that MinEDF is the worse one at light load, and that the reason is the bound by which it sizes.
func crossover(r *lab.Run, o *simmr.Outcome) {
	floor, up, spare, gain := true, true, true, true
	var text, late string
	for f, factor := range o.Sweep.Factors {
		c := o.Cells[idle][f]
		more := simmr.Difference(c[minEDFAverage].Late, c[maxEDF].Late)
		floor = floor && more.Low() > 0
		text += fmt.Sprintf(" %v (df %g)", worse(o, idle, f, minEDFAverage, maxEDF), factor)
		late += fmt.Sprintf(" %.0f%%", 100*simmr.MeanOf(c[minEDFAverage].Late).Mean)
		up = up && worse(o, idle, f, minEDFUp, maxEDF).Mean <= 0
		spare = spare && worse(o, idle, f, minEDFWC, maxEDF).Mean <= 1e-3
		gain = gain && worse(o, loaded-1, f, maxEDF, minEDFWC).Low() <= 0
	}
	r.Check("mean 100,000 s: more jobs are late under MinEDF by T_avg than under MaxEDF (crossover)", floor, "late:%s of the jobs; metric, MinEDF - MaxEDF:%s", late, text)
	r.Check("mean 100,000 s: MinEDF by T_up is not worse than MaxEDF", up, "difference of the means <= 0 for every df")
	r.Check("mean 100,000 s: MinEDF-WC by T_avg is not worse than MaxEDF", spare, "difference of the means <= 0.001 for every df")
	r.Check("mean 1000 s: MinEDF-WC is not better than MaxEDF", gain, "difference within its interval of confidence, or above")
	r.NotReproduced("MinEDF outperforms MaxEDF at every inter-arrival time: at 100,000 s its metric differs by%s, with%s of the jobs late by a little. "+
		"The average of the bounds promises more than such skewed durations keep, and nothing makes up for it since MinEDF leaves slots idle. Sized by T_up, or with spare "+
		"slots handed on (minedf-wc), it is as good as MaxEDF there; but minedf-wc loses MinEDF's gain under load.", text, late)
}
