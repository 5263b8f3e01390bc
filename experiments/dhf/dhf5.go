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

// sweep measures the job's times at the given percentages, which start with 0 and end with 100, and
// returns them by line. In each element of the result, the first index is that of the percentage, not
// of the policy. measure returns the times under policies that all differ.
func sweep(steps []int, measure func([]lab.Policy) (Times, error)) ([]Times, error) {
	var policies []lab.Policy
	at := map[string]int{} // index in policies by title
	for _, l := range lines {
		for _, s := range steps {
			p := lab.Policy{Name: "pi-dhfs", Set: l.set(s)}
			if _, ok := at[p.Title()]; !ok {
				at[p.Title()] = len(policies)
				policies = append(policies, p)
			}
		}
	}
	t, err := measure(policies)
	if err != nil {
		return nil, err
	}
	out := make([]Times, len(lines))
	for i, l := range lines {
		for _, s := range steps {
			out[i] = append(out[i], t[at[lab.Policy{Name: "pi-dhfs", Set: l.set(s)}.Title()]])
		}
	}
	return out, nil
}

func dhf5Knobs(r *lab.Run) {
	r.Knob("scheduler", "PI-DHFS (the paper does not state which scheduler it used)")
	r.Knob("PecM and PecR", "percentages of all slots of a kind, as in Algorithm 1")
	r.Knob("speedup", speedup)
}

func dhf5Sim(ctx context.Context, r *lab.Run) error {
	repeat := 40
	if r.Quick {
		repeat = 10
	}
	dhf5Knobs(r)
	r.Knob("task time", measuredText)
	r.Knob("distribution of task times", fmt.Sprintf("lognormal with sigma %g in %d repetitions", noise, repeat))
	w := Measured(2, 1, noise)
	steps := []int{0, 20, 40, 60, 80, 100}
	t, err := sweep(steps, func(policies []lab.Policy) (Times, error) {
		return Testbed().Repeat(ctx, r, policies, repeat, w)
	})
	if err != nil {
		return err
	}
	dhf5Report(r, steps, t)
	return sharedDisk(ctx, r, repeat, "PecM = 100 at PecR = 0", []lab.Policy{{Name: "pi-dhfs", Set: percentages(0, 0)},
		{Name: "pi-dhfs", Set: percentages(100, 0)}}, w)
}

// gains returns T0/T1 - 1 in percent for each repetition of a line. T0 is the time at the line's first
// step, and T1 the time at its last step.
func gains(t Times) (out []float64) {
	for i := range t[0] {
		out = append(out, 100*(t[0][i]/t[len(t)-1][i]-1))
	}
	return out
}

// dhf5Report evaluates the relations, and adds the table and the plot.
func dhf5Report(r *lab.Run, steps []int, times []Times) {
	var changes []lab.Interval
	for _, l := range times[2:] {
		for s := 1; s < len(steps); s++ {
			changes = append(changes, lab.Ratio(l[s], l[s-1]).Scale(-100, 100))
		}
	}
	r.Compare("monotone", lab.Most(changes...), "the least favorable of %d changes", len(changes))
	byM, byR := gains(times[2]), gains(times[0])
	triple := make([]float64, len(byR))
	for i := range byR {
		triple[i] = 3 * byR[i]
	}
	r.Compare("pecm", lab.IntervalOf(byM), "PecR = 0")
	r.Compare("pecm-pecr", lab.Difference(byM, triple), "PecM %s%%, PecR %s%%", lab.IntervalOf(byM), lab.IntervalOf(byR))
	plot := lab.Plot{Name: "figure6", Title: "Gain over PecM = PecR = 0", X: "percentage", Y: "T0/T1", Kind: lab.Lines}
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
			row = append(row, x.Significant())
			series.X, series.Y = append(series.X, float64(steps[s])), append(series.Y, x.Mean)
			series.Low, series.High = append(series.Low, x.Low()), append(series.High, x.High())
		}
		rows = append(rows, row)
		plot.Series = append(plot.Series, series)
	}
	r.AddTable("figure6", head, rows)
	r.AddPlot(plot)
}
