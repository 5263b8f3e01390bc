package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw6 reproduces figure 6 of Fawkes, in which three MR-clusters arrive one after the other and
// share a pool of 60 nodes.
var faw6 = &lab.Experiment{
	ID: "FAW-6", Paper: Paper, BibTeX: BibTeX, Sim: faw6Sim, Real: faw6Real,
}

const (
	faw6Nodes = 60
	every     = 100_000 // time between two arrivals, in ms
	data      = 50      // GB that each MR-cluster loads
)

// wordCount returns WordCount with maps that use cpu seconds of CPU time each.
func wordCount(cpu float64) App {
	stage := WC.Stages[0]
	stage.CPU = cpu
	return App{Name: WC.Name, Stages: []Stage{stage}}
}

func faw6Sim(ctx context.Context, r *lab.Run) error {
	runs := 10
	if r.Quick {
		runs = 3
	}
	r.Knob("seeds", runs)
	r.Knob("CPU time of a map (s)", WC.Stages[0].CPU)
	var rows [][]string
	var all []points
	for i := range runs {
		res, seen, err := faw6Run(ctx, r, WC, mrcluster.ByKind, r.Seed+uint64(i))
		if err != nil {
			return err
		}
		if i == 0 {
			faw6Report(r, seen)
		}
		p := faw6Find(seen, faw6Nodes, CoreNodes)
		all = append(all, p)
		rows = append(rows, p.row(fmt.Sprint(r.Seed+uint64(i)), res.Reconfigurations))
	}
	r.AddTable("points", pointsHead("seed"), rows)
	faw6Compare(r, all)
	return longer(ctx, r, runs)
}

// longer varies the assumptions on which point E depends. These are the time of a map, which the
// paper does not state, and the preemption of tasks on nodes that are leaving.
func longer(ctx context.Context, r *lab.Run, seeds int) error {
	var rows [][]string
	for _, cpu := range []float64{20, 25, 30, 40, 60} {
		row := []string{fmt.Sprint(cpu)}
		var found [2]faw6Ending
		for i, how := range []mrcluster.Preemption{mrcluster.ByKind, mrcluster.Delayed} {
			for k := range seeds {
				_, seen, err := faw6Run(ctx, r, wordCount(cpu), how, r.Seed+uint64(k))
				if err != nil {
					return err
				}
				found[i].add(seen, seeds)
			}
			row = append(row, found[i].cells(seeds)...)
		}
		rows = append(rows, row)
		if ip, dp := found[0], found[1]; cpu == 40 {
			r.Compare("long-E", lab.Exact(float64(seeds-ip.e)), "c-2 ends at %.0f s and c-3 at %.0f s; with delayed "+
				"preemption, at %.0f and %.0f s, and E is missing in %d runs", ip.ends[1], ip.ends[2], dp.ends[1], dp.ends[2],
				seeds-dp.e)
		}
	}
	r.AddTable("task-length", []string{"CPU of a map (s)", "IP: c-1 ends (s)", "c-2", "c-3", "runs with E",
		"DP: c-1 ends (s)", "c-2", "c-3", "runs with E"}, rows)
	return nil
}

// faw6Ending summarizes how runs end. It contains the mean time, in s, at which each MR-cluster's
// last job ends, and the number of runs that have point E.
type faw6Ending struct {
	ends [3]float64
	e    int
}

// add adds a run to the summary. seen contains the run's samples, and of is the total number of
// runs.
func (x *faw6Ending) add(seen []fawkes.Moment, of int) {
	ends, whole := [3]int64{}, false
	for _, m := range seen {
		whole = whole || m.View.Clusters[2].Held == faw6Nodes
		for c, q := range m.Queue {
			if q > 0 {
				ends[c] = m.At
			}
		}
	}
	for c := range ends {
		x.ends[c] += float64(ends[c]) / 1000 / float64(of)
	}
	if whole {
		x.e++
	}
}

func (x *faw6Ending) cells(of int) []string {
	return []string{fmt.Sprintf("%.0f", x.ends[0]), fmt.Sprintf("%.0f", x.ends[1]), fmt.Sprintf("%.0f", x.ends[2]),
		fmt.Sprintf("%d of %d", x.e, of)}
}

func faw6Run(ctx context.Context, r *lab.Run, wc App, how mrcluster.Preemption, seed uint64,
) (*fawkes.Result, []fawkes.Moment, error) {
	p, work := faw6Workload(wc, how, seed)
	if r.Executions == 0 {
		PoolKnobs(r, p)
	}
	var seen []fawkes.Moment
	p.Watch = func(m fawkes.Moment) { seen = append(seen, m) }
	res, err := p.Run(ctx, work)
	r.Executions++
	return res, seen, err
}

