// Package dhf2 repeats figure 4(b) of Dynamic Slot Allocation: workloads of 5, 10 and 20 jobs.
package dhf2

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
)

// Experiment is DHF-2.
var Experiment = &lab.Experiment{
	ID: "DHF-2", Paper: dhf.Paper, Item: "Figure 4(b)", BibTeX: dhf.BibTeX,
	Claim:    "workloads of 5, 10 and 20 jobs run 44 to 68% faster with dynamic slots",
	Relation: "PI-DHFS and PD-DHFS are faster than the Fair Scheduler, and differ by at most 10%",
	Sim:      sim,
}

// noise is the deviation of the logarithm of tasks' times.
const noise = 0.2

func sim(ctx context.Context, r *lab.Run) error {
	repeat := 20
	if r.Quick {
		repeat = 6
	}
	r.Knob("task time", fmt.Sprintf("%d s a map of 64 MB, in proportion of larger blocks; tR = that of a map of 64 MB", dhf.TaskTime/1000))
	r.Knob("task times", fmt.Sprintf("lognormal with deviation %g of the logarithm, %d repetitions", noise, repeat))
	r.Knob("pools", "one for each job; all are submitted at once")
	r.Knob("speedup", "T0/T1 - 1 of the makespan; 1 - T1/T0 beside it (the paper does not say which)")
	bars := lab.Plot{Name: "figure4b", Title: "Gain over the Fair Scheduler", X: "workload", Y: "T0/T1", Kind: lab.Bars,
		Series: []lab.Series{{Name: "PI-DHFS"}, {Name: "PD-DHFS"}}}
	var rows [][]string
	for _, slowStart := range []float64{0.05, 1} {
		for _, n := range []int{5, 10, 20} {
			t, err := dhf.Testbed().Repeat(ctx, r, dhf.Policies, repeat, workload(n, slowStart)...)
			if err != nil {
				return err
			}
			pi, pd, both := simmr.Ratio(t[0], t[1]), simmr.Ratio(t[0], t[2]), simmr.Ratio(t[1], t[2])
			name := fmt.Sprintf("%d jobs, slow start %g", n, slowStart)
			r.Check(name+": both are faster", pi.Low() > 1 && pd.Low() > 1, "T0/T1: PI %v, PD %v", pi, pd)
			r.Check(name+": PI and PD differ by at most 10%", both.Low() >= 0.9 && both.High() <= 1.1, "PI/PD %v", both)
			rows = append(rows, []string{fmt.Sprint(n), fmt.Sprint(slowStart), pi.String(), pd.String(), both.String(), dhf.Percent(pi.Mean), dhf.Percent(pd.Mean), "44-68%"})
			for i, x := range []simmr.Interval{pi, pd} {
				s := &bars.Series[i]
				s.Labels, s.X, s.Y = append(s.Labels, name), append(s.X, float64(len(s.X))), append(s.Y, x.Mean)
				s.Low, s.High = append(s.Low, x.Low()), append(s.High, x.High())
			}
		}
	}
	r.AddTable("figure4b", []string{"jobs", "slow start", "PI: T0/T1", "PD: T0/T1", "PI/PD", "PI gain", "PD gain", "paper"}, rows)
	r.AddPlot(bars)
	return nil
}

func workload(n int, slowStart float64) (jobs []dhf.Work) {
	for i := 1; i <= n; i++ {
		w := dhf.Job(i, 1, slowStart)
		w.Noise = noise
		jobs = append(jobs, w)
	}
	return jobs
}
