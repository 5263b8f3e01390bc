package faw1

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// realRuns is how often each job runs.
const realRuns = 3

// realWork are the jobs, with half and with all of their input.
var realWork = [2][]faw.Work{{faw.SmallSort, faw.SmallCount}, {faw.SortWork, faw.CountWork}}

// real runs jobs alone on a static MR-cluster.
func real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core nodes", faw.SiteNodes))
	r.Knob("time", fmt.Sprintf("the median of %d runs", realRuns))
	faw.WorkKnobs(r, realWork[1]...)
	return faw.OnSite(ctx, r, 4000, func(s *faw.Site) error {
		if err := s.Begin(ctx, faw.SiteNodes, mrcluster.TransientCore); err != nil {
			return err
		}
		var times [2][][]float64
		for i, work := range realWork {
			var err error
			if times[i], err = alone(ctx, s, work); err != nil {
				return err
			}
		}
		show(r, times)
		return s.End(ctx)
	})
}

// alone gives the times of jobs, whose input comes and goes with them.
func alone(ctx context.Context, s *faw.Site, work []faw.Work) ([][]float64, error) {
	if err := s.Prepare(ctx, work...); err != nil {
		return nil, err
	}
	times, err := s.MeasureAll(ctx, realRuns, work...)
	if err != nil {
		return nil, err
	}
	for _, w := range work {
		if err := s.Clear(ctx, w); err != nil {
			return nil, err
		}
	}
	return times, nil
}

func show(r *lab.Run, times [2][][]float64) {
	plot := lab.Plot{Name: "runtimes", Title: fmt.Sprintf("Runtimes on %d core nodes", faw.SiteNodes), Y: "s", Kind: lab.Bars, Series: []lab.Series{{Name: "half of the input"}, {Name: "all"}}}
	var rows [][]string
	for i, w := range realWork[1] {
		row := []string{w.Name}
		var median [2]float64
		for k := range times {
			t := times[k][i]
			median[k] = t[realRuns/2]
			row = append(row, fmt.Sprintf("%.1f (%.1f to %.1f)", median[k], t[0], t[realRuns-1]))
			plot.Series[k].Y, plot.Series[k].Labels = append(plot.Series[k].Y, median[k]), append(plot.Series[k].Labels, w.Name)
		}
		rows = append(rows, row)
		r.Check(w.Name+": grows with the input, and no faster than it", median[0] < median[1] && median[1] < 2.2*median[0], "%.1f and %.1f s", median[0], median[1])
	}
	r.AddTable("runtimes", []string{"application", "half of the input (s)", "all (s)"}, rows)
	r.AddPlot(plot)
}
