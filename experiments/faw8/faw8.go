// Package faw8 reproduces figure 9 of Fawkes: the slowdowns of three MR-clusters with very uneven workloads under every policy.
package faw8

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/mrcluster"
)

// Experiment is FAW-8.
var Experiment = &lab.Experiment{
	ID: "FAW-8", Paper: faw.Paper, Item: "Figure 9, WKLD-D", BibTeX: faw.BibTeX,
	Claim:    "TD is best, with an average slowdown 25% below that without a policy; of the policies by usage only PU does reasonably; those by performance are no better than those by demand",
	Relation: "slowdown of c-2 under TD < EQ < None, those of c-1 and c-3 within 10% of None, mean slowdown under TD at least 25% below None; DU and RU worse than TD; JS, JT and TT no better than the best by demand",
	Sim:      sim,
}

// policies in the order of the figure.
var policies = []string{"None", "EQ", "JD", "DD", "TD", "PU", "DU", "RU", "JS", "JT", "TT"}

// Interval is T.
const interval = 120_000

// outcome of a policy: mean slowdowns by MR-cluster over the seeds, and reconfigurations.
type outcome struct {
	slowdown [3][]float64
	reconf   []float64
}

func (o *outcome) cluster(c int) float64 { return stat.Mean(o.slowdown[c], nil) }

// mean over the MR-clusters.
func (o *outcome) mean() float64 { return (o.cluster(0) + o.cluster(1) + o.cluster(2)) / 3 }

func sim(ctx context.Context, r *lab.Run) error {
	seeds := 5
	if r.Quick {
		seeds = 2
	}
	m := faw.DAS4().With(faw.WC, faw.ST)
	refs := m.NewReferences()
	faw.PoolKnobs(r, pool(m, refs, "TD", 1))
	r.Knob("arrivals", "over 4 hours; 20 medium and 10 large jobs of c-2 in 4 bursts")
	r.Knob("seeds", seeds)
	got := map[string]*outcome{}
	for _, p := range policies {
		got[p] = &outcome{reconf: make([]float64, seeds)}
		for c := range 3 {
			got[p].slowdown[c] = make([]float64, seeds)
		}
	}
	var mu sync.Mutex
	err := simmr.Parallel(ctx, r.Workers, seeds*len(policies), func(ctx context.Context, i int) error {
		seed, name := i/len(policies), policies[i%len(policies)]
		work := faw.WKLDD(m, r.Seed+uint64(seed))
		res, err := pool(m, refs, name, r.Seed+uint64(seed)).Run(ctx, work)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for c := range 3 {
			got[name].slowdown[c][seed] = faw.Slowdown(res.Clusters[c], work[c], refs)
		}
		got[name].reconf[seed] = float64(faw.Reconfigurations(res))
		return nil
	})
	if err != nil {
		return err
	}
	r.Executions += seeds * len(policies)
	report(r, got)
	check(r, got)
	return disks(ctx, r, m, refs, got)
}

// disks isolates why RU does as well as PU: half of it is how full the disks are, and they are large.
func disks(ctx context.Context, r *lab.Run, m faw.Model, refs *faw.References, got map[string]*outcome) error {
	ru, td := got["RU"].mean(), got["TD"].mean()
	if ru > td {
		r.Check("RU worse than TD", true, "%.2f against %.2f", ru, td)
		return nil
	}
	mean := func(policy string, storage int64) (float64, error) {
		work := faw.WKLDD(m, r.Seed)
		p := pool(m, refs, policy, r.Seed)
		p.Storage = storage
		res, err := p.Run(ctx, work)
		if err != nil {
			return 0, err
		}
		r.Executions++
		sum := 0.0
		for c := range 3 {
			sum += faw.Slowdown(res.Clusters[c], work[c], refs) / 3
		}
		return sum, nil
	}
	large, err := mean("RU", 0)
	if err != nil {
		return err
	}
	small, err := mean("RU", 20<<30)
	if err != nil {
		return err
	}
	r.NotReproduced("RU is not worse than TD: %.2f against %.2f. What it takes for disk usage is small beside processor usage where a node has 2 TB; with 20 GB a node, and the first seed, its mean slowdown is "+
		"%.2f instead of %.2f, and with disks alone (DU) %.2f.", ru, td, small, large, got["DU"].mean())
	return nil
}

func pool(m faw.Model, refs *faw.References, policy string, seed uint64) faw.Pool {
	return faw.Pool{Model: m, Nodes: 48, Interval: interval, Idle: faw.Hours * 3_600_000, Policy: policy, Grow: mrcluster.TransientCore, Seed: seed, Refs: refs}
}

func report(r *lab.Run, got map[string]*outcome) {
	plot := lab.Plot{Name: "slowdowns", Title: "Average job slowdown of the MR-clusters, WKLD-D", Y: "slowdown", Kind: lab.Bars}
	for c := range 3 {
		s := lab.Series{Name: fmt.Sprintf("c-%d", c+1), Labels: policies}
		for _, p := range policies {
			s.Y = append(s.Y, got[p].cluster(c))
		}
		plot.Series = append(plot.Series, s)
	}
	var rows [][]string
	for _, p := range policies {
		o := got[p]
		of := []float64{o.cluster(0), o.cluster(1), o.cluster(2)}
		row := []string{p}
		for _, v := range of {
			row = append(row, fmt.Sprintf("%.2f", v))
		}
		slices.Sort(of)
		rows = append(rows, append(row, fmt.Sprintf("%.2f", of[1]), fmt.Sprintf("%.2f", o.mean()), fmt.Sprintf("%+.0f%%", 100*(o.mean()/got["None"].mean()-1)),
			fmt.Sprintf("%.0f", stat.Mean(o.reconf, nil))))
	}
	r.AddTable("slowdowns", []string{"policy", "c-1", "c-2", "c-3", "median", "mean", "against None", "reconfigurations"}, rows)
	r.AddPlot(plot)
}

func check(r *lab.Run, got map[string]*outcome) {
	none, eq, td := got["None"], got["EQ"], got["TD"]
	r.Check("c-2 under TD < EQ < None", td.cluster(1) < eq.cluster(1) && eq.cluster(1) < none.cluster(1), "%.2f, %.2f, %.2f", td.cluster(1), eq.cluster(1), none.cluster(1))
	for _, c := range []int{0, 2} {
		r.Check(fmt.Sprintf("c-%d within 10%% of None under TD", c+1), td.cluster(c) < 1.1*none.cluster(c), "%.2f against %.2f", td.cluster(c), none.cluster(c))
	}
	r.Check("the mean under TD at least 25% below None", td.mean() < 0.75*none.mean(), "%.2f against %.2f", td.mean(), none.mean())
	r.Check("DU worse than TD", got["DU"].mean() > td.mean(), "%.2f against %.2f", got["DU"].mean(), td.mean())
	best := min(got["JD"].mean(), got["DD"].mean(), td.mean())
	for _, p := range []string{"JS", "JT", "TT"} {
		r.Check(p+" no better than the best by demand", got[p].mean() >= best, "%.2f against %.2f", got[p].mean(), best)
	}
}
