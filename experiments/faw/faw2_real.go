package faw

import (
	"context"
	"fmt"

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
	r.Knob("time", fmt.Sprintf("the median of %d runs after a warm-up run", faw2RealRuns))
	WorkKnobs(r, faw2RealWork...)
	var times [clusters][]spread
	err := OnSite(ctx, r, faw2Interval, func(s *Site) (err error) {
		times, err = onEach(ctx, s, faw2RealWork)
		return err
	})
	if err != nil || faw2Show(r, times) {
		return err
	}
	return onFastLinks(ctx, r)
}

// clusters is the number of MR-clusters that run the jobs. The first has core nodes only, the
// second has some transient nodes, and the third has some transient-core nodes.
const clusters = 3

const faw2Interval = 4000 // ms

// onEach returns the times of jobs on each of the MR-clusters.
func onEach(ctx context.Context, s *Site, work []Work) (times [clusters][]spread, err error) {
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

// fastMbit is a link speed, in Mbit/s, at which links are not a bottleneck.
const fastMbit = 1000

// onFastLinks repeats the WordCount runs with fast links. It shows whether slow links are the
// reason why transient or transient-core nodes slow down WordCount, unlike in the paper.
func onFastLinks(ctx context.Context, r *lab.Run) error {
	work := []Work{CountWork}
	return OnLinks(ctx, r, faw2Interval, fastMbit, func(s *Site) error {
		times, err := onEach(ctx, s, work)
		if err == nil {
			r.CauseIsolated("with links of %d Mbit/s, the overhead of WordCount is %.1f%% with TR and "+
				"%.1f%% with TC, so the links do not cause the remaining overhead",
				fastMbit, overhead(times, 1, 0), overhead(times, 2, 0))
		}
		return err
	})
}

// overhead returns by how much, in percent, a job's median time on an MR-cluster exceeds its median
// time on core nodes only. cluster and work are indexes in times.
func overhead(times [clusters][]spread, cluster, work int) float64 {
	return 100 * (times[cluster][work].median/times[0][work].median - 1)
}

// spread summarizes the times of one job's runs, in s.
type spread struct{ least, median, most float64 }

// on runs the jobs on an MR-cluster with all nodes of the site and returns their times. core is the
// number of core nodes; the other nodes are of kind grow.
func on(ctx context.Context, s *Site, core int, grow mrcluster.Kind, work []Work) ([]spread, error) {
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
	out := make([]spread, len(work))
	for i, t := range times {
		out[i] = spread{t[0], t[faw2RealRuns/2], t[faw2RealRuns-1]}
	}
	return out, s.End(ctx)
}

// faw2Show checks the relations and adds a table of times and a plot of overheads. It reports whether
// nodes other than core nodes slow down WordCount by less than 5%.
func faw2Show(r *lab.Run, times [clusters][]spread) bool {
	plot := lab.Plot{Name: "overhead", Title: fmt.Sprintf("Overhead of %d other nodes instead of core nodes", realHalf),
		Y: "%", Kind: lab.Bars, Series: []lab.Series{{Name: "TR"}, {Name: "TC"}}}
	var rows [][]string
	counts := true
	for i, w := range faw2RealWork {
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
		if w.Name == SortWork.Name {
			held = r.Claim("Sort: "+ordered, over[0] > over[1] && over[1] > 0, "overhead %.1f%% and %.1f%%",
				over[0], over[1])
		} else {
			held = r.Claim(w.Name+": "+negligible, over[0] < 5 && over[1] < 5, "%.1f%% and %.1f%%", over[0], over[1])
			counts = counts && (held || w.Name != CountWork.Name)
		}
		if x := times[0][i]; !held {
			r.CauseIsolated("%s on core nodes only, with no change between runs, took %s s in %d runs", w.Name,
				lab.Span("%.1f", x.least, x.most), faw2RealRuns)
		}
	}
	r.AddTable("overhead", []string{"application", "all core (s)", "half TR (s)", "half TC (s)", "TR (%)", "TC (%)"}, rows)
	r.AddPlot(plot)
	return counts
}
