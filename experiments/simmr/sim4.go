package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// sim4 reproduces figures 5(b) and 5(c) of SimMR. It compares executions under MaxEDF and MinEDF with
// their replays. A replay uses the scheduler of the execution.
var sim4 = &lab.Experiment{
	ID: "SIM-4", Paper: Paper, Item: "Figures 5(b) and 5(c)", BibTeX: BibTeX,
	Claim:    "SimMR's error is 3.7% on average and 8.6% at most for MaxEDF, and 1.1% and 2.7% for MinEDF.",
	Relation: "average error <= 6% for both policies, with the same scheduler in execution and replay",
	Sim:      sim4Sim,
	Real:     sim4Real,
}

// sim4Gap is the mean time between arrivals in seconds. factor is the deadline factor.
const (
	sim4Gap = 400
	factor  = 3
)

var sim4Policies = []lab.Policy{{Name: "maxedf"}, {Name: "minedf"}}

func sim4Sim(ctx context.Context, r *lab.Run) error {
	arrived := generate.Arrive(generate.Testbed(r.Seed), generate.Poisson(sim4Gap*1000), r.Seed)
	alone := map[*trace.Job]int64{}
	for _, j := range arrived.Jobs {
		var err error
		if alone[j], err = lab.Alone(ctx, j, Testbed); err != nil {
			return err
		}
	}
	r.Knob("execution", "the JobTracker's state machine with 64 TaskTrackers, each with one map slot and one "+
		"reduce slot, and heartbeats every 3 s")
	r.Knob("durations", "assumed (simulator/trace/generate), because the paper's traces were never published")
	r.Knob("mean inter-arrival", fmt.Sprint(sim4Gap, " s"))
	r.Knob("deadline factor", factor)
	for i, p := range sim4Policies {
		due := generate.Deadlines(arrived.Source(), 1, factor, r.Seed, func(j *trace.Job) int64 { return alone[j] })
		executed, err := Workers.Execute(ctx, p, r.Seed, due)
		if err != nil {
			return err
		}
		a, err := Workers.Measure(ctx, p, executed, 0)
		if err != nil {
			return err
		}
		r.Executions += 4
		a.Report(r, name(i), TaskLevel, Beats, Mumak)
		sim4Check(r, p, a, TaskLevel, 0.06, 0.15)
	}
	return nil
}

func name(policy int) string { return "figure5" + string(rune('b'+policy)) }

func sim4Check(r *lab.Run, p lab.Policy, a *Accuracy, m Model, average, worst float64) {
	r.Check(fmt.Sprintf("%s, %v: average error <= %g%%, worst <= %g%%", p.Name, m, 100*average, 100*worst),
		a.Mean(m) <= average && a.Worst(m) <= worst,
		"%.2f%% and %.2f%% over %d jobs", 100*a.Mean(m), 100*a.Worst(m), len(a.Jobs))
	r.Check(p.Name+": the error of Mumak's model is at least three times as large", a.Mean(Mumak) >= 3*a.Mean(m),
		"%.2f%% against %.2f%%", 100*a.Mean(Mumak), 100*a.Mean(m))
}
