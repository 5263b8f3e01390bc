package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// sim3 reproduces figure 5(a) of SimMR. It compares an execution under FIFO with replays of that
// execution. The replays use SimMR's and Mumak's models of a reduce. Durations are fitted to Table I,
// because the paper's traces were never published.
var sim3 = &lab.Experiment{
	ID: "SIM-3", Paper: Paper, BibTeX: BibTeX, Sim: sim3Sim, Real: sim3Real,
}

var fifo = lab.Policy{Name: "fifo"}

// sim3Gap is the mean time between arrivals in seconds. It keeps the cluster busy most of the time,
// and some jobs wait.
const sim3Gap = 400

func sim3Sim(ctx context.Context, r *lab.Run) error {
	list := fitTestbed(r).jobs(r.Seed)
	if err := checkFit(ctx, r, list); err != nil {
		return err
	}
	jobs := generate.Arrive(list, generate.Poisson(sim3Gap*1000), r.Seed)
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
	r.Knob("mean inter-arrival of figure5a", fmt.Sprint(sim3Gap, " s"))
	a.Report(r, "figure5a", TaskLevel, Beats, Mumak)
	Compare(r, "", a, TaskLevel)
	compareMumak(r, a)
	return public(ctx, r)
}

// Compare evaluates the relations of figure 5 for model m and for Mumak's model. The IDs of the
// relations start with prefix.
func Compare(r *lab.Run, prefix string, a *Accuracy, m Model) {
	r.Compare(prefix+"average", r.Value(100*a.Mean(m)), "%v, %d jobs", m, len(a.Jobs))
	r.Compare(prefix+"worst", r.Value(100*a.Worst(m)), "%v, %d jobs", m, len(a.Jobs))
	r.Compare(prefix+"mumak-times", r.Value(a.Mean(Mumak)/a.Mean(m)), "%.2f%% against %.2f%%", 100*a.Mean(Mumak),
		100*a.Mean(m))
}

// compareMumak evaluates the relations of figure 5(a) that are only about Mumak's model.
func compareMumak(r *lab.Run, a *Accuracy) {
	r.Compare("mumak-average", r.Value(100*a.Mean(Mumak)), "%d jobs", len(a.Jobs))
	r.Compare("mumak-worst", r.Value(100*a.Worst(Mumak)), "%d jobs", len(a.Jobs))
	r.Compare("mumak-under", r.Value(100*a.Under(Mumak)), "%d jobs", len(a.Jobs))
}
