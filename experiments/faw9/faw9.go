// Package faw9 reproduces figures 10 and 11 of Fawkes: queues and sizes of the MR-clusters over time, and how often they are changed.
package faw9

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Experiment is FAW-9.
var Experiment = &lab.Experiment{
	ID: "FAW-9", Paper: faw.Paper, Item: "Figures 10 and 11, WKLD-D and WKLD-E", BibTeX: faw.BibTeX,
	Claim:    "under TD 16 and 5 reconfigurations suffice; almost all nodes that can move go to the MR-cluster with the highest load, and the others stay at their minimum shares",
	Relation: "the most loaded MR-cluster gets all nodes beside the others' cores, and its queue is shorter than under EQ; fewer than 25 reconfigurations; the policies by usage and by slowdown make more",
	Sim:      sim,
}

const (
	nodes = 48
	hour  = 3_600_000 // ms
)

// paper has the numbers of reconfigurations that section 7.3 tells.
var paper = map[cell]string{{policy: "TD"}: "16", {e: true, policy: "TD"}: "5"}

// cell is a run.
type cell struct {
	e      bool // WKLD-E
	policy string
	tau    float64 // 0 = the paper's
	hours  float64 // of the arrivals; 0 = faw.Hours
	// reading is what counts as waiting under TD: "" = tasks that a free slot would get.
	reading string
}

// Other readings of "tasks waiting in the queue".
const (
	running = "running tasks too"
	early   = "reduces before the slow start too"
)

func (c cell) workload() string {
	if c.e {
		return "WKLD-E"
	}
	return "WKLD-D"
}

// outcome of a run.
type outcome struct {
	seen    []fawkes.Moment
	reconf  int
	waiting [3]float64 // mean number of jobs in the queues while jobs arrive
	ends    float64    // when the last job ended, in s
}

func sim(ctx context.Context, r *lab.Run) error {
	m := faw.DAS4().With(faw.WC, faw.ST, faw.TT, faw.AH)
	refs := m.NewReferences()
	faw.PoolKnobs(r, pool(m, refs, cell{policy: "TD"}, 1))
	r.Knob("arrivals", fmt.Sprintf("over %d hour where nothing else is said", faw.Hours))
	var cells []cell
	for _, e := range []bool{false, true} {
		cells = append(cells, cell{e: e, policy: "EQ"}, cell{e: e, policy: "TD"}, cell{e: e, policy: "TD", tau: 1000}, cell{e: e, policy: "TD", reading: running},
			cell{e: e, policy: "TD", reading: early})
	}
	cells = append(cells, cell{policy: "TD", hours: 4}, cell{policy: "TD", hours: 4, reading: running}, cell{policy: "TD", hours: 4, reading: early})
	for _, p := range []string{"PU", "JS", "JT", "TT"} {
		cells = append(cells, cell{policy: p})
	}
	got := map[cell]*outcome{}
	var mu sync.Mutex
	err := simmr.Parallel(ctx, r.Workers, len(cells), func(ctx context.Context, i int) error {
		o, err := run(ctx, m, refs, cells[i], r.Seed)
		mu.Lock()
		defer mu.Unlock()
		got[cells[i]] = o
		return err
	})
	if err != nil {
		return err
	}
	r.Executions += len(cells)
	report(r, cells, got)
	for _, e := range []bool{false, true} {
		check(r, e, got)
	}
	td := got[cell{policy: "TD"}].reconf
	for _, p := range []string{"PU", "JS"} {
		n := got[cell{policy: p}].reconf
		r.Check("WKLD-D: "+p+" reconfigures more often than TD", n > td, "%d against %d", n, td)
	}
	return nil
}

// over is how long jobs arrive, in hours.
func (c cell) over() float64 { return cmp.Or(c.hours, float64(faw.Hours)) }

func pool(m faw.Model, refs *faw.References, c cell, seed uint64) faw.Pool {
	queue := weight.InQueue
	if c.reading == running {
		queue = weight.Unfinished
	}
	return faw.Pool{Model: m, Nodes: nodes, Interval: 120_000, Idle: int64(2 * hour * c.over()), Policy: c.policy, Tau: c.tau, Grow: mrcluster.TransientCore, Seed: seed, Refs: refs, Queue: queue,
		EarlyReduces: c.reading == early}
}

