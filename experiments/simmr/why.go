package simmr

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/validate"
)

// why shows why effects of SIM-2 to SIM-5 are far from the paper's values. Each relation
// changes one suspected cause.
var why = &lab.Experiment{ID: "SIM-why", Paper: Paper, BibTeX: BibTeX, Sim: whySim}

func whySim(ctx context.Context, r *lab.Run) error {
	for _, f := range []func(context.Context, *lab.Run) error{whyShuffles, whyErrors, whySpeed} {
		if err := f(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// whySigma is the standard deviation of the logarithm of the factor by which a whole run lengthens its
// shuffles.
const whySigma = 0.15

// whyShuffles compares runs of which each finds another load on the network.
func whyShuffles(ctx context.Context, r *lab.Run) error {
	runs, err := sim2Execute(ctx, r, func(j *trace.Job, random *rand.Rand) {
		load := math.Exp(whySigma * random.NormFloat64())
		for i := range j.Reduces {
			j.Reduces[i].Shuffle = int64(float64(j.Reduces[i].Shuffle) * load)
		}
	})
	if err != nil {
		return err
	}
	r.Knob("load on the network", fmt.Sprintf("lengthens all shuffles of a run by one factor, whose logarithm has a "+
		"standard deviation of %g", whySigma))
	a := sim2Report(r, "table1", runs, sim2Divergence.Between, sim2Divergence.Bins)
	r.Compare("network-shuffle-map", lab.Exact(a.same[1]/a.same[0]), "%.3f against %.3f on average", a.same[1], a.same[0])
	return nil
}

// whyJobs returns jobs. Of two seeds, the first determines arrivals and deadlines, and the second
// determines the tasks' durations.
type whyJobs func(ctx context.Context, seed, durations uint64) (*trace.Trace, error)

// whyErrors replays executions with the durations of other executions of the same jobs.
func whyErrors(ctx context.Context, r *lab.Run) error {
	for _, p := range sim4Policies {
		if _, err := whyReplays(ctx, r, p, sim4Jobs); err != nil {
			return err
		}
	}
	f := fitTestbed(r)
	all, err := whyReplays(ctx, r, fifo, func(_ context.Context, seed, durations uint64) (*trace.Trace, error) {
		return generate.Arrive(f.jobs(durations), generate.Poisson(sim3Gap*1000), seed), nil
	})
	if err != nil {
		return err
	}
	var mumak, tasks []float64
	for _, a := range all {
		mumak, tasks = append(mumak, 100*a.Mean(Mumak)), append(tasks, 100*a.Mean(TaskLevel))
	}
	r.Compare("another-run-fifo-mumak-times", lab.Ratio(mumak, tasks), "%s%% against %s%%", lab.IntervalOf(mumak),
		lab.IntervalOf(tasks))
	return nil
}

// whyReplays measures the errors under a policy for several seeds, and compares those of SimMR's model.
func whyReplays(ctx context.Context, r *lab.Run, p lab.Policy, jobs whyJobs) ([]*Accuracy, error) {
	seeds := 20
	if r.Quick {
		seeds = 3
	}
	all, average, worst := make([]*Accuracy, seeds), make([]float64, seeds), make([]float64, seeds)
	err := lab.Parallel(ctx, r.Workers, seeds, func(ctx context.Context, i int) error {
		a, err := whyAnother(ctx, p, r.Seed+uint64(2*i), jobs)
		if err != nil {
			return err
		}
		all[i], average[i], worst[i] = a, 100*a.Mean(TaskLevel), 100*a.Worst(TaskLevel)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Executions += 4 * seeds
	r.Compare("another-run-"+p.Name+"-average", lab.IntervalOf(average), "18 jobs")
	r.Compare("another-run-"+p.Name+"-worst", lab.IntervalOf(worst), "18 jobs")
	return all, nil
}

// whyAnother measures the errors of replays that know an execution only from another one of the same
// jobs, with the same arrivals and deadlines.
func whyAnother(ctx context.Context, p lab.Policy, seed uint64, jobs whyJobs) (*Accuracy, error) {
	var executed [2]*trace.Trace
	for i := range executed {
		t, err := jobs(ctx, seed, seed+uint64(i))
		if err != nil {
			return nil, err
		}
		if executed[i], err = Workers.Execute(ctx, p, seed+uint64(i), t.Source()); err != nil {
			return nil, err
		}
	}
	executed[1].Jobs = validate.Blind(executed[1].Jobs)
	a := measured(executed[0], 0, firstToLast)
	for _, m := range []Model{TaskLevel, Mumak} {
		if err := Workers.predict(ctx, p, a, m, executed[1:]...); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// whySpeed counts the events of replays without heartbeats, with some, and with all.
func whySpeed(ctx context.Context, r *lab.Run) error {
	t, err := generate.Collect("testbed", generate.TestbedLike(sim5Jobs, nil, r.Seed))
	if err != nil {
		return err
	}
	tasks, err := lab.RunTasks(ctx, fifo, Testbed, r.Seed, t.Source())
	if err != nil {
		return err
	}
	some, _, err := sim5Beats(ctx, r, t, false)
	if err != nil {
		return err
	}
	all, took, err := sim5Beats(ctx, r, t, true)
	if err != nil {
		return err
	}
	r.Executions += 3
	r.Compare("events", lab.Exact(float64(tasks.Events)/1e6), "%d jobs", sim5Jobs)
	r.Compare("idle-beats", lab.Exact(float64(all.Events)/float64(some.Events)), "%d events in %.1f s against %d",
		all.Events, took.Seconds(), some.Events)
	return nil
}
