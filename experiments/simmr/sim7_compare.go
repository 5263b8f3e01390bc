package simmr

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
)

const (
	loaded = 4 // number of mean inter-arrival times up to 1000 s
	idle   = 5 // index of 100,000 s, at which jobs hardly ever overlap
)

// worse returns the interval of policy a's metric minus policy b's, paired by repetition.
func worse(o *Outcome, mean, factor, a, b int) lab.Interval {
	c := o.Cells[mean][factor]
	return lab.Difference(c[a].Exceeded, c[b].Exceeded)
}

func sim7Compare(r *lab.Run, o *Outcome) {
	for f, factor := range o.Sweep.Factors {
		var all []lab.Interval
		var text []string
		for m, mean := range o.Sweep.Means[:loaded] {
			d := worse(o, m, f, sim7MaxEDF, sim7MinEDFAverage)
			all = append(all, d)
			text = append(text, fmt.Sprintf("mean %g s: %s", mean, d.Significant()))
		}
		r.Compare(fmt.Sprintf("better-%g", factor), lab.Least(all...), "%s", strings.Join(text, "; "))
	}
	// At light load, MinEDF is worse than MaxEDF, because of the bound that it uses to size jobs.
	// MinEDF-WC does not have this problem, but it does not have MinEDF's gain under load either.
	var light, up, spare, gain []lab.Interval
	var late []string
	for f, factor := range o.Sweep.Factors {
		light = append(light, worse(o, idle, f, sim7MaxEDF, sim7MinEDFAverage))
		up = append(up, worse(o, idle, f, sim7MinEDFUp, sim7MaxEDF))
		spare = append(spare, worse(o, idle, f, minEDFWC, sim7MaxEDF))
		gain = append(gain, worse(o, loaded-1, f, sim7MaxEDF, minEDFWC))
		late = append(late, fmt.Sprintf("%.0f%% (df %g)", 100*lab.IntervalOf(o.Cells[idle][f][sim7MinEDFAverage].Late).Mean,
			factor))
	}
	r.Compare("light", lab.Least(light...), "late: %s of the jobs", strings.Join(late, ", "))
	r.Compare("light-up", lab.Most(up...), "the least favorable of %d factors", len(up))
	r.Compare("light-wc", lab.Most(spare...), "the least favorable of %d factors", len(spare))
	r.Compare("wc", lab.Least(gain...), "the least favorable of %d factors", len(gain))
}