func run(ctx context.Context, m faw.Model, refs *faw.References, c cell, seed uint64) (*outcome, error) {
	work := faw.WKLDD(m, seed, c.over(), faw.Bursts)
	if c.e {
		work = faw.WKLDE(m, seed, c.over(), refs)
	}
	o := &outcome{}
	p := pool(m, refs, c, seed)
	p.Watch = func(x fawkes.Moment) {
		if x.At%60_000 != 0 || x.At > int64(2*hour*c.over()) {
			return
		}
		o.seen = append(o.seen, x)
		for i, q := range x.Queue {
			if x.At <= int64(hour*c.over()) {
				o.waiting[i] += float64(q) / (60 * c.over())
			}
		}
	}
	res, err := p.Run(ctx, work)
	if err != nil {
		return nil, err
	}
	o.reconf = faw.Reconfigurations(res)
	for _, d := range res.Clusters {
		for i := range d.Jobs {
			o.ends = max(o.ends, float64(d.Jobs[i].Finish)/1000)
		}
	}
	return o, nil
}

func report(r *lab.Run, cells []cell, got map[cell]*outcome) {
	var rows [][]string
	for _, c := range cells {
		o := got[c]
		tau := c.tau
		if tau == 0 {
			tau = 10
		}
		rows = append(rows, []string{c.workload(), c.policy, fmt.Sprint(tau), c.reading, fmt.Sprint(c.over()), fmt.Sprint(o.reconf), paper[c], fmt.Sprintf("%.1f", o.waiting[0]), fmt.Sprintf("%.1f", o.waiting[1]), fmt.Sprintf("%.1f", o.waiting[2]), fmt.Sprintf("%.0f", o.ends)})
		if (c == cell{e: c.e, policy: "TD"}) || c.policy == "EQ" {
			plot(r, c, o)
		}
	}
	r.AddTable("reconfigurations", []string{"workload", "policy", "tau (s2)", "what counts as waiting, if more", "arrivals (h)", "reconfigurations", "paper", "mean queue c-1", "c-2", "c-3", "ends (s)"}, rows)
}

func plot(r *lab.Run, c cell, o *outcome) {
	queue := lab.Plot{Name: "queues-" + c.workload() + "-" + c.policy, Title: c.workload() + ", " + c.policy + ": jobs in the queues", X: "time (s)", Y: "jobs", Kind: lab.Steps}
	size := lab.Plot{Name: "nodes-" + c.workload() + "-" + c.policy, Title: c.workload() + ", " + c.policy + ": nodes", X: "time (s)", Y: "nodes", Kind: lab.Steps, Nested: true}
	for k := range 3 {
		q, n := lab.Series{Name: fmt.Sprintf("c-%d", k+1)}, lab.Series{Name: fmt.Sprintf("c-%d", k+1)}
		n.X, n.Y = []float64{0}, []float64{0}
		for _, m := range o.seen {
			at := float64(m.At) / 1000
			if at > o.ends+300 {
				break
			}
			q.X, q.Y = append(q.X, at), append(q.Y, float64(m.Queue[k]))
			n.X, n.Y = append(n.X, at), append(n.Y, float64(m.View.Clusters[k].Held))
		}
		queue.Series, size.Series = append(queue.Series, q), append(size.Series, n)
	}
	r.AddPlot(queue)
	r.AddPlot(size)
}

// check looks at one workload: c-2 has the highest load in WKLD-D, c-1 in WKLD-E.
func check(r *lab.Run, e bool, got map[cell]*outcome) {
	td, eq := got[cell{e: e, policy: "TD"}], got[cell{e: e, policy: "EQ"}]
	name, busy := "WKLD-D: ", 1
	if e {
		name, busy = "WKLD-E: ", 0
	}
	most := 0
	for _, m := range td.seen {
		most = max(most, m.View.Clusters[busy].Held)
	}
	r.Check(fmt.Sprintf("%sc-%d gets almost all nodes that can move", name, busy+1), most >= nodes-2*faw.CoreNodes-2, "%d of %d", most, nodes-2*faw.CoreNodes)
	r.Check(name+"its queue is shorter than under EQ", td.waiting[busy] < eq.waiting[busy], "%.1f against %.1f jobs", td.waiting[busy], eq.waiting[busy])
	if e {
		r.Check(name+"it ends earlier than under EQ", td.ends < eq.ends, "%.0f against %.0f s", td.ends, eq.ends)
	}
	if td.reconf < 25 {
		r.Check(name+"fewer than 25 reconfigurations", true, "%d", td.reconf)
		return
	}
	more := got[cell{e: e, policy: "TD", tau: 1000}].reconf
	r.NotReproduced("%sTD makes %d reconfigurations, not fewer than 25; with tau = 1000, nothing else changed, there are %d.", name, td.reconf, more)
}
