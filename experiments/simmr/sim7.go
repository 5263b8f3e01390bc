package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// sim7 reproduces figure 8 of SimMR, which compares MaxEDF and MinEDF on a mix of jobs like
// Facebook's.
var sim7 = &lab.Experiment{
	ID: "SIM-7", Paper: Paper, BibTeX: BibTeX, Sim: sim7Sim,
}

// Indexes in sim7Policies.
const (
	sim7MaxEDF = iota
	sim7MinEDFAverage
	sim7MinEDFUp
	minEDFWC
)

var sim7Policies = []lab.Policy{
	{Name: "maxedf"},
	{Name: "minedf", Set: []string{conf.EDFBound.Name, "average"}},
	{Name: "minedf", Set: []string{conf.EDFBound.Name, "up"}},
	{Name: "minedf-wc", Set: []string{conf.EDFBound.Name, "average"}},
}

const sim7Jobs = 50

func sim7Sim(ctx context.Context, r *lab.Run) error {
	repeat := 400
	if r.Quick {
		repeat = 100
	}
	return sim7Run(ctx, r, repeat)
}

func sim7Run(ctx context.Context, r *lab.Run, repeat int) error {
	s := &Sweep{
		Means: Means, Factors: Factors, Slots: Testbed, Repeat: repeat, Seed: r.Seed, Workers: r.Workers,
		Policies: sim7Policies,
		Jobs: func(seed uint64, mean float64) (*trace.Trace, error) {
			return generate.Collect("facebook", generate.Facebook{Jobs: sim7Jobs, Arrivals: generate.Poisson(mean * 1000),
				Seed: seed}.Source())
		},
		Alone: func(ctx context.Context, j *trace.Job) (int64, error) { return lab.Alone(ctx, j, Testbed) },
	}
	o, err := s.Run(ctx)
	if err != nil {
		return err
	}
	r.Knob("jobs", sim7Jobs)
	r.Knob("repetitions", repeat)
	r.Knob("slots", fmt.Sprintf("%d + %d (the paper does not state the number)", Testbed[0], Testbed[1]))
	r.Knob("map times", "LN(9.9511, 1.6764) ms, where the second parameter is the standard deviation of the "+
		"logarithm, as in the printed formula")
	r.Knob("reduce times", "LN(12.375, 1.6262) ms, 30% of which is the shuffle")
	r.Knob("sizes", "the ten bins from the delay scheduling paper (EuroSys 2010, Table 3)")
	r.Knob("T_J", "the simulated time that job J takes alone with all slots")
	o.Report(r, "figure8")
	sim7Compare(r, o)
	return nil
}
