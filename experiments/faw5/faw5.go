// Package faw5 reproduces figure 5 of Fawkes: how long it takes to remove transient-core nodes with their data, and what it costs a
// job that runs meanwhile.
package faw5

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Experiment is FAW-5.
var Experiment = &lab.Experiment{
	ID: "FAW-5", Paper: faw.Paper, Item: "Figure 5", BibTeX: faw.BibTeX,
	Claim:    "the time to remove a node is constant up to half of the MR-cluster, and then grows; the slowdown of a running job grows linearly with the nodes that are removed, that of jobs with 200 GB more",
	Relation: "time per node within 10% up to 50%, growing faster and faster beyond; slowdowns grow with every node that goes; those of Sort and WordCount more than those of TrackerOverTime and PageRank",
	Sim:      sim,
}

// perNode is the data of each node in GB in figure 5(a).
const perNode = 10

func sim(ctx context.Context, r *lab.Run) error {
	m := faw.DAS4().With(faw.Apps...)
	faw.Knobs(r, m)
	r.Knob("re-replication", "half of the disk of each node that leaves, and of each that stays")
	if err := removal(ctx, r, m); err != nil {
		return err
	}
	return slowdowns(ctx, r, m)
}

// removal is figure 5(a).
func removal(ctx context.Context, r *lab.Run, m faw.Model) error {
	plot := lab.Plot{Name: "removal", Title: "Time to remove a node", X: "nodes removed (%)", Y: "s", Kind: lab.Lines}
	head := []string{"nodes"}
	parts := []int{10, 20, 30, 40, 50, 60, 70, 80}
	for _, p := range parts {
		head = append(head, fmt.Sprintf("%d%% (s)", p))
	}
	var rows [][]string
	for _, n := range []int{10, 20, 40} {
		row, series := []string{fmt.Sprint(n)}, lab.Series{Name: fmt.Sprintf("%d nodes", n)}
		for _, p := range parts {
			s, _, err := shrink(ctx, m, nil, n, n*p/100, perNode*float64(n))
			if err != nil {
				return err
			}
			r.Executions++
			row = append(row, fmt.Sprintf("%.0f", s))
			series.X, series.Y = append(series.X, float64(p)), append(series.Y, s)
		}
		rows = append(rows, row)
		plot.Series = append(plot.Series, series)
		y := series.Y
		constant := true
		for _, v := range y[:5] {
			constant = constant && v < 1.1*y[0] && v > 0.9*y[0]
		}
		r.Check(fmt.Sprintf("%d nodes: the same time for each node up to half of them", n), constant, "%.0f to %.0f s", y[0], y[4])
		r.Check(fmt.Sprintf("%d nodes: beyond that more and more", n), y[5] > y[4] && y[6]-y[5] > y[5]-y[4] && y[7]-y[6] > y[6]-y[5], "%.0f, %.0f, %.0f, %.0f s", y[4], y[5], y[6], y[7])
	}
	r.AddTable("removal", head, rows)
	r.AddPlot(plot)
	return nil
}

