package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// On real nodes, one core node is the closest approximation of a fifth of the nodes. All others are
// transient-core.
const (
	faw5RealCore = 1
	perBlock     = 8_000_000 // size of a file in bytes; a file is one block
	blocks       = 6         // per node
)

// filling is a job that stores data on every node. Each map writes to the node on which it runs, so
// the assignment of maps to slots determines how evenly the data is distributed.
var filling = Work{Input: []string{"teragen", "-D", fmt.Sprintf("mapreduce.job.maps=%d", blocks*SiteNodes),
	fmt.Sprint(blocks * SiteNodes * perBlock / 100), "/filling"}}

// faw5RealRuns is the number of repetitions of each removal.
const faw5RealRuns = 3

// tries is the maximum number of attempts to remove exactly the wanted number of nodes.
const tries = 3

// The numbers of nodes that leave the MR-cluster at the same time, in runs without a job and in
// runs with one.
var (
	leaving  = []int{1, 2, 3, 4, 5}
	removing = []int{0, 2, 4}
)

func faw5Real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core node and %d transient-core nodes; in the \"removal\" table, a node "+
		"stores %d MB on average before nodes are removed",
		faw5RealCore, SiteNodes-faw5RealCore, blocks*perBlock/1_000_000))
	r.Knob("repetitions", faw5RealRuns)
	WorkKnobs(r, faw5RealWork...)
	return OnSite(ctx, r, 5000, func(s *Site) error {
		if err := s.Begin(ctx, faw5RealCore, mrcluster.TransientCore); err != nil {
			return err
		}
		// An MR-cluster without data does not grow.
		if _, err := s.Time(ctx, "teragen", "-D", "mapreduce.job.maps=1", "1000", "/seed"); err != nil {
			return err
		}
		if err := s.Others(ctx, SiteNodes-faw5RealCore); err != nil {
			return err
		}
		if err := realRemoval(ctx, r, s); err != nil {
			return err
		}
		return realSlowdowns(ctx, r, s)
	})
}

// realRemoval reproduces figure 5(a).
func realRemoval(ctx context.Context, r *lab.Run, s *Site) error {
	var rows [][]string
	var x, y []float64
	times := make([][]float64, faw5RealRuns) // by repetition and number of nodes
	for _, k := range leaving {
		var each []float64
		var stored []int64
		for i := range times {
			m, err := departing(ctx, s, k)
			if err != nil {
				return err
			}
			times[i] = append(times[i], m.perNode)
			each, stored = append(each, m.perNode), append(stored, m.stored...)
		}
		mean := lab.IntervalOf(each)
		rows = append(rows, []string{fmt.Sprint(k), fmt.Sprint(100 * k / SiteNodes), mean.String(),
			lab.Span("%d", slices.Min(stored)>>20, slices.Max(stored)>>20)})
		x, y = append(x, float64(k)), append(y, mean.Mean)
	}
	r.AddTable("removal", []string{"nodes removed", "%", "time per node (s)", "MiB on a node before removal"}, rows)
	r.AddPlot(lab.Plot{Name: "removal", Title: fmt.Sprintf("Time to remove a node of %d", SiteNodes), X: "nodes removed",
		Y: "s", Kind: lab.Lines, Nested: true, Series: []lab.Series{{Name: "a node", X: x, Y: y}}})
	var constant, grows []float64
	for _, t := range times {
		half, worst := t[:SiteNodes/2], t[SiteNodes/2:]
		constant = append(constant, slices.Max(half)/slices.Min(half))
		first := worst[0] - slices.Max(half)
		grows = append(grows, min(first, worst[1]-worst[0]-first))
	}
	if !r.Compare("constant", lab.IntervalOf(constant), "up to %d of %d nodes", SiteNodes/2, SiteNodes) {
		r.Note("The time to remove a node depends on its data, which was uneven because writers ran on the nodes with free " +
			"slots.")
	}
	r.Compare("grows", lab.IntervalOf(grows), "means %.1f, %.1f, %.1f s", y[2], y[3], y[4])
	return nil
}

// departing removes nodes; see depart. It repeats the removal if more nodes leave than wanted.
func departing(ctx context.Context, s *Site, nodes int) (departure, error) {
	for try := 1; ; try++ {
		m, err := depart(ctx, s, nodes)
		if err != nil || m.left == nodes {
			return m, err
		}
		if try == tries {
			return m, fmt.Errorf("%d nodes left instead of %d", m.left, nodes)
		}
	}
}

// departure is the result of a removal of nodes with data.
type departure struct {
	perNode float64 // s
	left    int     // number of nodes that left, possibly more than wanted
	stored  []int64 // bytes on each node before the removal
}

