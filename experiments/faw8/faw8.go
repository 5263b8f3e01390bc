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
	Real:     real,
}

// policies in the order of the figure.
var policies = []string{"None", "EQ", "JD", "DD", "TD", "PU", "DU", "RU", "JS", "JT", "TT"}

// paper has what the text of section 7.3 tells of the mean against None.
var paper = map[string]string{"None": "0", "TD": "-25%, best", "PU": "reasonable", "DU": "not effective", "RU": "not effective", "JS": "not above demand", "JT": "not above demand", "TT": "not above demand"}

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
	r.Knob("arrivals", fmt.Sprintf("over %d hour; c-2 has 182 small, 4 medium and 2 large jobs in %d bursts", faw.Hours, faw.Bursts))
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
		work := faw.WKLDD(m, r.Seed+uint64(seed), faw.Hours, faw.Bursts)
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
	if r.Quick {
		return nil
	}
	return bursts(ctx, r, m, refs)
}

// bursts shows what is left to choose: in how many bursts the jobs of c-2 come, and over how long.
func bursts(ctx context.Context, r *lab.Run, m faw.Model, refs *faw.References) error {
	type arrivals struct {
		bursts int
		hours  float64
	}
	all := []arrivals{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}}
	some := []string{"None", "EQ", "TD"}
	means := make([]float64, len(all)*len(some))
	err := simmr.Parallel(ctx, r.Workers, len(means), func(ctx context.Context, i int) error {
		a := all[i/len(some)]
		work := faw.WKLDD(m, r.Seed, a.hours, a.bursts)
		res, err := pool(m, refs, some[i%len(some)], r.Seed).Run(ctx, work)
		if err != nil {
			return err
		}
		for c := range 3 {
			means[i] += faw.Slowdown(res.Clusters[c], work[c], refs) / 3
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.Executions += len(means)
	var rows [][]string
	for k, a := range all {
		row, of := []string{fmt.Sprint(a.bursts), fmt.Sprint(a.hours)}, means[k*len(some):(k+1)*len(some)]
		for _, mean := range of {
			row = append(row, fmt.Sprintf("%.2f (%+.0f%%)", mean, 100*(mean/of[0]-1)))
		}
		rows = append(rows, row)
	}
	r.AddTable("other arrivals", []string{"bursts", "hours", "None", "EQ", "TD"}, rows)
	return nil
}

func pool(m faw.Model, refs *faw.References, policy string, seed uint64) faw.Pool {
	return faw.Pool{Model: m, Nodes: 48, Interval: interval, Idle: 2 * faw.Hours * 3_600_000, Policy: policy, Grow: mrcluster.TransientCore, Seed: seed, Refs: refs}
}

func report(r *lab.Run, got map[string]*outcome) {
	r.AddPlot(bars("Average job slowdown of the MR-clusters, WKLD-D", policies, got))
	var rows [][]string
	for _, p := range policies {
		o := got[p]
		of := []float64{o.cluster(0), o.cluster(1), o.cluster(2)}
		row := []string{p}
		for _, v := range of {
			row = append(row, fmt.Sprintf("%.2f", v))
		}
		slices.Sort(of)
		rows = append(rows, append(row, fmt.Sprintf("%.2f", of[1]), fmt.Sprintf("%.2f", o.mean()), fmt.Sprintf("%+.0f%%", 100*(o.mean()/got["None"].mean()-1)), paper[p],
			fmt.Sprintf("%.0f", stat.Mean(o.reconf, nil))))
	}
	r.AddTable("slowdowns", []string{"policy", "c-1", "c-2", "c-3", "median", "mean", "against None", "paper", "reconfigurations"}, rows)
}

// bars shows the slowdowns of the MR-clusters by policy.
func bars(title string, policies []string, got map[string]*outcome) lab.Plot {
	plot := lab.Plot{Name: "slowdowns", Title: title, Y: "slowdown", Kind: lab.Bars}
	for c := range 3 {
		s := lab.Series{Name: fmt.Sprintf("c-%d", c+1), Labels: policies}
		for _, p := range policies {
			s.Y = append(s.Y, got[p].cluster(c))
		}
		plot.Series = append(plot.Series, s)
	}
	return plot
}

func check(r *lab.Run, got map[string]*outcome) {
	checkTD(r, got)
	td := got["TD"]
	for _, p := range policies {
		if p != "TD" {
			r.Check("TD is better than "+p, td.mean() < got[p].mean(), "%.2f against %.2f", td.mean(), got[p].mean())
		}
	}
	r.Check("the finer the better: JD, DD, TD", got["JD"].mean() >= got["DD"].mean() && got["DD"].mean() >= td.mean(), "%.2f, %.2f, %.2f", got["JD"].mean(), got["DD"].mean(), td.mean())
	pu := got["PU"].mean()
	r.Check("of the policies by usage PU is best", pu < got["RU"].mean() && pu < got["DU"].mean(), "%.2f against RU %.2f and DU %.2f", pu, got["RU"].mean(), got["DU"].mean())
	best := min(got["JD"].mean(), got["DD"].mean(), td.mean())
	for _, p := range []string{"JS", "JT", "TT"} {
		r.Check(p+" no better than the best by demand", got[p].mean() >= best, "%.2f against %.2f", got[p].mean(), best)
	}
}

// checkTD checks what section 7.3 says of TD.
func checkTD(r *lab.Run, got map[string]*outcome) {
	none, eq, td := got["None"], got["EQ"], got["TD"]
	r.Check("c-2 under TD < EQ < None", td.cluster(1) < eq.cluster(1) && eq.cluster(1) < none.cluster(1), "%.2f, %.2f, %.2f", td.cluster(1), eq.cluster(1), none.cluster(1))
	for _, c := range []int{0, 2} {
		faw.LeftAlone(r, fmt.Sprintf("c-%d within 10%% of None under TD", c+1), td.cluster(c), none.cluster(c), "%.2f against %.2f")
	}
	r.Check("the mean under TD at least 25% below None", td.mean() < 0.75*none.mean(), "%.2f against %.2f", td.mean(), none.mean())
}
