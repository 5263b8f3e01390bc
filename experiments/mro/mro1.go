package mro

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// mro1 reproduces Figures 2 and 3 of MROrchestrator, which show how contention affects jobs that
// share slots.
var mro1 = &lab.Experiment{
	ID: "MRO-1", Paper: Paper, BibTeX: BibTeX, Sim: mro1Simulate, Real: mro1Real,
}

// mix lists the jobs of section II-A, as indexes in Names. sizes lists their input sizes relative to
// section IV. Sort has 15 GB and Wcount 10 GB, compared with 20 GB in section IV. The paper does not
// state the sizes of the other jobs.
var (
	mix   = []int{2, 3, 4, 1}
	sizes = []float64{1, 1, 0.75, 0.5}
)

func mro1Simulate(ctx context.Context, r *lab.Run) error {
	Knobs(r)
	cases := []Case{{Jobs: mix, Sizes: sizes}}
	for k, i := range mix {
		cases = append(cases, Case{Jobs: []int{i}, Sizes: sizes[k : k+1]})
	}
	out, err := Runs(ctx, r, Seeds(r), cases)
	if err != nil {
		return err
	}
	together, alone := out[0], Joined(out[1:])
	var rows [][]string
	for k, i := range mix {
		ratio := lab.IntervalOf(Each(alone, together, func(a, b *Outcome) float64 { return b.JCT[k] / a.JCT[k] }))
		rows = append(rows, []string{Names()[i], fmt.Sprintf("%.0f", alone[0].JCT[k]),
			fmt.Sprintf("%.0f", together[0].JCT[k]), ratio.String()})
	}
	r.AddTable("CPU in use", []string{"run", "of the cluster (%)", "paper"}, [][]string{
		{"Sort alone", mro1Use(out[3]).String(), "42.2"}, {"Wcount alone", mro1Use(out[4]).String(), "28.6"},
		{"together", mro1Use(together).String(), ""}})
	r.AddTable("completion", []string{"job", "alone (s, seed 1)", "together (s)", "ratio"}, rows)
	r.Compare("longer", lab.IntervalOf(Each(alone, together, longer)), "the mean over four jobs")
	r.Compare("spread", lab.IntervalOf(Each(together, together, func(a, _ *Outcome) float64 { return a.Spread[2] })),
		"the longest reduce of Sort, divided by the median one")
	return nil
}

// mro1Use returns the interval of the cluster's CPU utilization, in percent.
func mro1Use(runs []*Outcome) lab.Interval {
	return lab.IntervalOf(Each(runs, runs, func(o, _ *Outcome) float64 { return 100 * o.Util[0] }))
}

// longer divides each job's completion time when the jobs run together by its completion time when
// it runs alone, and returns the mean over the jobs.
func longer(alone, together *Outcome) float64 {
	sum := 0.0
	for k := range alone.JCT {
		sum += together.JCT[k] / alone.JCT[k] / float64(len(alone.JCT))
	}
	return sum
}