// slowdowns is figure 5(b) and (c): 20 nodes, 4 of them core; what an application reads lies on all of them.
func slowdowns(ctx context.Context, r *lab.Run, m faw.Model) error {
	removed := []int{0, 4, 8, 12, 16}
	plot := lab.Plot{Name: "slowdown", Title: "Slowdown of a job while nodes go", X: "nodes removed", Y: "slowdown", Kind: lab.Lines}
	var rows [][]string
	last := map[string]float64{}
	for _, a := range []faw.App{faw.WC, faw.ST, faw.TT, faw.PR} {
		row, series := []string{a.Name}, lab.Series{Name: a.Name}
		base, grows := 0.0, true
		for _, k := range removed {
			stage := a.Stages[0]
			_, t, err := shrink(ctx, m, &stageOf{a, stage}, 20, k, stage.Input)
			if err != nil {
				return err
			}
			r.Executions++
			if k == 0 {
				base = t
			}
			grows = grows && (k == 0 || t/base > series.Y[len(series.Y)-1])
			row = append(row, fmt.Sprintf("%.2f", t/base))
			series.X, series.Y = append(series.X, float64(k)), append(series.Y, t/base)
		}
		half := len(removed)/2 + 1
		alpha, beta := stat.LinearRegression(series.X[:half+1], series.Y[:half+1], nil, false)
		r.Check(a.Name+": the slowdown grows with every step", grows, "%.2f at %d of 20; the line up to 12 has R2 = %.3f", series.Y[len(series.Y)-1], removed[len(removed)-1],
			stat.RSquared(series.X[:half+1], series.Y[:half+1], nil, alpha, beta))
		last[a.Name] = series.Y[2]
		rows = append(rows, row)
		plot.Series = append(plot.Series, series)
	}
	r.AddTable("slowdown", []string{"application", "0", "4", "8", "12", "16"}, rows)
	r.AddPlot(plot)
	r.Check("WordCount suffers more than TrackerOverTime and PageRank at 8 of 20", last["WC"] > last["TT"] && last["WC"] > last["PR"], "%.2f against %.2f and %.2f", last["WC"], last["TT"], last["PR"])
	if last["ST"] > last["TT"] && last["ST"] > last["PR"] {
		return nil
	}
	fast := m
	fast.Disk *= 10
	sort := stageOf{faw.ST, faw.ST.Stages[0]}
	_, before, err := shrink(ctx, fast, &sort, 20, 0, sort.stage.Input)
	if err != nil {
		return err
	}
	_, after, err := shrink(ctx, fast, &sort, 20, 8, sort.stage.Input)
	if err != nil {
		return err
	}
	r.Executions += 2
	r.NotReproduced("Sort does not suffer more than TrackerOverTime: %.2f against %.2f at 8 of 20. The four core nodes serve the input of all, so their disks bound Sort's maps before and after; "+
		"with disks ten times as fast, nothing else changed, it is %.2f.", last["ST"], last["TT"], after/before)
	return nil
}

// stageOf is the job that runs meanwhile.
type stageOf struct {
	app   faw.App
	stage faw.Stage
}

// shrink lets an MR-cluster of n nodes, a fifth of them core, on which so many GB lie, give up k: another arrives with a core of
// that size. It gives the mean time that a node takes to leave, and the time of the job that starts just then, in s.
func shrink(ctx context.Context, m faw.Model, run *stageOf, n, k int, gb float64) (perNode, jobTime float64, err error) {
	const shrinks = 1_200_000 // ms; by then the MR-cluster has grown and its data is there
	w, err := weight.New("TD", weight.Defaults())
	if err != nil {
		return 0, 0, err
	}
	c := mrcluster.DefaultConfig()
	c.Interval, c.IdleAfter, c.DrainTimeout = 60_000, 2*shrinks, 1e8
	data := &trace.Job{ID: "data", Name: "data", State: job.Succeeded, Output: int64(gb * (1 << 30)), Maps: make([]trace.Map, 40*n)}
	for i := range data.Maps {
		data.Maps[i].Time = 20_000
	}
	a := fawkes.Workload{Spec: mrcluster.Spec{Name: "a", Core: n / 5, HDFS: true}, Jobs: []*trace.Job{data}}
	if run != nil {
		a.Jobs = append(a.Jobs, m.Job("job", run.app.Name, run.stage, run.stage.Input, shrinks))
	}
	work := []fawkes.Workload{a}
	if k > 0 {
		work = append(work, fawkes.Workload{Spec: mrcluster.Spec{Name: "b", Core: k}, Jobs: []*trace.Job{{ID: "b", Name: "b", Submit: shrinks, State: job.Succeeded, Maps: []trace.Map{{Time: 1000}}}}})
	}
	res, err := fawkes.Run(ctx, fawkes.Config{Nodes: n, Slots: faw.Slots, Manager: c, Weighting: w, Policy: faw.FIFO, Heartbeat: faw.Heartbeat, Move: m.Move, TaskTime: m.Task}, work)
	if err != nil {
		return 0, 0, err
	}
	since, sum, left := map[string]int64{}, int64(0), int64(0)
	for _, f := range res.Facts {
		switch {
		case f.Kind == mrcluster.NodeDraining:
			since[f.Node] = f.Time
		case f.Kind == mrcluster.NodeReleased && f.Drained:
			sum += f.Time - since[f.Node]
			left++
		}
	}
	for _, j := range res.Clusters[0].Jobs {
		if j.ID == "job" {
			jobTime = float64(j.Finish-j.Submit) / 1000
		}
	}
	if left != int64(k) {
		return 0, 0, fmt.Errorf("%d nodes left instead of %d", left, k)
	}
	return float64(sum) / 1000 / float64(max(1, left)), jobTime, nil
}
