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
	Sim: simulate,
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
	all := found{}
	jobs := map[string][]float64{}
	var rows [][]string
	for _, setting := range []string{"single", "multi"} {
		base, err := runs(ctx, r, setting, mro.Case{})
		if err != nil {
			return err
		}
		for _, e := range []string{"regression", "uniform"} {
			for _, m := range modes {
				got, err := runs(ctx, r, setting, mro.Case{Estimator: e, Control: m.control})
				if err != nil {
					return err
				}
				name := setting + " " + e + " " + m.name
				all[name] = mro.Each(base, got, mro.Reduction)
				jobs[name] = mro.Reductions(base, got)
				rows = append(rows, mro.Row(name, jobs[name], mro.Of(all[name]), paper[name]))
			}
		}
	}
	r.AddTable("reduction", mro.Head(), rows)
	check(r, all, jobs)
	if len(r.Unproven) > 0 {
		return isolate(ctx, r)
	}
	return nil
}

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

func check(r *lab.Run, all found, jobs map[string][]float64) {
	for _, s := range []string{"single", "multi"} {
		for _, e := range []string{"regression", "uniform"} {
			i := mro.Of(all[s+" "+e+both])
			r.Check(s+", "+e+": jobs end sooner", i.Above(0), "%v%%", i)
		}
		i := mro.Minus(all[s+" regression"+both], all[s+" uniform"+both])
		expect(r, s+": REGRESSION gains more than UNIFORM", i.Mean > 0, "by %v points", i)
		better := mro.Of(all[s+" regression"+both]).Mean
		cpu, memory := mro.Of(all[s+" regression CPU"]), mro.Of(all[s+" regression Memory"])
		r.Check(s+", regression: CPU+Memory is no worse than either", better >= max(cpu.Mean, memory.Mean)-0.5, "%.1f%%; CPU %v%%, memory %v%%", better, cpu, memory)
		large, small := bySize(jobs[s+" regression"+both])
		r.Check(s+", regression: larger jobs gain more", large > small, "%.1f%% and %.1f%%", large, small)
	}
	i := mro.Minus(all["multi regression"+both], all["single regression"+both])
	expect(r, "REGRESSION gains more with several jobs than with one", i.Mean > 0, "by %v points", i)
}

// expect notes a relation that holds, and what does not as not reproduced.
func expect(r *lab.Run, text string, holds bool, format string, args ...any) {
	if holds {
		r.Check(text, true, format, args...)
		return
	}
	r.NotReproduced(text+": "+format+" (see the runs with spare memory)", args...)
}

// isolate gives nodes as much memory again that no slot has: what there is to give away then hardly depends on how many jobs run.
func isolate(ctx context.Context, r *lab.Run) error {
	gain := map[string]mro.Interval{}
	var rows [][]string
	for _, setting := range []string{"single", "multi"} {
		base, err := runs(ctx, r, setting, mro.Case{Spare: 1})
		if err != nil {
			return err
		}
		for _, e := range []string{"regression", "uniform"} {
			got, err := runs(ctx, r, setting, mro.Case{Estimator: e, Control: mro.Both, Spare: 1})
			if err != nil {
				return err
			}
			name := setting + " " + e
			gain[name] = mro.Of(mro.Each(base, got, mro.Reduction))
			rows = append(rows, mro.Row(name+both, mro.Reductions(base, got), gain[name], ""))
		}
	}
	r.AddTable("reduction with spare memory", mro.Head(), rows)
	r.NotReproduced("with as much spare memory as the slots have: single REGRESSION %v%%, UNIFORM %v%%; multi REGRESSION %v%%, UNIFORM %v%%",
		gain["single regression"], gain["single uniform"], gain["multi regression"], gain["multi uniform"])
	return nil
}

func bySize(reductions []float64) (large, small float64) {
	var n [2]float64
	for i, x := range reductions {
		if mro.Large(i) {
			large += x
			n[0]++
		} else {
			small += x
			n[1]++
		}
	}
	return large / n[0], small / n[1]
}
