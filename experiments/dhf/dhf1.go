package dhf

import (
	"context"
	"fmt"
	"math"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf1 reproduces figure 4(a) of Dynamic Slot Allocation, which shows single jobs with and without
// dynamic slots.
var dhf1 = &lab.Experiment{
	ID: "DHF-1", Paper: Paper, BibTeX: BibTeX, Sim: dhf1Sim, Real: dhf1Real,
}

// dhf1Jobs returns J1 to J3 with a slow start of 1, which the closed form and figure 5 imply. ratio
// is tR/tM.
func dhf1Jobs(ratio, noise float64) []Work {
	var out []Work
	for n := 1; n <= 3; n++ {
		w := Job(n, ratio, 1)
		w.Noise = noise
		out = append(out, w)
	}
	return out
}

// ratios are the values of tR/tM, the time of a reduce divided by that of a map. The paper does not
// state these times.
var ratios = []float64{1, 0.5, 0.1}

func dhf1Sim(ctx context.Context, r *lab.Run) error {
	r.Knob("task time", fmt.Sprintf("%d s for a map of 64 MB, and %g, %g, or %g times as long (tR/tM) for a reduce "+
		"(the paper states neither)",
		TaskTime/1000, ratios[0], ratios[1], ratios[2]))
	r.Knob("slow start", "1, so that a reduce starts after all maps of its job, as in Figure 5")
	r.Knob("speedup", speedup)
	r.Knob("heartbeats", fmt.Sprintf("every %d ms and at the end of each task", Heartbeat))
	var rows [][]string
	worst := 0.0
	for _, ratio := range ratios {
		for _, w := range dhf1Jobs(ratio, 0) {
			t, err := Testbed().Repeat(ctx, r, Policies, 1, w)
			if err != nil {
				return err
			}
			row, off := exact(w, ratio, t)
			rows, worst = append(rows, row), max(worst, off)
		}
	}
	r.Compare("closed-form", lab.Exact(100*worst), "%d jobs under three policies", len(rows))
	r.AddTable("exact", []string{"job", "tR/tM", "fair (s)", "closed form, fair", "pi-dhfs", "pd-dhfs",
		"closed form, dynamic", "PI gain", "paper"}, rows)
	return random(ctx, r)
}

// exact compares t, the times of a job whose tasks all take equally long, with the closed form. It
// returns a row of the table and the largest relative difference.
func exact(w Work, ratio float64, t Times) (row []string, off float64) {
	slots := Testbed().Total()
	fixed, dynamic := w.Waves(slots, false), w.Waves(slots, true)
	off = max(math.Abs(t[0][0]/fixed-1), math.Abs(t[1][0]/dynamic-1), math.Abs(t[2][0]/dynamic-1))
	return []string{w.Name, fmt.Sprint(ratio), Seconds(t[0][0]), Seconds(fixed), Seconds(t[1][0]), Seconds(t[2][0]),
		Seconds(dynamic),
		Percent(t[0][0] / t[1][0]), "32-55%"}, off
}

// random repeats the experiment with tasks of different lengths.
func random(ctx context.Context, r *lab.Run) error {
	repeat := 40
	if r.Quick {
		repeat = 10
	}
	r.Knob("task times", fmt.Sprintf("lognormal with sigma %g in %d repetitions, and equal in one run",
		noise, repeat))
	bars := lab.Plot{Name: "figure4a", Title: "Gain over the Fair Scheduler", X: "job", Y: "T0/T1", Kind: lab.Bars,
		Series: []lab.Series{{Name: "PI-DHFS"}, {Name: "PD-DHFS"}}}
	var rows [][]string
	var gains, equal []lab.Interval
	for _, ratio := range ratios {
		for _, w := range dhf1Jobs(ratio, noise) {
			t, err := Testbed().Repeat(ctx, r, Policies, repeat, w)
			if err != nil {
				return err
			}
			pi, pd, both := lab.Ratio(t[0], t[1]), lab.Ratio(t[0], t[2]), lab.Ratio(t[1], t[2])
			name := fmt.Sprintf("%s, tR/tM %g", w.Name, ratio)
			gain := lab.Least(pi, pd).Scale(-100, 100)
			r.Compare(fmt.Sprintf("faster-%s-%g", w.Name, ratio), gain, "T0/T1: PI %s, PD %s", pi.Significant(),
				pd.Significant())
			gains, equal = append(gains, gain), append(equal, both)
			rows = append(rows, []string{w.Name, fmt.Sprint(ratio), pi.Significant(), pd.Significant(),
				Percent(pi.Mean), "32-55%"})
			for i, x := range []lab.Interval{pi, pd} {
				s := &bars.Series[i]
				s.Labels, s.X, s.Y = append(s.Labels, name), append(s.X, float64(len(s.X))), append(s.Y, x.Mean)
				s.Low, s.High = append(s.Low, x.Low()), append(s.High, x.High())
			}
		}
	}
	r.AddTable("random", []string{"job", "tR/tM", "PI: T0/T1", "PD: T0/T1", "PI gain", "paper"}, rows)
	r.AddPlot(bars)
	r.Compare("same", lab.Farthest(1, equal...), "the farthest PI/PD of %d", len(equal))
	r.Compare("gain-least", lab.Least(gains...), "the least of %d gains", len(gains))
	r.Compare("gain-most", lab.Most(gains...), "the largest of %d gains", len(gains))
	return nil
}
