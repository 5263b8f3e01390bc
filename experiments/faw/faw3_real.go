package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

const (
	faw3RealRuns = 3
	// wanMbit is a node's share of the bandwidth between the clusters. In the testbed, 10 nodes on
	// each side share wan, which is 5/6 of a disk's speed for each node.
	wanMbit    = siteDisk * 8 * 5 / 6
	scrapes    = 600_000 // of 100 bytes
	scrapeMaps = 12
)

// btWork runs the whole workflow of BTWorld.
var btWork = Work{Name: bt, About: fmt.Sprintf("the whole workflow on %d MB of scrapes in %d files", scrapes/10_000,
	scrapeMaps), Maps: scrapeMaps, Out: "/answers",
	Input: []string{"btworld-generate", "-scrapes", fmt.Sprint(scrapes), "-swarms", "20000", "-m", fmt.Sprint(scrapeMaps),
		"/scrapes"},
	Run: []string{"btworld", "-D", "mapreduce.job.reduces=6", "/scrapes", "/answers"}}

// faw3Real runs Sort and the whole workflow of BTWorld on an MR-cluster with HDFS, on one physical
// cluster and on two. The input stays where it is.
func faw3Real(ctx context.Context, r *lab.Run) error {
	work := []Work{SmallSort, btWork}
	r.Knob("MR-cluster", fmt.Sprintf("%d core nodes", SiteNodes))
	r.Knob("two physical clusters", fmt.Sprintf("half of the nodes each; a node sends at most %d Mbit/s to the other half",
		wanMbit))
	r.Knob("time", fmt.Sprintf("the mean of %d runs after a warm-up run; the clusters are joined and split before each",
		faw3RealRuns))
	for _, w := range work {
		r.Knob(w.Name, w.About)
	}
	near, far := make([][]float64, len(work)), make([][]float64, len(work))
	err := OnSite(ctx, r, 4000, func(s *Site) error {
		if err := s.Begin(ctx, SiteNodes, mrcluster.TransientCore); err != nil {
			return err
		}
		if err := s.Prepare(ctx, work...); err != nil {
			return err
		}
		if _, err := s.MeasureAll(ctx, 1, work...); err != nil { // because Java daemons are slow at first
			return err
		}
		for range faw3RealRuns {
			for _, x := range []struct {
				mbit  int64
				times [][]float64
			}{{0, near}, {wanMbit, far}} {
				if err := s.Split(ctx, x.mbit); err != nil {
					return err
				}
				times, err := s.MeasureAll(ctx, 1, work...)
				if err != nil {
					return err
				}
				for i := range work {
					x.times[i] = append(x.times[i], times[i]...)
				}
			}
		}
		return s.End(ctx)
	})
	if err != nil {
		return err
	}
	var rows [][]string
	for i, w := range work {
		over := lab.Ratio(far[i], near[i]).Scale(-100, 100)
		rows = append(rows, []string{w.Name, lab.IntervalOf(near[i]).String(), lab.IntervalOf(far[i]).String(), over.String(),
			"below 20"})
		r.Compare("overhead-"+w.Name, over, "%s s and %s s", lab.Span("%.1f", slices.Min(near[i]), slices.Max(near[i])),
			lab.Span("%.1f", slices.Min(far[i]), slices.Max(far[i])))
	}
	r.AddTable("overhead", []string{"application", "one cluster (s)", "two clusters (s)", "overhead (%)", "paper"}, rows)
	return nil
}
