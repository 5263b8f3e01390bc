// Package faw5 reproduces figure 5 of Fawkes: how long it takes to remove transient-core nodes with their data, and what it costs a
// job that runs meanwhile.
package faw5

import (
	"context"
	"fmt"
	"slices"

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
	Real:     real,
}

// perNode is the data of each node in GB in figure 5(a).
const perNode = 10

func sim(ctx context.Context, r *lab.Run) error {
	m := faw.DAS4().With(faw.Apps...)
	if r.Quick {
		m.Repeat = 2
	}
	faw.Knobs(r, m)
	r.Knob("re-replication", "half of the disk of each node that leaves, and of each that stays")
	if err := removal(ctx, r, m); err != nil {
		return err
	}
	return slowdowns(ctx, r, m)
}

// removal is figure 5(a).
func removal(ctx context.Context, r *lab.Run, m faw.Model) error {
	plot := lab.Plot{Name: "removal", Title: "Time to remove a node", X: "nodes removed (%)", Y: "s", Kind: lab.Lines, Nested: true}
	head := []string{"nodes"}
	parts := []int{10, 20, 30, 40, 50, 60, 70, 80}
	for _, p := range parts {
		head = append(head, fmt.Sprintf("%d%% (s)", p))
	}
	var rows [][]string
	for _, n := range []int{10, 20, 40} {
		row, series := []string{fmt.Sprint(n)}, lab.Series{Name: fmt.Sprintf("%d nodes", n)}
		for _, p := range parts {
			s, _, err := shrink(ctx, m, shrinking{nodes: n, leave: n * p / 100, data: perNode * float64(n)})
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

// removed are the nodes that leave 20, at the moment the job starts.
var removed = []int{0, 2, 4, 6, 8, 10, 12, 14, 16}

const half = 5 // of them are up to half of the nodes

// slowdowns is figures 5(b) and 5(c): all nodes store the same amounts of data, input and all replicas.
func slowdowns(ctx context.Context, r *lab.Run, m faw.Model) error {
	m.InputEverywhere = true
	plot := lab.Plot{Name: "slowdown", Title: "Slowdown of a job while 20 nodes shrink", X: "nodes removed", Y: "slowdown", Kind: lab.Lines}
	head := []string{"application", "input (GB)"}
	for _, k := range removed {
		head = append(head, fmt.Sprint(k))
	}
	var rows [][]string
	at := map[string][]float64{}
	for _, a := range []faw.App{faw.WC, faw.ST, faw.TT, faw.PR} {
		y, err := slowdown(ctx, r, m, a)
		if err != nil {
			return err
		}
		at[a.Name] = y
		row, series := []string{a.Name, fmt.Sprint(a.Stages[0].Input)}, lab.Series{Name: a.Name, Y: y}
		for i, k := range removed {
			row, series.X = append(row, fmt.Sprintf("%.2f", y[i])), append(series.X, float64(k))
		}
		rows, plot.Series = append(rows, row), append(plot.Series, series)
		alpha, beta := stat.LinearRegression(series.X[:half+1], y[:half+1], nil, false)
		straight := stat.RSquared(series.X[:half+1], y[:half+1], nil, alpha, beta)
		r.Check(a.Name+": the slowdown grows with every step, and up to half of the nodes on a line", slices.IsSorted(y) && straight > 0.95, "%.2f at 10 and %.2f at 16 of 20, R2 = %.3f", y[half], y[len(y)-1], straight)
	}
	r.AddTable("slowdown", head, rows)
	r.AddPlot(plot)
	for _, a := range []string{"ST", "WC"} {
		worse := true
		for i := 1; i <= half; i++ {
			worse = worse && at[a][i] > at["TT"][i] && at[a][i] > at["PR"][i]
		}
		r.Check(a+" suffers more than TrackerOverTime and PageRank", worse, "at 10 of 20 %.2f against %.2f and %.2f", at[a][half], at["TT"][half], at["PR"][half])
	}
	return nil
}

// slowdown is the mean over runs with other task times, by the number of nodes that leave.
func slowdown(ctx context.Context, r *lab.Run, m faw.Model, a faw.App) ([]float64, error) {
	y := make([]float64, len(removed))
	for i, k := range removed {
		for seed := range uint64(m.Runs()) {
			_, t, err := shrink(ctx, m, shrinking{nodes: 20, leave: k, data: a.Stages[0].Input, replicas: faw.Replication, job: &a, seed: seed + 1})
			if err != nil {
				return nil, err
			}
			r.Executions++
			y[i] += t
		}
	}
	for i := len(y) - 1; i >= 0; i-- {
		y[i] /= y[0]
	}
	return y, nil
}

// shrinking is an MR-cluster of so many nodes, a fifth of them core, on which so many GB lie (times replicas), and that gives up some of
// its nodes just when a job starts.
type shrinking struct {
	nodes, leave int
	data         float64
	replicas     int
	job          *faw.App // its first job; nil = none
	seed         uint64
}

// shrink lets the nodes go since another MR-cluster arrives with a core of that size. It gives the mean time that a node takes to leave,
// and the time of the job, in s.
func shrink(ctx context.Context, m faw.Model, x shrinking) (perNode, jobTime float64, err error) {
	const shrinks = 1_200_000 // ms; by then the MR-cluster has grown and its data is there
	w, err := weight.New("TD", weight.Defaults())
	if err != nil {
		return 0, 0, err
	}
	c := mrcluster.DefaultConfig()
	c.Interval, c.IdleAfter, c.DrainTimeout = 60_000, 2*shrinks, 1e8
	data := &trace.Job{ID: "data", Name: "data", State: job.Succeeded, Output: int64(x.data * (1 << 30)), Maps: make([]trace.Map, 40*x.nodes)}
	for i := range data.Maps {
		data.Maps[i].Time = 20_000
	}
	a := fawkes.Workload{Spec: mrcluster.Spec{Name: "a", Core: x.nodes / 5, HDFS: true}, Jobs: []*trace.Job{data}}
	if x.job != nil {
		s := x.job.Stages[0]
		j := m.Job("job", x.job.Name, s, s.Input, shrinks)
		faw.Vary(j, x.seed, m.Sigma)
		a.Jobs = append(a.Jobs, j)
	}
	work := []fawkes.Workload{a}
	if x.leave > 0 {
		work = append(work, fawkes.Workload{Spec: mrcluster.Spec{Name: "b", Core: x.leave}, Jobs: []*trace.Job{{ID: "b", Name: "b", Submit: shrinks, State: job.Succeeded, Maps: []trace.Map{{Time: 1000}}}}})
	}
	res, err := fawkes.Run(ctx, fawkes.Config{Nodes: x.nodes, Slots: faw.Slots, Manager: c, Weighting: w, Policy: faw.FIFO, Heartbeat: faw.Heartbeat, Replication: x.replicas, Move: m.Move, TaskTime: m.Task}, work)
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
	if left != int64(x.leave) {
		return 0, 0, fmt.Errorf("%d nodes left instead of %d", left, x.leave)
	}
	return float64(sum) / 1000 / float64(max(1, left)), jobTime, nil
}
