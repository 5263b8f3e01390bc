// Package faw6 reproduces figure 6 of Fawkes: three MR-clusters that arrive one after the other share a pool of 60 nodes.
package faw6

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Experiment is FAW-6.
var Experiment = &lab.Experiment{
	ID: "FAW-6", Paper: faw.Paper, Item: "Figure 6, WKLD-A", BibTeX: faw.BibTeX,
	Claim: "three MR-clusters arrive every 100 s: c-2 gets its core at once from idle nodes (A), the idle rest goes to c-1 (B), c-1 shrinks for c-3 (C) and for c-2 (D), and c-3 ends with " +
		"the whole pool (E)",
	Relation: "points A to E in this order, and nobody below his core once he has it",
	Sim:      sim,
}

const (
	nodes = 60
	every = 100_000 // ms between two arrivals
	data  = 50      // GB that each loads
)

func sim(ctx context.Context, r *lab.Run) error {
	wc := faw.WC
	res, seen, err := run(ctx, r, wc)
	if err != nil {
		return err
	}
	report(r, seen)
	check(r, res, seen)
	return longer(ctx, r, wc)
}

// longer shows what E rests on: how long a map takes, which the paper does not say.
func longer(ctx context.Context, r *lab.Run, a faw.App) error {
	var rows [][]string
	for _, cpu := range []float64{20, 30, 40, 50, 60} {
		stage := a.Stages[0]
		stage.CPU = cpu
		_, seen, err := run(ctx, r, faw.App{Name: a.Name, Stages: []faw.Stage{stage}})
		if err != nil {
			return err
		}
		most, ends := 0, [3]int64{}
		for _, m := range seen {
			most = max(most, m.View.Clusters[2].Held)
			for c, q := range m.Queue {
				if q > 0 {
					ends[c] = m.At / 1000
				}
			}
		}
		rows = append(rows, []string{fmt.Sprint(cpu), fmt.Sprint(ends[0]), fmt.Sprint(ends[1]), fmt.Sprint(ends[2]), fmt.Sprint(most)})
		if most < nodes {
			r.NotReproduced("E with maps of %.0f s: c-3 has %d nodes at most, since it ends its jobs at %d s and c-2 at %d s. Tasks that are killed when c-2 shrinks (IP) start anew, and the longer they are "+
				"the more of them there are.", cpu, most, ends[2], ends[1])
		}
	}
	r.AddTable("task-length", []string{"CPU of a map (s)", "c-1 ends (s)", "c-2 ends (s)", "c-3 ends (s)", "most nodes of c-3"}, rows)
	return nil
}

func run(ctx context.Context, r *lab.Run, wc faw.App) (*fawkes.Result, []fawkes.Moment, error) {
	p := faw.Pool{Model: faw.DAS4().With(wc), Nodes: nodes, Interval: 60_000, Policy: "JD", Grow: mrcluster.Transient, Seed: r.Seed}
	if r.Executions == 0 {
		faw.PoolKnobs(r, p)
	}
	var seen []fawkes.Moment
	p.Watch = func(m fawkes.Moment) { seen = append(seen, m) }
	var work []fawkes.Workload
	for i := range 3 {
		name := fmt.Sprintf("c-%d", i+1)
		mk := &faw.Maker{Model: p.Model, Apps: []faw.App{wc}, Seed: r.Seed + uint64(i)}
		work = append(work, faw.Cluster(name, data, mk.Batch(name, 50, faw.Sizes[0], int64(i)*every)))
	}
	res, err := p.Run(ctx, work)
	r.Executions++
	return res, seen, err
}

func report(r *lab.Run, seen []fawkes.Moment) {
	plot := lab.Plot{Name: "nodes", Title: "Nodes of the MR-clusters", X: "time (s)", Y: "nodes", Kind: lab.Steps}
	var rows [][]string
	for c := range 3 {
		s := lab.Series{Name: fmt.Sprintf("c-%d", c+1)}
		for _, m := range seen {
			s.X, s.Y = append(s.X, float64(m.At)/1000), append(s.Y, float64(m.View.Clusters[c].Held))
		}
		plot.Series = append(plot.Series, s)
	}
	for i, m := range seen {
		if i%4 == 0 {
			row := []string{fmt.Sprint(m.At / 1000)}
			for c := range 3 {
				v := &m.View.Clusters[c]
				row = append(row, fmt.Sprintf("%d %v", v.Held, v.State), fmt.Sprint(m.Queue[c]))
			}
			rows = append(rows, row)
		}
	}
	r.AddTable("nodes", []string{"s", "c-1", "jobs", "c-2", "jobs", "c-3", "jobs"}, rows)
	r.AddPlot(plot)
}

// check looks for the points of the figure.
func check(r *lab.Run, res *fawkes.Result, seen []fawkes.Moment) {
	when := func(f func(c []mrcluster.ClusterView) bool, after int64) int64 {
		for _, m := range seen {
			if m.At > after && f(m.View.Clusters) {
				return m.At
			}
		}
		return -1
	}
	a := when(func(c []mrcluster.ClusterView) bool { return c[1].Held >= faw.CoreNodes }, 0)
	r.Check("A: c-2 gets its core within 10 s of its arrival, from idle nodes", a >= every && a <= every+10_000, "at %d s", a/1000)
	b := when(func(c []mrcluster.ClusterView) bool {
		return c[1].State == mrcluster.Loading && c[0].Held == nodes-c[1].Held && c[2].Held == 0
	}, 0)
	r.Check("B: all that is left goes to c-1 while c-2 is still loading", b > 0, "at %d s", b/1000)
	c := when(func(c []mrcluster.ClusterView) bool {
		return c[2].Held == faw.CoreNodes && c[0].Held < nodes-faw.CoreNodes
	}, b)
	r.Check("C: c-1 shrinks so that c-3 has its core, within T of its arrival", c > b && c <= 2*every+60_000, "at %d s", c/1000)
	d := when(func(c []mrcluster.ClusterView) bool {
		return c[1].Held > faw.CoreNodes && c[0].State == mrcluster.Active
	}, b)
	r.Check("D: c-2 grows above its core while c-1 is there", d > b, "at %d s", d/1000)
	e := when(func(c []mrcluster.ClusterView) bool { return c[2].Held == nodes }, max(c, d))
	r.Check("E: c-3 has the whole pool at last", e > max(c, d), "at %d s", e/1000)
	below := 0
	for _, m := range seen {
		for i := range m.View.Clusters {
			if v := &m.View.Clusters[i]; v.State >= mrcluster.Loading && v.Cores < faw.CoreNodes {
				below++
			}
		}
	}
	r.Check("nobody falls below his core", below == 0, "%d samples of %d", below, len(seen))
	r.AddTable("points", []string{"A", "B", "C", "D", "E", "reconfigurations"}, [][]string{{fmt.Sprint(a / 1000), fmt.Sprint(b / 1000), fmt.Sprint(c / 1000), fmt.Sprint(d / 1000),
		fmt.Sprint(e / 1000), fmt.Sprint(res.Reconfigurations)}})
}
