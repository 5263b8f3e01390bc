package dhf

import (
	"context"
	"fmt"
	"os"

	"github.com/howdah/howdah/experiments/lab"
)

// dhf2 reproduces figure 4(b) of Dynamic Slot Allocation, which shows workloads of 5, 10, and 20
// jobs.
var dhf2 = &lab.Experiment{
	ID: "DHF-2", Paper: Paper, BibTeX: BibTeX, Sim: dhf2Sim, Real: dhf2Real,
}

func newFigure4b() *figure4 { return newFigure4("figure4b", "workload", "44-68%") }

// The knobs of simulated and real runs.
const (
	poolsText = "one per job, with all jobs submitted at the same time"
	spanText  = "of the makespan: " + speedup
)

func dhf2Sim(ctx context.Context, r *lab.Run) error {
	repeat := 20
	if r.Quick {
		repeat = 6
	}
	r.Knob("task time", measuredText)
	r.Knob("distribution of task times", fmt.Sprintf("lognormal with sigma %g in %d repetitions", noise, repeat))
	r.Knob("pools", poolsText)
	r.Knob("speedup", spanText)
	f := newFigure4b()
	for _, slowStart := range []float64{0.05, 1} {
		for _, n := range []int{5, 10, 20} {
			t, err := Testbed().Repeat(ctx, r, Policies, repeat, workload(n, slowStart)...)
			if err != nil {
				return err
			}
			f.add(r, fmt.Sprintf("%d-%g", n, slowStart), fmt.Sprintf("%d jobs, slow start %g", n, slowStart), t)
		}
	}
	f.end(r)
	return sharedDisk(ctx, r, repeat, "5 jobs at slow start 1", Policies[:2], workload(5, 1)...)
}

func workload(n int, slowStart float64) (jobs []Work) {
	for i := 1; i <= n; i++ {
		jobs = append(jobs, Measured(i, slowStart, noise))
	}
	return jobs
}

// dhf2Real runs a ninth of each of J1 to J5 and of J1 to J10 at the same time, with the real programs.
func dhf2Real(ctx context.Context, r *lab.Run) error {
	const repeat = 5
	workloads := []int{5, 10}
	small.knobs(r)
	r.Knob("jobs", ninthText)
	r.Knob("workloads", "5 and 10 jobs; 20 jobs would take as long again as both")
	r.Knob("pools", poolsText)
	r.Knob("speedup", spanText)
	r.Knob("repetitions", repeat)
	works := ninths(10)
	dir, err := small.write(r, works...)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f := newFigure4b()
	for _, n := range workloads {
		runs, err := small.repeat(ctx, r, dir, Policies, repeat, works[:n]...)
		if err != nil {
			return err
		}
		f.add(r, fmt.Sprint(n), fmt.Sprintf("%d jobs", n), timesOf(runs))
	}
	f.end(r)
	return nil
}