// depart fills all nodes with data and removes some of the nodes. Then it restores the MR-cluster.
func depart(ctx context.Context, s *Site, nodes int) (d departure, err error) {
	if err := s.Prepare(ctx, filling); err != nil {
		return d, err
	}
	if d.stored, err = s.Stored(ctx); err != nil {
		return d, err
	}
	t, err := s.Take(ctx, nodes)
	if err != nil {
		return d, err
	}
	if d.perNode, d.left, err = t.Wait(ctx); err != nil {
		return d, err
	}
	return d, restore(ctx, s, filling)
}

// restore removes the input of a job and returns the removed nodes to the MR-cluster.
func restore(ctx context.Context, s *Site, w Work) error {
	if err := s.Clear(ctx, w); err != nil {
		return err
	}
	return s.GiveBack(ctx)
}

// faw5RealWork are the jobs that run while nodes leave.
var faw5RealWork = []Work{SmallSort, PiWork}

// realSlowdowns reproduces figures 5(b) and 5(c). Nodes are removed when a job starts.
func realSlowdowns(ctx context.Context, r *lab.Run, s *Site) error {
	head := []string{"application"}
	for _, k := range removing {
		head = append(head, fmt.Sprintf("%d removed", k))
	}
	plot := lab.Plot{Name: "slowdown", Title: fmt.Sprintf("Slowdown of a job while %d nodes shrink", SiteNodes),
		X: "nodes removed", Y: "slowdown", Kind: lab.Lines}
	var rows [][]string
	slow := make([][][]float64, len(faw5RealWork)) // by job, repetition, and number of removed nodes
	fewer := make([][]float64, len(faw5RealWork))  // slowdown on the remaining nodes, by job and repetition
	held := true
	for i, w := range faw5RealWork {
		for range faw5RealRuns {
			var line []float64
			var alone, left float64
			for _, k := range removing {
				t, after, err := shrunk(ctx, s, w, k)
				if err != nil {
					return err
				}
				if k == 0 {
					alone = t
				}
				left = after / alone
				line = append(line, t/alone)
			}
			slow[i], fewer[i] = append(slow[i], line), append(fewer[i], left)
		}
		series, row := lab.Series{Name: w.Name, Y: average(slow[i])}, []string{w.Name}
		for k := range removing {
			series.X = append(series.X, float64(removing[k]))
			row = append(row, at(slow[i], k).Fine())
		}
		plot.Series, rows = append(plot.Series, series), append(rows, row)
		held = r.Compare("rises-"+w.Name, each(slow[i], func(y []float64) float64 { return min(y[1]-y[0], y[2]-y[1]) }),
			"%.2f and %.2f", series.Y[1], series.Y[2]) && held
	}
	r.AddTable("slowdown", head, rows)
	r.AddPlot(plot)
	var heavier []float64
	for k, sorting := range slow[0] {
		computing := slow[1][k]
		heavier = append(heavier, min(sorting[1]-computing[1], sorting[2]-computing[2]))
	}
	if held = r.Compare("heavier", lab.IntervalOf(heavier), "the smaller difference of each repetition") && held; !held {
		last := len(removing) - 1
		r.Note("On the %d remaining nodes, after the other nodes have left, Sort takes %s times as long as on %d nodes, and "+
			"Pi takes %s times as long.", SiteNodes-removing[last], lab.IntervalOf(fewer[0]).Fine(), SiteNodes,
			lab.IntervalOf(fewer[1]).Fine())
	}
	return nil
}

// each returns the interval of f over lines.
func each(lines [][]float64, f func(y []float64) float64) lab.Interval {
	var v []float64
	for _, y := range lines {
		v = append(v, f(y))
	}
	return lab.IntervalOf(v)
}

// at returns the interval of the lines' values at position k.
func at(lines [][]float64, k int) lab.Interval {
	return each(lines, func(y []float64) float64 { return y[k] })
}

// shrunk runs a job twice and returns both times in s. took is the time of a run at whose start
// nodes are removed, and after is the time of a run after they have left. The job's input is
// initially on all nodes.
func shrunk(ctx context.Context, s *Site, w Work, nodes int) (took, after float64, err error) {
	if err := s.Prepare(ctx, w); err != nil {
		return 0, 0, err
	}
	t, err := s.Take(ctx, nodes)
	if err != nil {
		return 0, 0, err
	}
	if took, err = s.Measure(ctx, w); err != nil {
		return 0, 0, err
	}
	if _, _, err := t.Wait(ctx); err != nil {
		return 0, 0, err
	}
	if after, err = s.Measure(ctx, w); err != nil {
		return 0, 0, err
	}
	return took, after, restore(ctx, s, w)
}
