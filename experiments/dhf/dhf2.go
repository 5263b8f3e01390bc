package dhf

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf2 reproduces figure 4(b) of Dynamic Slot Allocation, which shows workloads of 5, 10, and 20
// jobs.
var dhf2 = &lab.Experiment{
	ID: "DHF-2", Paper: Paper, BibTeX: BibTeX, Sim: dhf2Sim,
}

func dhf2Sim(ctx context.Context, r *lab.Run) error {
	repeat := 20
	if r.Quick {
		repeat = 6
	}
	r.Knob("task time", fmt.Sprintf("%d s for a map of 64 MB, and proportionally more for larger blocks; a reduce "+
		"takes as long as a map of 64 MB", TaskTime/1000))
	r.Knob("distribution of task times", fmt.Sprintf("lognormal with sigma %g in %d repetitions", noise,
		repeat))
	r.Knob("pools", "one per job, with all jobs submitted at the same time")
	r.Knob("speedup", "T0/T1 - 1 for the makespan, with 1 - T1/T0 in parentheses (the paper does not define speedup)")
	bars := lab.Plot{Name: "figure4b", Title: "Gain over the Fair Scheduler", X: "workload", Y: "T0/T1", Kind: lab.Bars,
		Series: []lab.Series{{Name: "PI-DHFS"}, {Name: "PD-DHFS"}}}
	var rows [][]string
	var gains, equal []lab.Interval
	for _, slowStart := range []float64{0.05, 1} {
		for _, n := range []int{5, 10, 20} {
			t, err := Testbed().Repeat(ctx, r, Policies, repeat, workload(n, slowStart)...)
			if err != nil {
				return err
			}
			pi, pd, both := lab.Ratio(t[0], t[1]), lab.Ratio(t[0], t[2]), lab.Ratio(t[1], t[2])
			name := fmt.Sprintf("%d jobs, slow start %g", n, slowStart)
			gain := lab.Least(pi, pd).Scale(-100, 100)
			r.Compare(fmt.Sprintf("faster-%d-%g", n, slowStart), gain, "T0/T1: PI %s, PD %s", pi.Significant(),
				pd.Significant())
			gains, equal = append(gains, gain), append(equal, both)
			rows = append(rows, []string{fmt.Sprint(n), fmt.Sprint(slowStart), pi.Significant(), pd.Significant(),
				both.Significant(), Percent(pi.Mean), Percent(pd.Mean), "44-68%"})
			for i, x := range []lab.Interval{pi, pd} {
				s := &bars.Series[i]
				s.Labels, s.X, s.Y = append(s.Labels, name), append(s.X, float64(len(s.X))), append(s.Y, x.Mean)
				s.Low, s.High = append(s.Low, x.Low()), append(s.High, x.High())
			}
		}
	}
	r.AddTable("figure4b", []string{"jobs", "slow start", "PI: T0/T1", "PD: T0/T1", "PI/PD", "PI gain", "PD gain",
		"paper"}, rows)
	r.AddPlot(bars)
	r.Compare("same", lab.Farthest(1, equal...), "the farthest PI/PD of %d", len(equal))
	r.Compare("gain-least", lab.Least(gains...), "the least of %d gains", len(gains))
	r.Compare("gain-most", lab.Most(gains...), "the largest of %d gains", len(gains))
	return nil
}

func workload(n int, slowStart float64) (jobs []Work) {
	for i := 1; i <= n; i++ {
		w := Job(i, 1, slowStart)
		w.Noise = noise
		jobs = append(jobs, w)
	}
	return jobs
}
