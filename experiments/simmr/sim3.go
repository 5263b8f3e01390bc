package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// sim3 reproduces figure 5(a) of SimMR. It compares an execution under FIFO with replays of that
// execution. The replays use SimMR's and Mumak's models of a reduce.
var sim3 = &lab.Experiment{
	ID: "SIM-3", Paper: Paper, Item: "Figure 5(a)", BibTeX: BibTeX,
	Claim: "In replays of 18 jobs under FIFO, SimMR's error is 2.7% on average and 6.6% at most. Mumak's error is " +
		"37% on average and 51.7% at most, and Mumak always underestimates a job's time.",
	Relation: "SimMR's model: average error <= 6%, worst <= 15%; the error of Mumak's model is at least three " +
		"times as large, and Mumak's model underestimates",
	Sim:  sim3Sim,
	Real: sim3Real,
}

var fifo = lab.Policy{Name: "fifo"}

// sim3Gap is the mean time between arrivals in seconds. It keeps the cluster busy most of the time,
// and some jobs wait.
const sim3Gap = 400

func sim3Sim(ctx context.Context, r *lab.Run) error {
	jobs := generate.Arrive(generate.Testbed(r.Seed), generate.Poisson(sim3Gap*1000), r.Seed)
	executed, err := Workers.Execute(ctx, fifo, r.Seed, jobs.Source())
	if err != nil {
		return err
	}
	a, err := Workers.Measure(ctx, fifo, executed, 0)
	if err != nil {
		return err
	}
	r.Executions += 4
	r.Knob("execution of figure5a", "the JobTracker's state machine with 64 TaskTrackers, each with one map slot and one "+
		"reduce slot, and heartbeats every 3 s")
	r.Knob("durations of figure5a", "assumed (simulator/trace/generate), because the paper's traces were never published")
	r.Knob("mean inter-arrival of figure5a", fmt.Sprint(sim3Gap, " s"))
	a.Report(r, "figure5a", TaskLevel, Beats, Mumak)
	Check(r, a, TaskLevel, 0.06, 0.15)
	return public(ctx, r)
}

// Check checks the relation of figure 5(a) for model m. average and worst are the limits for the
// average and the largest error, as fractions.
func Check(r *lab.Run, a *Accuracy, m Model, average, worst float64) {
	text := fmt.Sprintf("%v: average error <= %g%%, worst <= %g%%", m, 100*average, 100*worst)
	r.Check(text, a.Mean(m) <= average && a.Worst(m) <= worst, "%.2f%% and %.2f%% over %d jobs", 100*a.Mean(m),
		100*a.Worst(m), len(a.Jobs))
	r.Check("the error of Mumak's model is at least three times as large", a.Mean(Mumak) >= 3*a.Mean(m),
		"%.2f%% against %.2f%%",
		100*a.Mean(Mumak), 100*a.Mean(m))
	r.Check("Mumak's model underestimates", a.Under(Mumak) >= 0.9, "%.0f%% of the jobs", 100*a.Under(Mumak))
}
