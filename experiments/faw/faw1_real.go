package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// faw1RealRuns is the number of runs of each job.
const faw1RealRuns = 3

// faw1RealWork lists the jobs, with half of their input and with all of it.
var faw1RealWork = [2][]Work{{SmallSort, SmallCount}, {SortWork, CountWork}}

// faw1Real runs each job alone on a static MR-cluster, with half of its input and with all of it.
func faw1Real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core nodes", SiteNodes))
	r.Knob("time", fmt.Sprintf("the median of %d runs", faw1RealRuns))
	WorkKnobs(r, faw1RealWork[1]...)
	return OnSite(ctx, r, 4000, func(s *Site) error {
		if err := s.Begin(ctx, SiteNodes, mrcluster.TransientCore); err != nil {
			return err
		}
		var times [2][][]float64
		for i, work := range faw1RealWork {
			var err error
			if times[i], err = alone(ctx, s, work); err != nil {
				return err
			}
		}
		faw1Show(r, times)
		return s.End(ctx)
	})
}

// alone returns the times of each job, in s. It creates the jobs' input and removes it
// afterward.
func alone(ctx context.Context, s *Site, work []Work) ([][]float64, error) {
	if err := s.Prepare(ctx, work...); err != nil {
		return nil, err
	}
	times, err := s.MeasureAll(ctx, faw1RealRuns, work...)
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

func faw1Show(r *lab.Run, times [2][][]float64) {
	plot := lab.Plot{Name: "runtimes", Title: fmt.Sprintf("Runtimes on %d core nodes", SiteNodes), Y: "s", Kind: lab.Bars,
		Series: []lab.Series{{Name: "half of the input"}, {Name: "all"}}}
	var rows [][]string
	var grows []lab.Interval
	for i, w := range faw1RealWork[1] {
		row := []string{w.Name}
		for k := range times {
			t := slices.Sorted(slices.Values(times[k][i]))
			median := t[faw1RealRuns/2]
			row = append(row, fmt.Sprintf("%.1f (%.1f to %.1f)", median, t[0], t[faw1RealRuns-1]))
			plot.Series[k].Y, plot.Series[k].Labels = append(plot.Series[k].Y, median), append(plot.Series[k].Labels, w.Name)
		}
		rows = append(rows, row)
		grows = append(grows, lab.Ratio(times[1][i], times[0][i]))
	}
	r.AddTable("runtimes", []string{"application", "half of the input (s)", "all (s)"}, rows)
	r.AddPlot(plot)
	r.Compare("grows", lab.Least(grows...), "the least favorable of %d applications", len(grows))
	r.Compare("linear", lab.Most(grows...), "the least favorable of %d applications", len(grows))
}