// faw6Workload returns WKLD-A and its pool.
func faw6Workload(wc App, how mrcluster.Preemption, seed uint64) (p Pool, work []fawkes.Workload) {
	p = Pool{Model: DAS4().With(wc), Nodes: faw6Nodes, Interval: 60_000, Policy: "JD", Grow: mrcluster.Transient,
		Shrink: how, Seed: seed}
	for i := range 3 {
		name := fmt.Sprintf("c-%d", i+1)
		mk := &Maker{Model: p.Model, Apps: []App{wc}, Seed: seed + uint64(i)}
		work = append(work, Cluster(name, data, mk.Batch(name, 50, Sizes[0], int64(i)*every)))
	}
	return p, work
}

func faw6Report(r *lab.Run, seen []fawkes.Moment) {
	plot := lab.Plot{Name: "nodes", Title: "Nodes of the MR-clusters", X: "time (s)", Y: "nodes", Kind: lab.Steps}
	var rows [][]string
	for c := range 3 {
		s := lab.Series{Name: fmt.Sprintf("c-%d", c+1)}
		for _, m := range seen {
			s.X, s.Y = append(s.X, float64(m.At)/1000), append(s.Y, float64(m.View.Clusters[c].Held))
		}
		plot.Series = append(plot.Series, s)
	}
	next := int64(0)
	for _, m := range seen {
		if m.At >= next {
			next = m.At + 20_000
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

// points contains the times of the figure's points, in ms. -1 means that the run never reached the
// point. below is the number of times that a sample shows a deployed MR-cluster with fewer core
// nodes than its core size.
type points struct {
	a, b, c, d, e int64
	below         int
}

func pointsHead(what string) []string {
	return []string{what, "A (s)", "B (s)", "C (s)", "D (s)", "E (s)", "reconfigurations"}
}

func (p points) row(of string, reconfigurations int64) []string {
	return []string{of, fmt.Sprint(p.a / 1000), fmt.Sprint(p.b / 1000), fmt.Sprint(p.c / 1000), fmt.Sprint(p.d / 1000),
		fmt.Sprint(p.e / 1000), fmt.Sprint(reconfigurations)}
}

func faw6Find(seen []fawkes.Moment, nodes, core int) (p points) {
	when := func(f func(c []mrcluster.ClusterView) bool, after int64) int64 {
		for _, m := range seen {
			if m.At > after && f(m.View.Clusters) {
				return m.At
			}
		}
		return -1
	}
	p.a = when(func(c []mrcluster.ClusterView) bool { return c[1].Held >= core }, 0)
	p.b = when(func(c []mrcluster.ClusterView) bool {
		return c[1].State == mrcluster.Loading && c[0].Held == nodes-c[1].Held && c[2].Held == 0
	}, 0)
	p.c = when(func(c []mrcluster.ClusterView) bool {
		return c[2].Held == core && c[0].Held < nodes-core
	}, p.b)
	p.d = when(func(c []mrcluster.ClusterView) bool {
		return c[1].Held > core && c[0].State == mrcluster.Active
	}, p.b)
	p.e = when(func(c []mrcluster.ClusterView) bool { return c[2].Held == nodes }, max(p.c, p.d))
	for _, m := range seen {
		for i := range m.View.Clusters {
			if v := &m.View.Clusters[i]; v.State >= mrcluster.Loading && v.Cores < core {
				p.below++
			}
		}
	}
	return p
}

// faw6Compare counts the runs that do not have a point at the expected time, and the times at which an
// MR-cluster has fewer nodes than its core size.
func faw6Compare(r *lab.Run, all []points) {
	in := func(id string, at func(p points) int64, holds func(p points) bool) {
		n, first, last := 0, at(all[0]), at(all[0])
		for _, p := range all {
			first, last = min(first, at(p)), max(last, at(p))
			if !holds(p) {
				n++
			}
		}
		r.Compare(id, r.Value(float64(n)), "of %d runs, at %s s", len(all), lab.Span("%d", first/1000, last/1000))
	}
	in("A", func(p points) int64 { return p.a }, func(p points) bool { return p.a >= every && p.a <= every+10_000 })
	in("B", func(p points) int64 { return p.b }, func(p points) bool { return p.b > 0 })
	in("C", func(p points) int64 { return p.c }, func(p points) bool { return p.c > p.b && p.c <= 2*every+60_000 })
	in("D", func(p points) int64 { return p.d }, func(p points) bool { return p.d > p.b })
	in("E", func(p points) int64 { return p.e }, func(p points) bool { return p.e > max(p.c, p.d) })
	below := 0
	for _, p := range all {
		below += p.below
	}
	r.Compare("core", r.Value(float64(below)), "samples of %d runs", len(all))
}
