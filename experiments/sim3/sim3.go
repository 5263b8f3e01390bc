// Package sim3 repeats figure 5(a) of SimMR: how far replays under FIFO are from the execution, with SimMR's and Mumak's model of
// a reduce.
package sim3

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Experiment is SIM-3.
var Experiment = &lab.Experiment{
	ID: "SIM-3", Paper: simmr.Paper, Item: "Figure 5(a)", BibTeX: simmr.BibTeX,
	Claim:    "Replaying 18 jobs under FIFO, SimMR errs by 2.7% on average (6.6% at most), Mumak by 37% (51.7%), always underestimating",
	Relation: "SimMR's model: average error <= 6%, worst <= 15%; Mumak's model errs at least three times as much, and underestimates",
	Sim:      sim,
	Real:     real,
}

var fifo = simmr.Policy{Name: "fifo"}

// gap is the mean time between arrivals in seconds: the cluster is busy most of the time and some jobs wait.
const gap = 400

func sim(ctx context.Context, r *lab.Run) error {
	jobs := generate.Arrive(generate.Testbed(r.Seed), generate.Poisson(gap*1000), r.Seed)
	executed, err := simmr.Workers.Execute(ctx, fifo, r.Seed, jobs.Source())
	if err != nil {
		return err
	}
	a, err := simmr.Workers.Measure(ctx, fifo, executed, 0)
	if err != nil {
		return err
	}
	r.Executions += 4
	r.Knob("execution", "the JobTracker's machine with 64 TaskTrackers, one map and one reduce slot each, beats of 3 s")
	r.Knob("durations", "assumed: the paper's traces were never published (simulator/trace/generate)")
	r.Knob("mean inter-arrival", fmt.Sprint(gap, " s"))
	a.Report(r, "figure5a", simmr.TaskLevel, simmr.Beats, simmr.Mumak)
	Check(r, a, simmr.TaskLevel, 0.06, 0.15)
	return public(ctx, r)
}

// Check checks the relation of figure 5(a).
func Check(r *lab.Run, a *simmr.Accuracy, m simmr.Model, average, worst float64) {
	text := fmt.Sprintf("%v: average error <= %g%%, worst <= %g%%", m, 100*average, 100*worst)
	r.Check(text, a.Mean(m) <= average && a.Worst(m) <= worst, "%.2f%% and %.2f%% over %d jobs", 100*a.Mean(m), 100*a.Worst(m), len(a.Jobs))
	r.Check("Mumak's model errs at least three times as much", a.Mean(simmr.Mumak) >= 3*a.Mean(m), "%.2f%% against %.2f%%", 100*a.Mean(simmr.Mumak), 100*a.Mean(m))
	r.Check("Mumak's model underestimates", a.Under(simmr.Mumak) >= 0.9, "%.0f%% of the jobs", 100*a.Under(simmr.Mumak))
}
