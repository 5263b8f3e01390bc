package faw

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// faw5 reproduces figure 5 of Fawkes, which shows how long it takes to remove transient-core nodes
// with their data, and how much the removal slows down a running job.
var faw5 = &lab.Experiment{
	ID: "FAW-5", Paper: Paper, BibTeX: BibTeX, Sim: faw5Sim, Real: faw5Real,
}

// perNode is the data of each node in figure 5(a), in GB.
const perNode = 10

func faw5Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4().With(Apps...)
	m.Workers = r.Workers
	if r.Quick {
		m.Repeat = 2
	}
	Knobs(r, m)
	r.Knob("re-replication bandwidth", "at most half of the disk bandwidth of each departing and each remaining node")
	if err := removal(ctx, r, m); err != nil {
		return err
	}
	return faw5Slowdowns(ctx, r, m)
}

// removal reproduces figure 5(a).
func removal(ctx context.Context, r *lab.Run, m Model) error {
	plot := lab.Plot{Name: "removal", Title: "Time to remove a node", X: "nodes removed (%)", Y: "s", Kind: lab.Lines,
		Nested: true}
	head := []string{"nodes"}
	parts := []int{10, 20, 30, 40, 50, 60, 70, 80}
	for _, p := range parts {
		head = append(head, fmt.Sprintf("%d%% removed (s)", p))
	}
	var rows [][]string
	apart, faster := 0.0, math.Inf(1)
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
		for _, v := range y[:5] {
			apart = max(apart, 100*math.Abs(v/y[0]-1))
		}
		for i := 5; i < len(y); i++ {
			faster = min(faster, y[i]-y[i-1]-(y[i-1]-y[i-2]))
		}
	}
	r.Compare("constant", lab.Exact(apart), "the largest difference for 10, 20, and 40 nodes")
	r.Compare("grows", lab.Exact(faster), "the smallest for 10, 20, and 40 nodes")
	r.AddTable("removal", head, rows)
	r.AddPlot(plot)
	return nil
}

// removed lists the numbers of nodes, out of 20, that leave when the job starts.
var removed = []int{0, 2, 4, 6, 8, 10, 12, 14, 16}

const half = 5 // index of half of the nodes in removed

// faw5Slowdowns reproduces figures 5(b) and 5(c). All nodes store the same amount of input and
// replicas.
func faw5Slowdowns(ctx context.Context, r *lab.Run, m Model) error {
	m.InputEverywhere = true
	plot := lab.Plot{Name: "slowdown", Title: "Slowdown of a job while 20 nodes shrink", X: "nodes removed", Y: "slowdown",
		Kind: lab.Lines}
	head := []string{"application", "input (GB)"}
	for _, k := range removed {
		head = append(head, fmt.Sprintf("%d removed", k))
	}
	var rows [][]string
	at := map[string][][]float64{} // by application, seed, and step
	for _, a := range []App{WC, ST, TT, PR} {
		y, err := slowdown(ctx, r, m, a)
		if err != nil {
			return err
		}
		at[a.Name] = y
		row, series := []string{a.Name, fmt.Sprint(a.Stages[0].Input)}, lab.Series{Name: a.Name, Y: average(y)}
		for i, k := range removed {
			row, series.X = append(row, fmt.Sprintf("%.2f", series.Y[i])), append(series.X, float64(k))
		}
		rows, plot.Series = append(rows, row), append(plot.Series, series)
		var rises []lab.Interval
		for i := 1; i < len(removed); i++ {
			rises = append(rises, lab.Difference(column(y, i), column(y, i-1)))
		}
		r.Compare("rises-"+a.Name, lab.Least(rises...), "%.2f for 10 and %.2f for 16 of 20 nodes", series.Y[half],
			series.Y[len(series.Y)-1])
		r.Compare("linear-"+a.Name, straight(series.X, y), "of the line for each seed")
		r.Compare("linear-half-"+a.Name, straight(series.X[:half+1], y), "of the line for each seed")
	}
	r.AddTable("slowdown", head, rows)
	r.AddPlot(plot)
	for _, a := range []string{"ST", "WC"} {
		var more []lab.Interval
		for i := 1; i <= half; i++ {
			for _, b := range []string{"TT", "PR"} {
				more = append(more, lab.Difference(column(at[a], i), column(at[b], i)))
			}
		}
		r.Compare("heavier-"+a, lab.Least(more...), "the least of %d differences", len(more))
	}
	return nil
}

