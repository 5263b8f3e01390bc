// Package sim6 repeats figure 7 of SimMR: MaxEDF and MinEDF on the testbed's mix of 18 jobs.
package sim6

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler/edf"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Experiment is SIM-6.
var Experiment = &lab.Experiment{
	ID: "SIM-6", Paper: simmr.Paper, Item: "Figure 7", BibTeX: simmr.BibTeX,
	Claim:    "With deadline factor 1 MinEDF and MaxEDF coincide; the gap between them grows with the factor, MinEDF being better; the metric falls as jobs arrive less often, with a bump near 100 s",
	Relation: "df 1: MinEDF = MaxEDF; df 1.5 and 3, mean <= 10 s: MinEDF <= 0.65 x MaxEDF; the ratio falls with df; the metric falls with the inter-arrival time",
	Sim:      sim,
}

// The policies, in the order of a cell.
const (
	maxEDF = iota
	minEDFAverage
	minEDFUp
)

var policies = []simmr.Policy{{Name: "maxedf"}, {Name: "minedf", Set: []string{edf.BoundKey, "average"}}, {Name: "minedf", Set: []string{edf.BoundKey, "up"}}}

func sim(ctx context.Context, r *lab.Run) error {
	repeat := 400
	if r.Quick {
		repeat = 60
	}
	return run(ctx, r, repeat, 250)
}

// run repeats the figure, and at least so often the run with long maps, which takes less time.
func run(ctx context.Context, r *lab.Run, repeat, least int) error {
	o, err := sweep(ctx, &simmr.Sweep{Means: simmr.Means, Factors: simmr.Factors, Policies: policies, Repeat: repeat}, r, generate.Testbed(r.Seed))
	if err != nil {
		return err
	}
	r.Knob("slots", fmt.Sprintf("%d + %d: one of each per worker (section IV-B)", simmr.Testbed[0], simmr.Testbed[1]))
	r.Knob("repetitions", repeat)
	r.Knob("T_J", "simulated, the job alone with all slots")
	r.Knob("durations", "assumed: the paper's traces were never published (simulator/trace/generate)")
	r.Knob("slow start", "0.05, Hadoop's default (minMapPercentCompleted is not stated)")
	o.Report(r, "figure7")
	check(r, o)

	point := func(repeat int, jobs []*trace.Job) (*simmr.Outcome, error) {
		return sweep(ctx, &simmr.Sweep{Means: simmr.Means[:2], Factors: simmr.Factors, Policies: policies[:2], Repeat: repeat}, r, jobs)
	}
	late, err := point(repeat, waitForMaps(generate.Testbed(r.Seed)))
	if err != nil {
		return err
	}
	late.Report(r, "slow-start-1")
	coarse, err := point(max(repeat, least), coarser(generate.Testbed(r.Seed)))
	if err != nil {
		return err
	}
	coarse.Report(r, "long-maps")
	isolate(r, o, late, coarse)
	return nil
}

// sweep compares policies on some jobs, which arrive in another order each time.
func sweep(ctx context.Context, s *simmr.Sweep, r *lab.Run, jobs []*trace.Job) (*simmr.Outcome, error) {
	alone := map[*trace.Map]int64{} // arrivals copy jobs, which share their tasks
	for _, j := range jobs {
		t, err := simmr.Alone(ctx, j, simmr.Testbed)
		if err != nil {
			return nil, err
		}
		alone[&j.Maps[0]] = t
	}
	s.Slots, s.Seed, s.Workers = simmr.Testbed, r.Seed, r.Workers
	s.Jobs = func(seed uint64, mean float64) (*trace.Trace, error) {
		return generate.Arrive(jobs, generate.Poisson(mean*1000), seed), nil
	}
	s.Alone = func(_ context.Context, j *trace.Job) (int64, error) { return alone[&j.Maps[0]], nil }
	return s.Run(ctx)
}

// waitForMaps lets reduces start only when all maps of their job are done, so that no waiting reduce holds a slot.
func waitForMaps(jobs []*trace.Job) []*trace.Job {
	for _, j := range jobs {
		j.Conf = []job.Property{{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "1"}}
	}
	return jobs
}

// coarser gives the jobs the same work in a quarter of the maps.
func coarser(jobs []*trace.Job) []*trace.Job {
	const factor = 4
	for _, j := range jobs {
		j.Maps = j.Maps[:len(j.Maps)/factor]
		for i := range j.Maps {
			j.Maps[i].Time *= factor
		}
	}
	return jobs
}
