package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// sim6 reproduces figure 7 of SimMR, which compares MaxEDF and MinEDF on the testbed's mix of 18
// jobs.
var sim6 = &lab.Experiment{
	ID: "SIM-6", Paper: Paper, BibTeX: BibTeX, Sim: sim6Sim, Real: sim6Real,
}

// Indexes in sim6Policies.
const (
	sim6MaxEDF = iota
	sim6MinEDFAverage
	sim6MinEDFUp
)

var sim6Policies = []lab.Policy{{Name: "maxedf"}, {Name: "minedf", Set: []string{conf.EDFBound.Name, "average"}},
	{Name: "minedf", Set: []string{conf.EDFBound.Name, "up"}}}

func sim6Sim(ctx context.Context, r *lab.Run) error {
	repeat := 400
	if r.Quick {
		repeat = 60
	}
	return sim6Run(ctx, r, repeat, 250)
}

// sim6Run reproduces the figure with the given number of repetitions, and then varies what the gap
// depends on. The run with long maps is fast, so sim6Run repeats it max(repeat, least) times.
func sim6Run(ctx context.Context, r *lab.Run, repeat, least int) error {
	o, err := sweep(ctx, &Sweep{Means: Means, Factors: Factors, Policies: sim6Policies, Repeat: repeat}, r,
		generate.Testbed(r.Seed))
	if err != nil {
		return err
	}
	r.Knob("slots", fmt.Sprintf("%d + %d, one map slot and one reduce slot per worker (section IV-B)", Testbed[0],
		Testbed[1]))
	r.Knob("repetitions", repeat)
	r.Knob("T_J", "the simulated time that job J takes alone with all slots")
	r.Knob("durations", "assumed (simulator/trace/generate), because the paper's traces were never published")
	r.Knob("slow start", "0.05, Hadoop's default (the paper does not state minMapPercentCompleted)")
	o.Report(r, "figure7")
	sim6Compare(r, o)

	point := func(repeat int, jobs []*trace.Job) (*Outcome, error) {
		return sweep(ctx, &Sweep{Means: Means[:2], Factors: Factors, Policies: sim6Policies[:2], Repeat: repeat}, r, jobs)
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
	r.Compare("strong", sim6Busy(o), "%s", sim6Ratios(o))
	r.Compare("strong-long-maps", sim6Busy(coarse), "%s", sim6Ratios(coarse))
	r.Compare("slow-start-1", sim6Busy(late), "%s", sim6Ratios(late))
	return nil
}

// sweep compares policies on the given jobs. The jobs arrive in a different order in each
// repetition.
func sweep(ctx context.Context, s *Sweep, r *lab.Run, jobs []*trace.Job) (*Outcome, error) {
	alone := map[*trace.Map]int64{} // by first map, which a job shares with the copy that generate.Arrive makes
	for _, j := range jobs {
		t, err := lab.Alone(ctx, j, Testbed)
		if err != nil {
			return nil, err
		}
		alone[&j.Maps[0]] = t
	}
	s.Slots, s.Seed, s.Workers = Testbed, r.Seed, r.Workers
	s.Jobs = func(seed uint64, mean float64) (*trace.Trace, error) {
		return generate.Arrive(jobs, generate.Poisson(mean*1000), seed), nil
	}
	s.Alone = func(_ context.Context, j *trace.Job) (int64, error) { return alone[&j.Maps[0]], nil }
	return s.Run(ctx)
}

// waitForMaps changes the jobs so that the reduces of each job start only when all of its maps have
// finished. Reduces then do not hold slots while they wait. waitForMaps returns its argument.
func waitForMaps(jobs []*trace.Job) []*trace.Job {
	for _, j := range jobs {
		j.Conf = []job.Property{{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "1"}}
	}
	return jobs
}

// coarser keeps a quarter of the maps of each job and makes them four times as long, so that the work
// stays about the same. It changes the maps in place and returns its argument.
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
