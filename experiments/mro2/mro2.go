// Package mro2 is Figure 6 of MROrchestrator: how much sooner jobs end on the native cluster.
package mro2

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
	"github.com/howdah/howdah/orchestrator"
)

// Experiment is MRO-2.
var Experiment = &lab.Experiment{
	ID: "MRO-2", Paper: mro.Paper, Item: "Figures 6(a) to 6(d)", BibTeX: mro.BibTeX,
	Claim: "With CPU and memory under control jobs end 20.5% sooner on average when each runs alone and 26.5% when all six run together with REGRESSION; " +
		"with UNIFORM 9.6% and 9.2%. CPU+Memory is best, and larger jobs gain more.",
	Relation: "every reduction with both resources is above 0; REGRESSION above UNIFORM; CPU+Memory no worse than CPU or memory alone; for REGRESSION more with all six jobs than alone; " +
		"Twitter, Sort and Kmeans gain more than the others",
	Sim:  simulate,
	Real: real,
}

// mode is one of the paper's control modes with what Figure 6 says of it.
type mode struct {
	name    string
	control [orchestrator.NumResources]bool
}

var modes = []mode{
	{"CPU", [2]bool{true, false}},
	{"Memory", [2]bool{false, true}},
	{"CPU+Memory", mro.Both},
}

var paper = map[string]string{
	"single regression CPU+Memory": "20.5, 29", "single uniform CPU+Memory": "9.6, 11.4",
	"multi regression CPU+Memory": "26.5, 38.2", "multi uniform CPU+Memory": "9.2, 12.1",
}

// found is the reduction of a pair of runs of each seed, by name of run.
type found map[string][]float64

func simulate(ctx context.Context, r *lab.Run) error {
	mro.Knobs(r)
	all, large := found{}, map[string]mro.Interval{}
	var rows [][]string
	for _, setting := range settings {
		base, err := runs(ctx, r, setting, mro.Case{})
		if err != nil {
			return err
		}
		add := func(name string, c mro.Case) error {
			got, err := runs(ctx, r, setting, c)
			if err != nil {
				return err
			}
			name = setting + " " + name
			all[name] = mro.Each(base, got, mro.Reduction)
			if name == setting+" regression"+both {
				large[setting] = mro.Of(mro.Each(base, got, larger))
			}
			rows = append(rows, mro.Row(name, mro.Reductions(base, got), mro.Of(all[name]), paper[name]))
			return nil
		}
		for _, e := range estimators {
			for _, m := range modes {
				if err := add(e+" "+m.name, mro.Case{Estimator: e, Control: m.control}); err != nil {
					return err
				}
			}
		}
		if err := add("known demands, Memory", mro.Case{Known: true}); err != nil {
			return err
		}
	}
	r.AddTable("reduction", mro.Head(), rows)
	check(r, all, large)
	return lend(ctx, r)
}

var (
	settings   = []string{"single", "multi"}
	estimators = []string{"regression", "uniform"}
)

// runs executes the six jobs one by one, or together.
func runs(ctx context.Context, r *lab.Run, setting string, c mro.Case) ([]*mro.Outcome, error) {
	if setting == "multi" {
		c.Jobs = mro.All()
		out, err := mro.Runs(ctx, r, mro.Seeds(r), []mro.Case{c})
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	var cases []mro.Case
	for _, i := range mro.All() {
		c.Jobs = []int{i}
		cases = append(cases, c)
	}
	out, err := mro.Runs(ctx, r, mro.Seeds(r), cases)
	if err != nil {
		return nil, err
	}
	return mro.Joined(out), nil
}

const both = " CPU+Memory"

func check(r *lab.Run, all found, large map[string]mro.Interval) {
	for _, s := range settings {
		for _, e := range estimators {
			i := mro.Of(all[s+" "+e+both])
			r.Check(s+", "+e+": jobs end sooner", mro.More(r, i), "%v%%", i)
		}
		i := mro.Minus(all[s+" regression"+both], all[s+" uniform"+both])
		r.Check(s+": REGRESSION gains more than UNIFORM", mro.More(r, i), "by %v points", i)
		better := mro.Of(all[s+" regression"+both]).Mean
		cpu, memory := mro.Of(all[s+" regression CPU"]), mro.Of(all[s+" regression Memory"])
		r.Check(s+", regression: CPU alone and memory alone help, too", mro.More(r, cpu) && mro.More(r, memory), "CPU %v%%, memory %v%%", cpu, memory)
		r.Check(s+", regression: CPU+Memory is no worse than either", better >= max(cpu.Mean, memory.Mean), "%.1f%%", better)
		large := large[s]
		r.Claim(s+", regression: larger jobs gain more", mro.More(r, large), "by %v points", large)
	}
	i := mro.Minus(all["multi regression"+both], all["single regression"+both])
	r.Check("REGRESSION gains more with several jobs than with one", mro.More(r, i), "by %v points", i)
}

// lend gives tasks the memory of empty slots, too, which turns one relation round.
func lend(ctx context.Context, r *lab.Run) error {
	gain := map[string]mro.Interval{}
	var rows [][]string
	for _, setting := range settings {
		base, err := runs(ctx, r, setting, mro.Case{})
		if err != nil {
			return err
		}
		for _, e := range estimators {
			got, err := runs(ctx, r, setting, mro.Case{Estimator: e, Control: mro.Both, Lend: true})
			if err != nil {
				return err
			}
			name := setting + " " + e
			gain[name] = mro.Of(mro.Each(base, got, mro.Reduction))
			rows = append(rows, mro.Row(name+both, mro.Reductions(base, got), gain[name], paper[name+both]))
		}
	}
	r.AddTable("memory of empty slots is lent", mro.Head(), rows)
	if s, m := gain["single regression"], gain["multi regression"]; m.Mean <= s.Mean {
		r.NotReproduced("REGRESSION gains more with several jobs than with one, if the memory of empty slots is lent: %v%% with one, %v%% with six. A job that is alone "+
			"leaves half of the slots empty after its maps; six jobs leave few", s, m)
	}
	return nil
}

// larger is by how many points Twitter, Sort and Kmeans gained more than the others.
func larger(base, other *mro.Outcome) (points float64) {
	for i := range base.JCT {
		gain := 100 * (1 - other.JCT[i]/base.JCT[i]) / 3
		if !mro.Large(i) {
			gain = -gain
		}
		points += gain
	}
	return points
}
