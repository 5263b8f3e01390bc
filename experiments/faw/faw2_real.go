package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

var (
	faw2RealWork = []Work{SortWork, CountWork, PiWork}
	realHalf     = SiteNodes / 2
)

// faw2RealRuns is the number of runs of each job on each MR-cluster.
const faw2RealRuns = 3

// faw2Real runs the jobs on core nodes only, and with half of the nodes replaced by transient or
// transient-core nodes.
func faw2Real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-clusters", fmt.Sprintf("%d core nodes, or %d core nodes that store all input plus %d TR or TC "+
		"nodes", SiteNodes, realHalf,
		SiteNodes-realHalf))
	r.Knob("time", fmt.Sprintf("the mean of %d runs after a warm-up run", faw2RealRuns))
	WorkKnobs(r, faw2RealWork...)
	var times [clusters][][]float64
	err := OnSite(ctx, r, 4000, func(s *Site) (err error) {
		times, err = onEach(ctx, s, faw2RealWork)
		return err
	})
	if err == nil {
		faw2Show(r, times)
	}
	return err
}

// clusters is the number of MR-clusters that run the jobs. The first has core nodes only, the
// second has some transient nodes, and the third has some transient-core nodes.
const clusters = 3

// onEach returns the times of jobs, in s, by MR-cluster, job, and run.
func onEach(ctx context.Context, s *Site, work []Work) (times [clusters][][]float64, err error) {
	for i, c := range [clusters]struct {
		core int
		grow mrcluster.Kind
	}{{SiteNodes, mrcluster.TransientCore}, {realHalf, mrcluster.Transient}, {realHalf, mrcluster.TransientCore}} {
		if times[i], err = on(ctx, s, c.core, c.grow, work); err != nil {
			return times, err
		}
	}
	return times, nil
}

// of returns the times of one job, by MR-cluster and run.
func of(times [clusters][][]float64, job int) (out [clusters][]float64) {
	for i := range times {
		out[i] = times[i][job]
	}
	return out
}

// on runs the jobs on an MR-cluster with all nodes of the site and returns their times by job and run.
// core is the number of core nodes; the other nodes are of kind grow.
func on(ctx context.Context, s *Site, core int, grow mrcluster.Kind, work []Work) ([][]float64, error) {
	if err := s.Begin(ctx, core, grow); err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx, work...); err != nil {
		return nil, err
	}
	if err := s.Others(ctx, SiteNodes-core); err != nil {
		return nil, err
	}
	if _, err := s.MeasureAll(ctx, 1, work...); err != nil { // warm-up run, because Java daemons are slow at first
		return nil, err
	}
	times, err := s.MeasureAll(ctx, faw2RealRuns, work...)
	if err != nil {
		return nil, err
	}
	return times, s.End(ctx)
}

// faw2Show evaluates the relations and adds a table of times and a plot of overheads.
func faw2Show(r *lab.Run, times [clusters][][]float64) {
	plot := lab.Plot{Name: "overhead", Title: fmt.Sprintf("Overhead of %d other nodes instead of core nodes", realHalf),
		Y: "%", Kind: lab.Bars, Series: []lab.Series{{Name: "TR"}, {Name: "TC"}}}
	var rows [][]string
	for i, w := range faw2RealWork {
		one := of(times, i)
		row := []string{w.Name}
		for k := range one {
			row = append(row, lab.IntervalOf(one[k]).String())
		}
		for k, over := range overheads(one) {
			row = append(row, over.String())
			plot.Series[k].Y, plot.Series[k].Labels = append(plot.Series[k].Y, over.Mean), append(plot.Series[k].Labels, w.Name)
		}
		rows = append(rows, row)
		if !compareOverheads(r, w.Name, one, w.Name == SortWork.Name) {
			r.Note("%s on core nodes only, with no change between runs, took %s s in %d runs.", w.Name,
				lab.Span("%.1f", slices.Min(one[0]), slices.Max(one[0])), faw2RealRuns)
		}
	}
	r.AddTable("overhead", []string{"application", "all core (s)", "half TR (s)", "half TC (s)", "TR (%)", "TC (%)"}, rows)
	r.AddPlot(plot)
}