// straight returns the R2 of a line through the first len(x) values of each of the lines.
func straight(x []float64, lines [][]float64) lab.Interval {
	var r2 []float64
	for _, y := range lines {
		y = y[:len(x)]
		alpha, beta := stat.LinearRegression(x, y, nil, false)
		r2 = append(r2, stat.RSquared(x, y, nil, alpha, beta))
	}
	return lab.IntervalOf(r2)
}

// column returns element i of each line.
func column(lines [][]float64, i int) (out []float64) {
	for _, l := range lines {
		out = append(out, l[i])
	}
	return out
}

// slowdown returns the slowdowns by seed and by the number of nodes that leave. The task times depend
// on the seed.
func slowdown(ctx context.Context, r *lab.Run, m Model, a App) ([][]float64, error) {
	y := make([][]float64, m.Runs())
	for i := range y {
		y[i] = make([]float64, len(removed))
	}
	r.Executions += len(y) * len(removed)
	err := lab.Parallel(ctx, r.Workers, len(y)*len(removed), func(ctx context.Context, i int) (err error) {
		seed, k := i/len(removed), i%len(removed)
		_, y[seed][k], err = shrink(ctx, m, shrinking{nodes: 20, leave: removed[k], data: a.Stages[0].Input,
			replicas: Replication, job: &a, seed: uint64(seed) + 1})
		return err
	})
	for _, line := range y {
		for i := len(line) - 1; i >= 0; i-- {
			line[i] /= line[0]
		}
	}
	return y, err
}

// shrinking describes an MR-cluster that loses some of its nodes when a job starts. A fifth of
// its nodes are core nodes.
type shrinking struct {
	nodes, leave int     // nodes at first, and nodes that leave
	data         float64 // GB, before replication
	replicas     int     // 0 means 1
	job          *App    // job during which nodes leave; nil means none
	seed         uint64
}

// shrink simulates the removal of nodes. Another MR-cluster arrives and takes x.leave nodes as its
// core. shrink returns the mean time that a node takes to leave and the time of the job, both in s.
// If there is no job, the job's time is 0.
func shrink(ctx context.Context, m Model, x shrinking) (perNode, jobTime float64, err error) {
	const shrinks = 1_200_000 // ms; by then the MR-cluster has grown and has its data
	w, err := weight.New("TD", weight.Defaults())
	if err != nil {
		return 0, 0, err
	}
	c := mrcluster.DefaultConfig()
	c.Interval, c.IdleAfter, c.DrainTimeout = 60_000, 2*shrinks, 1e8
	data := &trace.Job{ID: "data", Name: "data", State: job.Succeeded, Output: int64(x.data * (1 << 30)),
		Maps: make([]trace.Map, 40*x.nodes)}
	for i := range data.Maps {
		data.Maps[i].Time = 20_000
	}
	a := fawkes.Workload{Spec: mrcluster.Spec{Name: "a", Core: x.nodes / 5, HDFS: true}, Jobs: []*trace.Job{data}}
	if x.job != nil {
		s := x.job.Stages[0]
		j := m.Job("job", x.job.Name, s, s.Input, shrinks)
		Vary(j, x.seed, m.Sigma)
		a.Jobs = append(a.Jobs, j)
	}
	work := []fawkes.Workload{a}
	if x.leave > 0 {
		work = append(work, fawkes.Workload{Spec: mrcluster.Spec{Name: "b", Core: x.leave},
			Jobs: []*trace.Job{{ID: "b", Name: "b", Submit: shrinks, State: job.Succeeded, Maps: []trace.Map{{Time: 1000}}}}})
	}
	res, err := fawkes.Run(ctx, fawkes.Config{Nodes: x.nodes, Slots: Slots, Manager: c, Weighting: w, Policy: FIFO,
		Heartbeat: Heartbeat, Replication: x.replicas, Move: m.Move, TaskTime: m.Task}, work)
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
