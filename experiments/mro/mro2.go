package mro

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/orchestrator"
)

// mro2 reproduces Figure 6 of MROrchestrator, which shows the reduction of completion times on the
// native cluster.
var mro2 = &lab.Experiment{
	ID: "MRO-2", Paper: Paper, BibTeX: BibTeX, Sim: mro2Simulate, Real: mro2Real,
}

// mode is one of the paper's control modes. It determines which resources the orchestrator
// controls.
type mode struct {
	name    string
	control [orchestrator.NumResources]bool
}

var modes = []mode{
	{"CPU", [2]bool{true, false}},
	{"Memory", [2]bool{false, true}},
	{"CPU+Memory", Both},
}

var mro2Paper = map[string]string{
	"single regression CPU+Memory": "20.5, 29", "single uniform CPU+Memory": "9.6, 11.4",
	"multi regression CPU+Memory": "26.5, 38.2", "multi uniform CPU+Memory": "9.2, 12.1",
}

// found contains the reductions of completion times, in percent, by the name of the run and by
// seed.
type found map[string][]float64

func mro2Simulate(ctx context.Context, r *lab.Run) error {
	Knobs(r)
	all, large := found{}, map[string]lab.Interval{}
	var rows [][]string
	for _, setting := range settings {
		base, err := runs(ctx, r, setting, Case{})
		if err != nil {
			return err
		}
		add := func(name string, c Case) error {
			got, err := runs(ctx, r, setting, c)
			if err != nil {
				return err
			}
			name = setting + " " + name
			all[name] = Each(base, got, Reduction)
			if name == setting+" regression"+both {
				large[setting] = lab.IntervalOf(Each(base, got, larger))
			}
			rows = append(rows, Row(name, Reductions(base, got), lab.IntervalOf(all[name]), mro2Paper[name]))
			return nil
		}
		for _, e := range estimators {
			for _, m := range modes {
				if err := add(e+" "+m.name, Case{Estimator: e, Control: m.control}); err != nil {
					return err
				}
			}
		}
		if err := add("known demands, Memory", Case{Known: true}); err != nil {
			return err
		}
	}
	r.AddTable("reduction", Head(), rows)
	mro2Compare(r, all, large)
	if err := keep(ctx, r); err != nil {
		return err
	}
	return foretell(ctx, r)
}

var (
	settings   = []string{"single", "multi"}
	estimators = []string{"regression", "uniform"}
)

// runs executes the six jobs together if setting is "multi". Otherwise, it executes each job alone and
// joins the outcomes. It ignores c.Jobs.
func runs(ctx context.Context, r *lab.Run, setting string, c Case) ([]*Outcome, error) {
	if setting == "multi" {
		c.Jobs = All()
		out, err := Runs(ctx, r, Seeds(r), []Case{c})
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	var cases []Case
	for _, i := range All() {
		c.Jobs = []int{i}
		cases = append(cases, c)
	}
	out, err := Runs(ctx, r, Seeds(r), cases)
	if err != nil {
		return nil, err
	}
	return Joined(out), nil
}

const both = " CPU+Memory"

func mro2Compare(r *lab.Run, all found, large map[string]lab.Interval) {
	for _, s := range settings {
		for _, e := range estimators {
			r.Compare(s+"-"+e, lab.IntervalOf(all[s+" "+e+both]), "the mean over six jobs")
		}
		best, cpu, memory := all[s+" regression"+both], all[s+" regression CPU"], all[s+" regression Memory"]
		r.Compare(s+"-more", lab.Difference(best, all[s+" uniform"+both]), "the mean over six jobs")
		r.Compare(s+"-cpu", lab.IntervalOf(cpu), "REGRESSION")
		r.Compare(s+"-memory", lab.IntervalOf(memory), "REGRESSION")
		r.Compare(s+"-both", lab.Least(lab.Difference(best, cpu), lab.Difference(best, memory)), "REGRESSION")
		r.Compare(s+"-larger", large[s], "REGRESSION")
		for _, m := range []string{"CPU", "Memory"} {
			with, mean := all[s+" regression "+m], all[s+" uniform "+m]
			r.Compare(s+"-more-"+m, lab.Difference(with, mean), "REGRESSION %s%%, UNIFORM %s%%", lab.IntervalOf(with).Fine(),
				lab.IntervalOf(mean).Fine())
		}
	}
	r.Compare("multi-single", lab.Difference(all["multi regression"+both], all["single regression"+both]), "REGRESSION")
}

// keep runs a variant in which the memory of empty slots is not lent.
func keep(ctx context.Context, r *lab.Run) error {
	gain := found{}
	var rows [][]string
	for _, setting := range settings {
		base, err := runs(ctx, r, setting, Case{})
		if err != nil {
			return err
		}
		for _, e := range estimators {
			got, err := runs(ctx, r, setting, Case{Estimator: e, Control: Both, Keep: true})
			if err != nil {
				return err
			}
			name := setting + " " + e
			gain[name] = Each(base, got, Reduction)
			rows = append(rows, Row(name+both, Reductions(base, got), lab.IntervalOf(gain[name]), mro2Paper[name+both]))
		}
	}
	r.AddTable("memory of empty slots is not lent", Head(), rows)
	r.Compare("keep-multi-single", lab.Difference(gain["multi regression"], gain["single regression"]), "REGRESSION")
	return nil
}

// testbedGain contains the gains, in percent, in version 1 of MRO-2 on real nodes, at revision
// 4d58f543. The calibration does not use them.
var testbedGain = map[string]float64{"regression": 28.6, "uniform": 19.9}

// foretell simulates the testbed of the real runs with the calibrated model and compares the gains
// with the real ones.
func foretell(ctx context.Context, r *lab.Run) error {
	var rows [][]string
	simulate := func(estimator string) (*Outcome, error) {
		r.Executions++
		return calibrated.run(ctx, bedJobs, Bed.Slots[0], estimator)
	}
	base, err := simulate("")
	if err != nil {
		return err
	}
	for _, e := range estimators {
		got, err := simulate(e)
		if err != nil {
			return err
		}
		gain := Reduction(base, got)
		rows = append(rows, []string{e, fmt.Sprintf("%.1f", gain), fmt.Sprintf("%.1f", testbedGain[e])})
		r.Compare("testbed-"+e, lab.Exact(gain-testbedGain[e]), "simulated %.1f%%, real %.1f%%", gain, testbedGain[e])
	}
	misfit, err := calibrated.misfit(ctx)
	if err != nil {
		return err
	}
	r.Note("The model of the testbed deviates from the runs to which it was fitted by %.0f%% (root mean square of the "+
		"logarithms).", 100*misfit)
	r.AddTable("reduction on the testbed of the real runs", []string{"estimator", "simulated (%)", "real, version 1 (%)"},
		rows)
	return nil
}

// larger returns the mean gain of Twitter, Sort, and Kmeans, minus the mean gain of the other three
// jobs, in percentage points.
func larger(base, other *Outcome) (points float64) {
	for i := range base.JCT {
		gain := 100 * (1 - other.JCT[i]/base.JCT[i]) / 3
		if !Large(i) {
			gain = -gain
		}
		points += gain
	}
	return points
}
