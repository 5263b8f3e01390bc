// Package dhf1 repeats figure 4(a) of Dynamic Slot Allocation: single jobs with and without dynamic slots.
package dhf1

import (
	"context"
	"fmt"
	"math"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
)

// Experiment is DHF-1.
var Experiment = &lab.Experiment{
	ID: "DHF-1", Paper: dhf.Paper, Item: "Figure 4(a), section IV-B", BibTeX: dhf.BibTeX,
	Claim: "J1, J2 and J3 alone on 9 slaves with 10 + 2 slots run 32 to 55% faster with dynamic slots",
	Relation: "every job is faster; PI-DHFS and PD-DHFS differ by at most 5%; times are those of the closed form within 10%: " +
		"ceil(NM/SM) tM + ceil(NR/SR) tR, and with dynamic slots SM + SR in both places",
	Sim:  sim,
	Real: real,
}

// jobs are J1 to J3; ratio is tR/tM. Slow start 1 is what the closed form (and the flow of figure 5) means.
func jobs(ratio, noise float64) []dhf.Work {
	var out []dhf.Work
	for n := 1; n <= 3; n++ {
		w := dhf.Job(n, ratio, 1)
		w.Noise = noise
		out = append(out, w)
	}
	return out
}

// ratios of a reduce's time to a map's. The paper gives neither time.
var ratios = []float64{1, 0.5, 0.1}

func sim(ctx context.Context, r *lab.Run) error {
	r.Knob("task time", fmt.Sprintf("%d s a map of 64 MB, reduces tR/tM = %v of it; the paper gives neither", dhf.TaskTime/1000, ratios))
	r.Knob("slow start", "1: no reduce before its own maps end, as in figure 5")
	r.Knob("speedup", "T0/T1 - 1; 1 - T1/T0 beside it (the paper does not say which)")
	r.Knob("heartbeat", fmt.Sprintf("%d ms, and when a task ends", dhf.Heartbeat))
	var rows [][]string
	for _, ratio := range ratios {
		for _, w := range jobs(ratio, 0) {
			t, err := dhf.Testbed().Repeat(ctx, r, dhf.Policies, 1, w)
			if err != nil {
				return err
			}
			rows = append(rows, exact(r, w, ratio, t))
		}
	}
	r.AddTable("exact", []string{"job", "tR/tM", "fair (s)", "closed form", "pi-dhfs", "pd-dhfs", "closed form", "PI gain", "paper"}, rows)
	return random(ctx, r)
}

// exact compares tasks of equal length with the closed form.
func exact(r *lab.Run, w dhf.Work, ratio float64, t dhf.Times) []string {
	slots := dhf.Testbed().Total()
	fixed, dynamic := w.Waves(slots, false), w.Waves(slots, true)
	off := max(math.Abs(t[0][0]/fixed-1), math.Abs(t[1][0]/dynamic-1), math.Abs(t[2][0]/dynamic-1))
	r.Check(fmt.Sprintf("%s, tR/tM %g: the closed form holds within 10%%", w.Name, ratio), off <= 0.1, "at most %.1f%% off", 100*off)
	return []string{w.Name, fmt.Sprint(ratio), dhf.Seconds(t[0][0]), dhf.Seconds(fixed), dhf.Seconds(t[1][0]), dhf.Seconds(t[2][0]), dhf.Seconds(dynamic),
		dhf.Percent(t[0][0] / t[1][0]), "32-55%"}
}

// random repeats with tasks of unequal length.
func random(ctx context.Context, r *lab.Run) error {
	repeat := 40
	if r.Quick {
		repeat = 10
	}
	const noise = 0.2
	r.Knob("task times", fmt.Sprintf("lognormal with deviation %g of the logarithm in %d repetitions, besides equal ones", noise, repeat))
	bars := lab.Plot{Name: "figure4a", Title: "Gain over the Fair Scheduler", X: "job", Y: "T0/T1", Kind: lab.Bars,
		Series: []lab.Series{{Name: "PI-DHFS"}, {Name: "PD-DHFS"}}}
	var rows [][]string
	var low, high float64 = math.Inf(1), 0
	for _, ratio := range ratios {
		for _, w := range jobs(ratio, noise) {
			t, err := dhf.Testbed().Repeat(ctx, r, dhf.Policies, repeat, w)
			if err != nil {
				return err
			}
			pi, pd, both := simmr.Ratio(t[0], t[1]), simmr.Ratio(t[0], t[2]), simmr.Ratio(t[1], t[2])
			name := fmt.Sprintf("%s, tR/tM %g", w.Name, ratio)
			r.Check(name+": faster with dynamic slots", pi.Low() > 1 && pd.Low() > 1, "T0/T1: PI %v, PD %v", pi, pd)
			r.Check(name+": PI and PD differ by at most 5%", both.Low() >= 0.95 && both.High() <= 1.05, "PI/PD %v", both)
			rows = append(rows, []string{w.Name, fmt.Sprint(ratio), pi.String(), pd.String(), dhf.Percent(pi.Mean), "32-55%"})
			low, high = min(low, pi.Mean), max(high, pi.Mean)
			for i, x := range []simmr.Interval{pi, pd} {
				s := &bars.Series[i]
				s.Labels, s.X, s.Y = append(s.Labels, name), append(s.X, float64(len(s.X))), append(s.Y, x.Mean)
				s.Low, s.High = append(s.Low, x.Low()), append(s.High, x.High())
			}
		}
	}
	r.AddTable("random", []string{"job", "tR/tM", "PI: T0/T1", "PD: T0/T1", "PI gain", "paper"}, rows)
	r.AddPlot(bars)
	r.NotReproduced("32 to 55%% for all three jobs at once: the closed form gives each job another gain, and these runs give %+.0f%% to %+.0f%% over tR/tM from %g to %g. "+
		"The times of tasks decide and are not published; the runs with equal tasks isolate that: with tR = tM they gain +33, +220 and +86%%, as the formula says.",
		100*(low-1), 100*(high-1), ratios[len(ratios)-1], ratios[0])
	return nil
}
