package simmr

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
)

func sim6Compare(r *lab.Run, o *Outcome) {
	differing, df1 := 0, []lab.Interval{}
	for m := range o.Sweep.Means {
		c := o.Cells[m][0]
		for i, x := range c[sim6MaxEDF].Exceeded {
			if x != c[sim6MinEDFUp].Exceeded[i] {
				differing++
			}
		}
	}
	r.Compare("df1-up", lab.Exact(float64(differing)), "%d repetitions at each of %d means", o.Sweep.Repeat,
		len(o.Sweep.Means))
	for m, mean := range busy(o) {
		a, b, c := ratio(o, m, 0), ratio(o, m, 1), ratio(o, m, 2)
		df1 = append(df1, a)
		r.Compare(fmt.Sprintf("gap-%g", mean), lab.Least(a.Minus(b), b.Minus(c)), "MinEDF/MaxEDF, df 1: %s, 1.5: %s, 3: %s",
			a.Significant(), b.Significant(), c.Significant())
	}
	r.Compare("df1-average", lab.Farthest(1, df1...), "the farther of %d means", len(df1))
	for f, factor := range o.Sweep.Factors {
		if f > 0 {
			r.Compare(fmt.Sprintf("better-%g", factor), lab.Most(ratio(o, 0, f), ratio(o, 1, f)), "mean 1 s: %s; 10 s: %s",
				ratio(o, 0, f).Significant(), ratio(o, 1, f).Significant())
		}
		r.Compare(fmt.Sprintf("falls-%g", factor), falls(o, f, 0), "the least favorable of two policies and all means")
		r.Compare(fmt.Sprintf("falls-late-%g", factor), falls(o, f, 2), "the least favorable of two policies and means "+
			"from 100 s on")
	}
	r.Compare("bump", lab.Difference(o.Cells[2][0][sim6MaxEDF].Exceeded, o.Cells[1][0][sim6MaxEDF].Exceeded),
		"at 10 s, it is %s higher than at 1 s", lab.Difference(o.Cells[1][0][sim6MaxEDF].Exceeded,
			o.Cells[0][0][sim6MaxEDF].Exceeded).Significant())
}

// falls returns the smallest decrease of the metric from one mean to the next, over MaxEDF and MinEDF
// with T_avg. f is the index of the factor, and from that of the first mean.
func falls(o *Outcome, f, from int) lab.Interval {
	var all []lab.Interval
	for m := from; m+1 < len(o.Sweep.Means); m++ {
		for _, p := range []int{sim6MaxEDF, sim6MinEDFAverage} {
			all = append(all, lab.Difference(o.Cells[m][f][p].Exceeded, o.Cells[m+1][f][p].Exceeded))
		}
	}
	return lab.Least(all...)
}

// busy returns the mean inter-arrival times up to 10 s.
func busy(o *Outcome) []float64 { return o.Sweep.Means[:2] }

// ratio returns the metric of MinEDF with T_avg, divided by the metric of MaxEDF. m and f are the
// indexes of the mean and the factor.
func ratio(o *Outcome, m, f int) lab.Interval {
	c := o.Cells[m][f]
	return lab.Ratio(c[sim6MinEDFAverage].Exceeded, c[sim6MaxEDF].Exceeded)
}

// sim6Busy returns the largest ratio over the busy means and all factors above 1.
func sim6Busy(o *Outcome) lab.Interval {
	var all []lab.Interval
	for m := range busy(o) {
		for f := 1; f < len(o.Sweep.Factors); f++ {
			all = append(all, ratio(o, m, f))
		}
	}
	return lab.Most(all...)
}

func sim6Ratios(o *Outcome) string {
	var text []string
	for m, mean := range busy(o) {
		for f := 1; f < len(o.Sweep.Factors); f++ {
			text = append(text, fmt.Sprintf("%s (mean %g s, df %g)", ratio(o, m, f).Significant(), mean, o.Sweep.Factors[f]))
		}
	}
	return strings.Join(text, ", ")
}
