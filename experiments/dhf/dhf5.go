package dhf

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
)

// dhf5 reproduces figure 6 of Dynamic Slot Allocation, which shows how the percentages of slots
// that can be borrowed affect a job's time.
var dhf5 = &lab.Experiment{
	ID: "DHF-5", Paper: Paper, BibTeX: BibTeX, Sim: dhf5Sim, Real: dhf5Real,
}

// sort returns J2 with slow start 1. ratio is tR/tM.
func sort(ratio, noise float64) Work {
	w := Job(2, ratio, 1)
	w.Noise = noise
	return w
}

// line is one of the figure's four lines. In each line, one percentage varies and the other is
// fixed.
type line struct {
	name string
	set  func(percent int) []string
}

func percentages(m, r int) []string {
	return []string{conf.DHFSPercentageOfBorrowedMapSlots.Name, fmt.Sprint(m),
		conf.DHFSPercentageOfBorrowedReduceSlots.Name, fmt.Sprint(r)}
}

var lines = []line{
	{"PecR, PecM = 0", func(p int) []string { return percentages(0, p) }},
	{"PecR, PecM = 100", func(p int) []string { return percentages(100, p) }},
	{"PecM, PecR = 0", func(p int) []string { return percentages(p, 0) }},
	{"PecM, PecR = 100", func(p int) []string { return percentages(p, 100) }},
}

// steps lists the percentages. The first must be 0 and the last 100.
var steps = []int{0, 20, 40, 60, 80, 100}

// sweep returns the job's times by line. In each element of the result, the first index is the
// step, not the policy.
func sweep(ctx context.Context, r *lab.Run, w Work, repeat int) ([]Times, error) {
	var out []Times
	for _, l := range lines {
		var policies []lab.Policy
		for _, p := range steps {
			policies = append(policies, lab.Policy{Name: "pi-dhfs", Set: l.set(p)})
		}
		t, err := Testbed().Repeat(ctx, r, policies, repeat, w)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func dhf5Sim(ctx context.Context, r *lab.Run) error {
	repeat := 40
	if r.Quick {
		repeat = 10
	}
	r.Knob("scheduler", "PI-DHFS (the paper does not state which scheduler it used)")
	r.Knob("PecM and PecR", "percentages of all slots of a kind, as in Algorithm 1")
	r.Knob("task time", fmt.Sprintf("%d s for a map, lognormal with sigma %g, in %d repetitions",
		TaskTime/1000, noise, repeat))
	r.Knob("tR/tM", "0.5 and 0.12 (the paper states no task times)")
	for _, ratio := range []float64{0.5, 0.12} {
		t, err := sweep(ctx, r, sort(ratio, noise), repeat)
		if err != nil {
			return err
		}
		dhf5Report(r, fmt.Sprintf("%g", ratio), fmt.Sprintf("tR/tM %g", ratio), t)
		dhf5Compare(r, ratio, t)
	}
	equal, err := sweep(ctx, r, sort(0.12, 0), 1)
	if err != nil {
		return err
	}
	dhf5Report(r, "equal", "tR/tM 0.12, equal tasks", equal)
	r.Compare("pecm-equal", lab.Exact(gains(equal[2])[0]), "closed form: %.1f%%", 100*(5.44/4.24-1))
	r.Note("With equal tasks at tR/tM 0.12, PecR gains %.0f%%, because the 320 maps run in 3 waves on 108 slots instead "+
		"of 4 waves on 90.", gains(equal[0])[0])
	return nil
}

// gains returns T0/T1 - 1 in percent for each repetition of a line. T0 is the time at the line's first
// step, and T1 the time at its last step.
func gains(t Times) (out []float64) {
	for i := range t[0] {
		out = append(out, 100*(t[0][i]/t[len(t)-1][i]-1))
	}
	return out
}

// dhf5Compare evaluates the relations of one value of tR/tM.
func dhf5Compare(r *lab.Run, ratio float64, times []Times) {
	id := func(name string) string { return fmt.Sprintf("%s-%g", name, ratio) }
	var changes []lab.Interval
	for _, l := range times[2:] {
		for s := 1; s < len(steps); s++ {
			changes = append(changes, lab.Ratio(l[s], l[s-1]).Scale(-100, 100))
		}
	}
	r.Compare(id("monotone"), lab.Most(changes...), "the least favorable of %d changes", len(changes))
	byM, byR := gains(times[2]), gains(times[0])
	r.Compare(id("pecm"), lab.IntervalOf(byM), "PecR = 0")
	r.Compare(id("pecm-pecr"), lab.Ratio(byM, byR), "PecM %s%%, PecR %s%%", lab.IntervalOf(byM), lab.IntervalOf(byR))
}

func dhf5Report(r *lab.Run, name, title string, times []Times) {
	plot := lab.Plot{Name: "figure6-" + name, Title: "Gain over PecM = PecR = 0, " + title, X: "percentage", Y: "T0/T1",
		Kind: lab.Lines}
	head := []string{"T0/T1 (the first percentage varies)"}
	for _, s := range steps {
		head = append(head, fmt.Sprint(s))
	}
	base := times[0][0] // PecM = PecR = 0
	var rows [][]string
	for l := range lines {
		row, series := []string{lines[l].name}, lab.Series{Name: lines[l].name}
		for s := range steps {
			x := lab.Ratio(base, times[l][s])
			row = append(row, fmt.Sprintf("%.3f", x.Mean))
			series.X, series.Y = append(series.X, float64(steps[s])), append(series.Y, x.Mean)
			if len(base) > 1 {
				series.Low, series.High = append(series.Low, x.Low()), append(series.High, x.High())
			}
		}
		rows = append(rows, row)
		plot.Series = append(plot.Series, series)
	}
	r.AddTable("figure6-"+name, head, rows)
	r.AddPlot(plot)
}
