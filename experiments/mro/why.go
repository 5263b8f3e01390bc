package mro

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// why shows why effects of MRO-2 and MRO-4 to MRO-6 are far from the paper's values. Each relation
// changes one suspected cause.
var why = &lab.Experiment{ID: "MRO-why", Paper: Paper, BibTeX: BibTeX, Sim: whySim}

// whyAsk is the memory that jobs request for their containers, relative to the average usage of their
// tasks. whyTimes is by how much whySim multiplies the number of nodes in MRO-6.
const (
	whyAsk   = 1.2
	whyTimes = 20
)

func whySim(ctx context.Context, r *lab.Run) error {
	Knobs(r)
	for _, f := range []func(context.Context, *lab.Run) error{whyMemory, whyVirtual, whyContainers} {
		if err := f(ctx, r); err != nil {
			return err
		}
	}
	return mro6Measure(ctx, r, "more-", whyTimes*mro6Nodes)
}

// reductions returns the reductions of completion times in a case, by estimator.
func reductions(ctx context.Context, r *lab.Run, setting string, c Case) (found, error) {
	base, err := runs(ctx, r, setting, c)
	if err != nil {
		return nil, err
	}
	gain := found{}
	for _, e := range estimators {
		with := c
		with.Estimator, with.Control = e, Both
		got, err := runs(ctx, r, setting, with)
		if err != nil {
			return nil, err
		}
		gain[e] = Each(base, got, Reduction)
	}
	return gain, nil
}

// whyMemory repeats MRO-2 with tasks whose memory usage is harder to predict, and without lending the
// memory of empty slots.
func whyMemory(ctx context.Context, r *lab.Run) error {
	r.Knob("dynamic memory", fmt.Sprintf("grows until a task ends instead of during its first 20%%, and varies between "+
		"the tasks of a job with sigma %g instead of %g", dynamic, vary))
	kept := found{}
	for _, setting := range settings {
		gain, err := reductions(ctx, r, setting, Case{Dynamic: true})
		if err != nil {
			return err
		}
		u := lab.IntervalOf(gain["uniform"])
		r.Compare("dynamic-"+setting+"-uniform", u, "the mean over six jobs")
		r.Compare("dynamic-"+setting+"-more", lab.Difference(gain["regression"], gain["uniform"]), "UNIFORM %s%%", u)
		without, err := reductions(ctx, r, setting, Case{Keep: true})
		if err != nil {
			return err
		}
		kept[setting] = without["regression"]
	}
	r.Compare("kept-multi-single", lab.Difference(kept["multi"], kept["single"]), "REGRESSION")
	return nil
}

// whyVirtual repeats MRO-4 with smaller virtual machines.
func whyVirtual(ctx context.Context, r *lab.Run) error {
	r.Knob("small virtual machine", fmt.Sprintf("has %d MiB for its task, like a slot of the native cluster, instead of "+
		"%d MiB", memory/(2*slots), virtualMemory/2))
	small, err := reductions(ctx, r, "multi", Case{Virtual: true, Tight: true})
	if err != nil {
		return err
	}
	native, err := reductions(ctx, r, "multi", Case{})
	if err != nil {
		return err
	}
	r.Compare("small-virtual-regression", lab.IntervalOf(small["regression"]), "the mean over six jobs")
	r.Compare("small-native-virtual", lab.Difference(native["regression"], small["regression"]), "REGRESSION")
	return nil
}

// whyContainers repeats MRO-5 with larger containers.
func whyContainers(ctx context.Context, r *lab.Run) error {
	r.Knob("large container", fmt.Sprintf("%g times the average memory of the job's tasks instead of the average", whyAsk))
	out, err := Runs(ctx, r, Seeds(r), []Case{{Jobs: All()}, {Jobs: All(), Policy: "drf", Ask: whyAsk},
		{Jobs: All(), Policy: "ngm", Ask: whyAsk}})
	if err != nil {
		return err
	}
	drf, ngm := Each(out[0], out[1], Reduction), Each(out[0], out[2], Reduction)
	r.Compare("large-ngm-drf", lab.Difference(ngm, drf), "NGM %s%%, DRF %s%%", lab.IntervalOf(ngm), lab.IntervalOf(drf))
	return nil
}
