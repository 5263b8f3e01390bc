package dhf

import (
	"context"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
)

// dhf5 reproduces figure 6 of Dynamic Slot Allocation, which shows how the percentages of slots
// that can be borrowed affect a job's time.
var dhf5 = &lab.Experiment{
	ID: "DHF-5", Paper: Paper, Item: "Figure 6, section IV-D", BibTeX: BibTeX,
	Claim: "Sort with 320 maps and 200 reduces gains about 29% from PecM = 100 and little from PecR. PecM is the " +
		"percentage of map slots that reduces may borrow, and PecR the percentage of reduce slots that maps may " +
		"borrow.",
	Relation: "the time does not grow with PecM; the effect of PecM is at least 3 times that of PecR; at tR/tM = " +
		"0.12, PecM gains about 29%",
	Sim:  dhf5Sim,
	Real: dhf5Real,
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
	const noise = 0.2
	r.Knob("scheduler", "PI-DHFS (the paper does not state which scheduler it used)")
	r.Knob("PecM and PecR", "percentages of all slots of a kind, as in Algorithm 1")
	r.Knob("task time", fmt.Sprintf("%d s for a map, lognormal with sigma %g, in %d repetitions",
		TaskTime/1000, noise, repeat))
	r.Knob("tR/tM", "0.5 and 0.12 (the paper states no task times)")
	half, err := sweep(ctx, r, sort(0.5, noise), repeat)
	if err != nil {
		return err
	}
	dhf5Report(r, "half", "tR/tM 0.5", half)
	monotone(r, "tR/tM 0.5", half)
	byM, byR := effect(half[2]), effect(half[0])
	r.Check("tR/tM 0.5: PecM has at least 3 times the effect of PecR", byM.Low()-1 >= 3*(byR.High()-1),
		"T0/T1: PecM %s, PecR %s", byM.Significant(), byR.Significant())

	short, err := sweep(ctx, r, sort(0.12, noise), repeat)
	if err != nil {
		return err
	}
	dhf5Report(r, "short", "tR/tM 0.12", short)
	monotone(r, "tR/tM 0.12", short)
	equal, err := sweep(ctx, r, sort(0.12, 0), 1)
	if err != nil {
		return err
	}
	dhf5Report(r, "short-equal", "tR/tM 0.12, equal tasks", equal)
	exact := equal[2][0][0] / equal[2][len(steps)-1][0]
	r.Check("tR/tM 0.12, equal tasks: PecM gains about 29%", exact > 1.25 && exact < 1.33,
		"T0/T1 = %.3f; closed form: 5.44/4.24", exact)
	byM, byR = effect(short[2]), effect(short[0])
	r.NotReproduced("a gain of 29%% from PecM together with almost no gain from PecR. At tR/tM 0.12, where PecM "+
		"gains about as much as in the paper, T0/T1 is %s for PecM and %s for PecR. With PecR = 100, the 320 maps run "+
		"in 3 waves on 108 slots instead of 4 waves on 90. With equal tasks, this gains %.0f%% at tR/tM 0.12. With "+
		"longer reduces (tR/tM 0.5) and no other change, PecM gains far more than PecR.",
		byM.Significant(), byR.Significant(), 100*(equal[0][0][0]/equal[0][len(steps)-1][0]-1))
	return nil
}

// effect returns T0/T1 for the times of a line. T0 is the time at the line's first step, and T1 the
// time at its last step.
func effect(t Times) lab.Interval { return lab.Ratio(t[0], t[len(t)-1]) }

// monotone checks that the time does not grow with PecM.
func monotone(r *lab.Run, name string, times []Times) {
	for _, l := range []int{2, 3} {
		grows := false
		var changes []string
		for s := 1; s < len(steps); s++ {
			d := lab.Difference(times[l][s], times[l][s-1])
			grows = grows || d.Low() > 0
			changes = append(changes, fmt.Sprintf("%d: %s s", steps[s], Seconds(d.Mean)))
		}
		r.Check(fmt.Sprintf("%s: the time does not grow with %s", name,
			strings.Replace(lines[l].name, ",", " at", 1)), !grows, "change at %s",
			strings.Join(changes, "; "))
	}
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
