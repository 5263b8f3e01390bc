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
	WorkKnobs(r, SortWork, PiWork)
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
	var stored []int64 // bytes on each node, in runs in which up to half of the nodes left
	for _, k := range leaving {
		m, err := depart(ctx, s, k)
		for try := 1; err == nil && m.left != k; try++ {
			if try == tries {
				return fmt.Errorf("%d nodes left instead of %d", m.left, k)
			}
			m, err = depart(ctx, s, k)
		}
		if err != nil {
			return err
		}
		rows = append(rows, []string{fmt.Sprint(k), fmt.Sprint(100 * k / SiteNodes), fmt.Sprintf("%.1f", m.perNode),
			fmt.Sprintf("%d to %d", slices.Min(m.stored)>>20, slices.Max(m.stored)>>20)})
		x, y = append(x, float64(k)), append(y, m.perNode)
		if k <= SiteNodes/2 {
			stored = append(stored, m.stored...)
		}
	}
	r.AddTable("removal", []string{"nodes removed", "%", "time per node (s)", "MiB on a node before removal"}, rows)
	r.AddPlot(lab.Plot{Name: "removal", Title: fmt.Sprintf("Time to remove a node of %d", SiteNodes), X: "nodes removed",
		Y: "s", Kind: lab.Lines, Nested: true, Series: []lab.Series{{Name: "a node", X: x, Y: y}}})
	half, worst := y[:3], y[3:]
	if !r.Compare("constant", r.Value(slices.Max(half)/slices.Min(half)), "%s s", lab.Span("%.1f", slices.Min(half),
		slices.Max(half))) {
		r.Note("The time to remove a node depends on its data, which was uneven (%s MiB) because writers ran on the nodes "+
			"with free slots.", lab.Span("%d", slices.Min(stored)>>20, slices.Max(stored)>>20))
	}
	first := worst[0] - slices.Max(half)
	r.Compare("grows", r.Value(min(first, worst[1]-worst[0]-first)), "%.1f, %.1f, %.1f s", y[2], y[3], y[4])
	return nil
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

// realSlowdowns reproduces figures 5(b) and 5(c). Nodes are removed when a job starts.
func realSlowdowns(ctx context.Context, r *lab.Run, s *Site) error {
	head := []string{"application"}
	for _, k := range removing {
		head = append(head, fmt.Sprintf("%d removed", k))
	}
	plot := lab.Plot{Name: "slowdown", Title: fmt.Sprintf("Slowdown of a job while %d nodes shrink", SiteNodes),
		X: "nodes removed", Y: "slowdown", Kind: lab.Lines}
	var rows [][]string
	var fewer []float64 // slowdown of each job on the remaining nodes
	for _, w := range []Work{SortWork, PiWork} {
		series, row := lab.Series{Name: w.Name}, []string{w.Name}
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
			series.X, series.Y = append(series.X, float64(k)), append(series.Y, t/alone)
			row = append(row, fmt.Sprintf("%.2f (%.0f s; repeated afterward: %.0f s)", t/alone, t, after))
		}
		fewer = append(fewer, left)
		plot.Series, rows = append(plot.Series, series), append(rows, row)
	}
	r.AddTable("slowdown", head, rows)
	r.AddPlot(plot)
	sorting, computing := plot.Series[0].Y, plot.Series[1].Y
	held := true
	for _, x := range plot.Series {
		held = r.Compare("rises-"+x.Name, r.Value(min(x.Y[1]-x.Y[0], x.Y[2]-x.Y[1])), "%.2f and %.2f", x.Y[1], x.Y[2]) && held
	}
	held = r.Compare("heavier", r.Value(min(sorting[1]-computing[1], sorting[2]-computing[2])),
		"%.2f and %.2f for %d of %d nodes, %.2f and %.2f for %d",
		sorting[1], computing[1], removing[1], SiteNodes, sorting[2], computing[2], removing[2]) && held
	if !held {
		last := len(removing) - 1
		r.Note("On the %d remaining nodes, after the other nodes have left, Sort takes %.2f times as long as on %d nodes, "+
			"and Pi takes %.2f times as long. While nodes leave, these factors are %.2f and %.2f.",
			SiteNodes-removing[last], fewer[0], SiteNodes, fewer[1], sorting[last], computing[last])
	}
	return nil
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
