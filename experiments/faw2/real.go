package faw2

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

var (
	realWork = []faw.Work{faw.SortWork, faw.CountWork, faw.PiWork}
	realHalf = faw.SiteNodes / 2
)

// realRuns is how often each job runs on each MR-cluster.
const realRuns = 3

// real runs the jobs on core nodes alone, and with half of the nodes transient or transient-core.
func real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-clusters", fmt.Sprintf("%d core nodes; %d core nodes with all input, and %d others", faw.SiteNodes, realHalf, faw.SiteNodes-realHalf))
	r.Knob("time", fmt.Sprintf("the median of %d runs, after one that does not count", realRuns))
	faw.WorkKnobs(r, realWork...)
	var times [clusters][]spread
	err := faw.OnSite(ctx, r, interval, func(s *faw.Site) (err error) {
		times, err = onEach(ctx, s, realWork)
		return err
	})
	if err != nil || show(r, times) {
		return err
	}
	return onFastLinks(ctx, r)
}

// clusters are those that jobs run on: the first has core nodes alone, then come one with transient and one with transient-core nodes.
const clusters = 3

const interval = 4000 // ms

// onEach gives the times of jobs on each of the MR-clusters.
func onEach(ctx context.Context, s *faw.Site, work []faw.Work) (times [clusters][]spread, err error) {
	for i, c := range [clusters]struct {
		core int
		grow mrcluster.Kind
	}{{faw.SiteNodes, mrcluster.TransientCore}, {realHalf, mrcluster.Transient}, {realHalf, mrcluster.TransientCore}} {
		if times[i], err = on(ctx, s, c.core, c.grow, work); err != nil {
			return times, err
		}
	}
	return times, nil
}

// fastMbit is a link on which nobody waits.
const fastMbit = 1000

// onFastLinks isolates what WordCount waits for with other nodes where it should not suffer: the same once more with links that give way.
func onFastLinks(ctx context.Context, r *lab.Run) error {
	work := []faw.Work{faw.CountWork}
	return faw.OnLinks(ctx, r, interval, fastMbit, func(s *faw.Site) error {
		times, err := onEach(ctx, s, work)
		if err == nil {
			r.NotReproduced("isolated: with links of %d Mbit/s WordCount takes %.1f%% longer with TR and %.1f%% with TC: what remains of this is not the links'",
				fastMbit, overhead(times, 1, 0), overhead(times, 2, 0))
		}
		return err
	})
}

// overhead is by how much a job takes longer on an MR-cluster than on core nodes alone, in %.
func overhead(times [clusters][]spread, cluster, work int) float64 {
	return 100 * (times[cluster][work].median/times[0][work].median - 1)
}

// spread is how long runs of one job took, in s.
type spread struct{ least, median, most float64 }

// on gives the times of the jobs on an MR-cluster of all nodes of which so many are core.
func on(ctx context.Context, s *faw.Site, core int, grow mrcluster.Kind, work []faw.Work) ([]spread, error) {
	if err := s.Begin(ctx, core, grow); err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx, work...); err != nil {
		return nil, err
	}
	if err := s.Others(ctx, faw.SiteNodes-core); err != nil {
		return nil, err
	}
	if _, err := s.MeasureAll(ctx, 1, work...); err != nil { // daemons in Java are slow at first
		return nil, err
	}
	times, err := s.MeasureAll(ctx, realRuns, work...)
	if err != nil {
		return nil, err
	}
	out := make([]spread, len(work))
	for i, t := range times {
		out[i] = spread{t[0], t[realRuns/2], t[realRuns-1]}
	}
	return out, s.End(ctx)
}

// show makes a table and a plot of times, and tells whether WordCount hardly suffers.
func show(r *lab.Run, times [clusters][]spread) bool {
	plot := lab.Plot{Name: "overhead", Title: fmt.Sprintf("Overhead of %d other nodes instead of core nodes", realHalf), Y: "%", Kind: lab.Bars, Series: []lab.Series{{Name: "TR"}, {Name: "TC"}}}
	var rows [][]string
	counts := true
	for i, w := range realWork {
		over := [2]float64{overhead(times, 1, i), overhead(times, 2, i)}
		row := []string{w.Name}
		for k := range times {
			row = append(row, fmt.Sprintf("%.1f", times[k][i].median))
		}
		for k := range over {
			row = append(row, fmt.Sprintf("%.1f", over[k]))
			plot.Series[k].Y, plot.Series[k].Labels = append(plot.Series[k].Y, over[k]), append(plot.Series[k].Labels, w.Name)
		}
		rows = append(rows, row)
		var held bool
		if w.Name == faw.SortWork.Name {
			held = r.Claim("Sort: transient costs more than transient-core, and that more than nothing", over[0] > over[1] && over[1] > 0, "%.1f%% and %.1f%%", over[0], over[1])
		} else {
			held = r.Claim(w.Name+": below 5% with both", over[0] < 5 && over[1] < 5, "%.1f%% and %.1f%%", over[0], over[1])
			counts = counts && (held || w.Name != faw.CountWork.Name)
		}
		if x := times[0][i]; !held {
			r.NotReproduced("isolated: %s on core nodes alone, where nothing differs, took %.1f to %.1f s in %d runs", w.Name, x.least, x.most, realRuns)
		}
	}
	r.AddTable("overhead", []string{"application", "all core (s)", "half TR (s)", "half TC (s)", "TR (%)", "TC (%)"}, rows)
	r.AddPlot(plot)
	return counts
}
