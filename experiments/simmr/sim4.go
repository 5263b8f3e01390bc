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
	ID: "SIM-4", Paper: Paper, BibTeX: BibTeX, Sim: sim4Sim, Real: sim4Real,
}

// sim4Gap is the mean time between arrivals in seconds. factor is the deadline factor.
const (
	sim4Gap = 400
	factor  = 3
)

var sim4Policies = []lab.Policy{{Name: "maxedf"}, {Name: "minedf"}}

func sim4Sim(ctx context.Context, r *lab.Run) error {
	due, err := sim4Jobs(ctx, r.Seed, r.Seed)
	if err != nil {
		return err
	}
	r.Knob("execution", "the JobTracker's state machine with 64 TaskTrackers, each with one map slot and one "+
		"reduce slot, and heartbeats every 3 s")
	r.Knob("durations", "assumed (simulator/trace/generate), because the paper's traces were never published")
	r.Knob("mean inter-arrival", fmt.Sprint(sim4Gap, " s"))
	r.Knob("deadline factor", factor)
	for i, p := range sim4Policies {
		executed, err := Workers.Execute(ctx, p, r.Seed, due.Source())
		if err != nil {
			return err
		}
		a, err := Workers.Measure(ctx, p, executed, 0)
		if err != nil {
			return err
		}
		r.Executions += 4
		a.Report(r, name(i), TaskLevel, Beats, Mumak)
		Compare(r, p.Name+"-", a, TaskLevel)
	}
	return nil
}

// sim4Jobs returns the jobs with arrivals and deadlines. Of two seeds, the first determines these, and
// the second determines the tasks' durations.
func sim4Jobs(ctx context.Context, seed, durations uint64) (*trace.Trace, error) {
	arrive := func(durations uint64) *trace.Trace {
		return generate.Arrive(generate.Testbed(durations), generate.Poisson(sim4Gap*1000), seed)
	}
	usual, t := arrive(seed), arrive(durations)
	alone := map[string]int64{}
	for _, j := range usual.Jobs {
		var err error
		if alone[j.ID], err = lab.Alone(ctx, j, Testbed); err != nil {
			return nil, err
		}
	}
	return generate.Collect("sim4", generate.Deadlines(t.Source(), 1, factor, seed,
		func(j *trace.Job) int64 { return alone[j.ID] }))
}

func name(policy int) string { return "figure5" + string(rune('b'+policy)) }
