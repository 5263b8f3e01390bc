// Package sim4 repeats figures 5(b) and 5(c) of SimMR: how far replays are from the execution under MaxEDF and MinEDF, with the
// same scheduler in both.
package sim4

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Experiment is SIM-4.
var Experiment = &lab.Experiment{
	ID: "SIM-4", Paper: simmr.Paper, Item: "Figures 5(b) and 5(c)", BibTeX: simmr.BibTeX,
	Claim:    "SimMR errs by 3.7% on average (8.6% at most) for MaxEDF and by 1.1% (2.7%) for MinEDF",
	Relation: "average error <= 6% for both policies, with the same scheduler in execution and replay",
	Sim:      sim,
	Real:     real,
}

// gap is the mean time between arrivals in seconds, factor the deadline factor.
const (
	gap    = 400
	factor = 3
)

var policies = []simmr.Policy{{Name: "maxedf"}, {Name: "minedf"}}

func sim(ctx context.Context, r *lab.Run) error {
	arrived := generate.Arrive(generate.Testbed(r.Seed), generate.Poisson(gap*1000), r.Seed)
	alone := map[*trace.Job]int64{}
	for _, j := range arrived.Jobs {
		var err error
		if alone[j], err = simmr.Alone(ctx, j, simmr.Testbed); err != nil {
			return err
		}
	}
	r.Knob("execution", "the JobTracker's machine with 64 TaskTrackers, one map and one reduce slot each, beats of 3 s")
	r.Knob("durations", "assumed: the paper's traces were never published (simulator/trace/generate)")
	r.Knob("mean inter-arrival", fmt.Sprint(gap, " s"))
	r.Knob("deadline factor", factor)
	for i, p := range policies {
		due := generate.Deadlines(arrived.Source(), 1, factor, r.Seed, func(j *trace.Job) int64 { return alone[j] })
		executed, err := simmr.Workers.Execute(ctx, p, r.Seed, due)
		if err != nil {
			return err
		}
		a, err := simmr.Workers.Measure(ctx, p, executed, 0)
		if err != nil {
			return err
		}
		r.Executions += 4
		a.Report(r, name(i), simmr.TaskLevel, simmr.Beats, simmr.Mumak)
		check(r, p, a, simmr.TaskLevel, 0.06, 0.15)
	}
	return nil
}

func name(policy int) string { return "figure5" + string(rune('b'+policy)) }

func check(r *lab.Run, p simmr.Policy, a *simmr.Accuracy, m simmr.Model, average, worst float64) {
	r.Check(fmt.Sprintf("%s, %v: average error <= %g%%, worst <= %g%%", p.Name, m, 100*average, 100*worst), a.Mean(m) <= average && a.Worst(m) <= worst,
		"%.2f%% and %.2f%% over %d jobs", 100*a.Mean(m), 100*a.Worst(m), len(a.Jobs))
	r.Check(p.Name+": Mumak's model errs at least three times as much", a.Mean(simmr.Mumak) >= 3*a.Mean(m), "%.2f%% against %.2f%%", 100*a.Mean(simmr.Mumak), 100*a.Mean(m))
}
