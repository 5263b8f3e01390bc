package faw5

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// On real nodes one core node is as near as it gets to a fifth of the nodes; all others are transient-core.
const (
	realCore = 1
	perBlock = 8_000_000 // bytes of a file, which is one block
	blocks   = 6         // of each node
)

// filling makes every node store something: a map writes where it runs, and where slots are free decides how evenly.
var filling = faw.Work{Input: []string{"teragen", "-D", fmt.Sprintf("mapreduce.job.maps=%d", blocks*faw.SiteNodes), fmt.Sprint(blocks * faw.SiteNodes * perBlock / 100), "/filling"}}

// tries bounds how often it is tried to take no more nodes than wanted.
const tries = 3

// What leaves the site's nodes at once: alone, and while a job runs.
var (
	leaving  = []int{1, 2, 3, 4, 5}
	removing = []int{0, 2, 4}
)

func real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core node and %d transient-core nodes; in the first part each stores about %d MB", realCore, faw.SiteNodes-realCore, blocks*perBlock/1_000_000))
	faw.WorkKnobs(r, faw.SortWork, faw.PiWork)
	return faw.OnSite(ctx, r, 5000, func(s *faw.Site) error {
		if err := s.Begin(ctx, realCore, mrcluster.TransientCore); err != nil {
			return err
		}
		if _, err := s.Time(ctx, "teragen", "-D", "mapreduce.job.maps=1", "1000", "/seed"); err != nil { // without data it does not grow
			return err
		}
		if err := s.Others(ctx, faw.SiteNodes-realCore); err != nil {
			return err
		}
		if err := realRemoval(ctx, r, s); err != nil {
			return err
		}
		return realSlowdowns(ctx, r, s)
	})
}

// realRemoval is figure 5(a).
func realRemoval(ctx context.Context, r *lab.Run, s *faw.Site) error {
	var rows [][]string
	var x, y []float64
	var stored []int64 // on nodes before up to half of them left
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
		rows = append(rows, []string{fmt.Sprint(k), fmt.Sprint(100 * k / faw.SiteNodes), fmt.Sprintf("%.1f", m.perNode), fmt.Sprintf("%d to %d", slices.Min(m.stored)>>20, slices.Max(m.stored)>>20)})
		x, y = append(x, float64(k)), append(y, m.perNode)
		if k <= faw.SiteNodes/2 {
			stored = append(stored, m.stored...)
		}
	}
	r.AddTable("removal", []string{"nodes removed", "%", "time of a node (s)", "MiB on a node before"}, rows)
	r.AddPlot(lab.Plot{Name: "removal", Title: fmt.Sprintf("Time to remove a node of %d", faw.SiteNodes), X: "nodes removed", Y: "s", Kind: lab.Lines, Nested: true, Series: []lab.Series{{Name: "a node", X: x, Y: y}}})
	half, worst := y[:3], y[3:]
	if !r.Claim("about the same time for each node up to half of them", slices.Max(half) < 1.5*slices.Min(half), "%.1f to %.1f s", slices.Min(half), slices.Max(half)) {
		r.NotReproduced("isolated: a node's time follows its data, which lay unevenly, where writers had found slots: %d to %d MiB", slices.Min(stored)>>20, slices.Max(stored)>>20)
	}
	r.Check("beyond that more and more", worst[0] > slices.Max(half) && worst[1]-worst[0] > worst[0]-slices.Max(half), "%.1f, %.1f, %.1f s", y[2], y[3], y[4])
	return nil
}

// departure is how nodes left that stored data.
type departure struct {
	perNode float64 // s
	left    int     // nodes, which may be more than were wanted
	stored  []int64 // bytes on each node before
}

// depart fills all nodes with data, and takes some of them.
func depart(ctx context.Context, s *faw.Site, nodes int) (d departure, err error) {
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

// restore removes the input of a job and lets the nodes come back.
func restore(ctx context.Context, s *faw.Site, w faw.Work) error {
	if err := s.Clear(ctx, w); err != nil {
		return err
	}
	return s.GiveBack(ctx)
}

// realSlowdowns is figures 5(b) and 5(c): nodes are taken at the moment when a job starts.
func realSlowdowns(ctx context.Context, r *lab.Run, s *faw.Site) error {
	head := []string{"application"}
	for _, k := range removing {
		head = append(head, fmt.Sprint(k))
	}
	plot := lab.Plot{Name: "slowdown", Title: fmt.Sprintf("Slowdown of a job while %d nodes shrink", faw.SiteNodes), X: "nodes removed", Y: "slowdown", Kind: lab.Lines}
	var rows [][]string
	var fewer []float64 // how much longer a job takes on the nodes that are left in the end
	for _, w := range []faw.Work{faw.SortWork, faw.PiWork} {
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
			row = append(row, fmt.Sprintf("%.2f (%.0f s; again afterwards %.0f s)", t/alone, t, after))
		}
		fewer = append(fewer, left)
		plot.Series, rows = append(plot.Series, series), append(rows, row)
	}
	r.AddTable("slowdown", head, rows)
	r.AddPlot(plot)
	sorting, computing := plot.Series[0].Y, plot.Series[1].Y
	held := true
	for _, x := range plot.Series {
		held = r.Claim(x.Name+": the slowdown grows with every step", slices.IsSorted(x.Y), "%.2f and %.2f", x.Y[1], x.Y[2]) && held
	}
	held = r.Claim("Sort suffers more than what computes", sorting[1] > computing[1] && sorting[2] > computing[2], "%.2f against %.2f at %d of %d, %.2f against %.2f at %d",
		sorting[1], computing[1], removing[1], faw.SiteNodes, sorting[2], computing[2], removing[2]) && held
	if !held {
		last := len(removing) - 1
		r.NotReproduced("isolated: on the %d nodes that are left, when nothing leaves any more, Sort takes %.2f times as long as on %d and Pi %.2f; while nodes leave %.2f and %.2f",
			faw.SiteNodes-removing[last], fewer[0], faw.SiteNodes, fewer[1], sorting[last], computing[last])
	}
	return nil
}

// shrunk is the time of a job at whose start nodes are taken, and its time again when they have left. Its input lies on all nodes at first.
func shrunk(ctx context.Context, s *faw.Site, w faw.Work, nodes int) (took, after float64, err error) {
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
