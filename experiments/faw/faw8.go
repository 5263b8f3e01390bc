package faw

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// faw8 reproduces figure 9 of Fawkes, which shows the slowdowns of three MR-clusters with very
// uneven workloads under every policy.
var faw8 = &lab.Experiment{
	ID: "FAW-8", Paper: Paper, BibTeX: BibTeX, Sim: faw8Sim, Real: faw8Real,
}

// policies lists the policies in the order of the figure.
var policies = []string{"None", "EQ", "JD", "DD", "TD", "PU", "DU", "RU", "JS", "JT", "TT"}

// faw8Paper contains what section 7.3 says about each policy's mean slowdown relative to None.
var faw8Paper = map[string]string{"None": "0", "TD": "-25%, best", "PU": "reasonable", "DU": "not effective",
	"RU": "not effective", "JS": asDemand, "JT": asDemand, "TT": asDemand}

const asDemand = "no better than demand policies"

// faw8Interval is T, in ms.
const faw8Interval = 120_000

// faw8Outcome is the result of a policy. It contains the mean slowdowns of jobs, by MR-cluster and
// seed, and the numbers of reconfigurations, by seed.
type faw8Outcome struct {
	slowdown [3][]float64
	reconf   []float64
}

func newOutcome(seeds int) *faw8Outcome {
	o := &faw8Outcome{reconf: make([]float64, seeds)}
	for c := range o.slowdown {
		o.slowdown[c] = make([]float64, seeds)
	}
	return o
}

func (o *faw8Outcome) cluster(c int) float64 { return stat.Mean(o.slowdown[c], nil) }

// means returns the mean over the MR-clusters, by seed, and mean the mean over the seeds.
func (o *faw8Outcome) means() []float64 {
	out := make([]float64, len(o.reconf))
	for _, s := range o.slowdown {
		for i := range out {
			out[i] += s[i] / 3
		}
	}
	return out
}

func (o *faw8Outcome) mean() float64 { return stat.Mean(o.means(), nil) }

func faw8Sim(ctx context.Context, r *lab.Run) error {
	seeds := 20
	if r.Quick {
		seeds = 2
	}
	m := DAS4().With(WC, ST)
	refs := m.NewReferences()
	PoolKnobs(r, faw8Pool(m, refs, "TD", 1))
	r.Knob("arrivals", fmt.Sprintf("jobs arrive over %d hour; c-2 gets 182 small, 4 medium, and 2 large jobs in %d bursts",
		Hours, Bursts))
	r.Knob("seeds", seeds)
	got := map[string]*faw8Outcome{}
	for _, p := range policies {
		got[p] = newOutcome(seeds)
	}
	var mu sync.Mutex
	err := lab.Parallel(ctx, r.Workers, seeds*len(policies), func(ctx context.Context, i int) error {
		seed, name := i/len(policies), policies[i%len(policies)]
		work := WKLDD(m, r.Seed+uint64(seed), Hours, Bursts)
		res, err := faw8Pool(m, refs, name, r.Seed+uint64(seed)).Run(ctx, work)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for c := range 3 {
			got[name].slowdown[c][seed] = Slowdown(res.Clusters[c], work[c], refs)
		}
		got[name].reconf[seed] = float64(Reconfigurations(res))
		return nil
	})
	if err != nil {
		return err
	}
	r.Executions += seeds * len(policies)
	faw8Report(r, got)
	faw8Compare(r, got)
	if r.Quick {
		return nil
	}
	return bursts(ctx, r, m, refs)
}

// bursts shows the effect of two choices that the paper leaves open. These are the number of bursts
// in which the jobs of c-2 arrive, and the number of hours during which jobs arrive.
func bursts(ctx context.Context, r *lab.Run, m Model, refs *References) error {
	type arrivals struct {
		bursts int
		hours  float64
	}
	all := []arrivals{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}}
	some := []string{"None", "EQ", "TD"}
	means := make([]float64, len(all)*len(some))
	err := lab.Parallel(ctx, r.Workers, len(means), func(ctx context.Context, i int) error {
		a := all[i/len(some)]
		work := WKLDD(m, r.Seed, a.hours, a.bursts)
		res, err := faw8Pool(m, refs, some[i%len(some)], r.Seed).Run(ctx, work)
		if err != nil {
			return err
		}
		for c := range 3 {
			means[i] += Slowdown(res.Clusters[c], work[c], refs) / 3
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

func faw8Pool(m Model, refs *References, policy string, seed uint64) Pool {
	return Pool{Model: m, Nodes: 48, Interval: faw8Interval, Idle: 2 * Hours * 3_600_000, Policy: policy,
		Grow: mrcluster.TransientCore, Seed: seed, Refs: refs}
}

func faw8Report(r *lab.Run, got map[string]*faw8Outcome) {
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
		rows = append(rows, append(row, fmt.Sprintf("%.2f", of[1]), fmt.Sprintf("%.2f", o.mean()),
			fmt.Sprintf("%+.0f%%", 100*(o.mean()/got["None"].mean()-1)), faw8Paper[p],
			fmt.Sprintf("%.0f", stat.Mean(o.reconf, nil))))
	}
	r.AddTable("slowdowns", []string{"policy", "c-1", "c-2", "c-3", "median", "mean", "vs. None", "paper",
		"reconfigurations"}, rows)
}

// bars returns a plot of the slowdowns of the MR-clusters by policy.
func bars(title string, policies []string, got map[string]*faw8Outcome) lab.Plot {
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

func faw8Compare(r *lab.Run, got map[string]*faw8Outcome) {
	compareTD(r, got)
	better := func(id, a, b string) {
		r.Compare(id, lab.Gain(got[a].means(), got[b].means()), "%.2f against %.2f", got[a].mean(), got[b].mean())
	}
	for _, p := range policies {
		if p != "TD" && p != "None" {
			better("TD-"+p, "TD", p)
		}
	}
	better("DD-JD", "DD", "JD")
	better("PU-RU", "PU", "RU")
	better("PU-DU", "PU", "DU")
	for _, p := range []string{"RU", "DU"} {
		better(p+"-None", p, "None")
	}
}

// compareTD evaluates the statements of section 7.3 about TD.
func compareTD(r *lab.Run, got map[string]*faw8Outcome) {
	none, eq, td := got["None"], got["EQ"], got["TD"]
	less := func(a, b *faw8Outcome, c int) lab.Interval { return lab.Gain(a.slowdown[c], b.slowdown[c]) }
	r.Compare("c2-TD-EQ", less(td, eq, 1), "%.2f against %.2f", td.cluster(1), eq.cluster(1))
	r.Compare("c2-EQ-None", less(eq, none, 1), "%.2f against %.2f", eq.cluster(1), none.cluster(1))
	for _, c := range []int{0, 2} {
		r.Compare(fmt.Sprintf("c%d", c+1), less(td, none, c).Scale(0, -1), "%.2f against %.2f", td.cluster(c),
			none.cluster(c))
	}
	r.Compare("mean", lab.Gain(td.means(), none.means()), "%.2f against %.2f", td.mean(), none.mean())
}
