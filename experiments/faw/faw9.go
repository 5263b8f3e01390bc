package faw

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw9 reproduces figures 10 and 11 of Fawkes, which show the queues and sizes of the MR-clusters
// over time, and the number of reconfigurations.
var faw9 = &lab.Experiment{
	ID: "FAW-9", Paper: Paper, BibTeX: BibTeX, Sim: faw9Sim,
}

const (
	faw9Nodes = 48
	faw9Hour  = 3_600_000 // ms
)

// faw9Paper contains the numbers of reconfigurations that section 7.3 states.
var faw9Paper = map[faw9Cell]string{{policy: "TD"}: "16", {e: true, policy: "TD"}: "5"}

// faw9Cell identifies a run.
type faw9Cell struct {
	e      bool // WKLD-E
	policy string
	tau    float64 // 0 means the paper's value
	hours  float64 // period in which jobs arrive; 0 means Hours
	// reading selects which tasks count as waiting under TD. If it is empty, only tasks that could
	// run in a free slot count.
	reading string
}

// Other interpretations of "tasks waiting in the queue". Each value describes the tasks that also
// count.
const (
	running = "running tasks"
	early   = "reduces before the slow start"
)

func (c faw9Cell) workload() string {
	if c.e {
		return "WKLD-E"
	}
	return "WKLD-D"
}

type faw9Outcome struct {
	seen    []fawkes.Moment
	reconf  int
	waiting [3]float64 // mean number of unfinished jobs, by MR-cluster, while jobs arrive
	ends    float64    // end of the last job, in s
}

func faw9Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4().With(WC, ST, BTWorld.App("BT"))
	refs := m.NewReferences()
	PoolKnobs(r, faw9Pool(m, refs, faw9Cell{policy: "TD"}, 1))
	r.Knob("arrivals", fmt.Sprintf("jobs arrive over %d hour unless stated otherwise", Hours))
	btKnobs(r)
	r.Knob("BTWorld: scrapes in WKLD-E (GB)", scrapesE)
	var cells []faw9Cell
	for _, e := range []bool{false, true} {
		cells = append(cells, faw9Cell{e: e, policy: "EQ"}, faw9Cell{e: e, policy: "TD"},
			faw9Cell{e: e, policy: "TD", tau: 1000}, faw9Cell{e: e, policy: "TD", reading: running},
			faw9Cell{e: e, policy: "TD", reading: early})
	}
	cells = append(cells, faw9Cell{policy: "TD", hours: 4}, faw9Cell{policy: "TD", hours: 4, reading: running},
		faw9Cell{policy: "TD", hours: 4, reading: early})
	for _, p := range []string{"PU", "JS", "JT", "TT"} {
		cells = append(cells, faw9Cell{policy: p})
	}
	got := map[faw9Cell]*faw9Outcome{}
	var mu sync.Mutex
	err := lab.Parallel(ctx, r.Workers, len(cells), func(ctx context.Context, i int) error {
		o, err := faw9Run(ctx, m, refs, cells[i], r.Seed)
		mu.Lock()
		defer mu.Unlock()
		got[cells[i]] = o
		return err
	})
	if err != nil {
		return err
	}
	r.Executions += len(cells)
	faw9Report(r, cells, got)
	for _, e := range []bool{false, true} {
		faw9Compare(r, e, got)
	}
	td := got[faw9Cell{policy: "TD"}].reconf
	for _, p := range []string{"PU", "JS"} {
		n := got[faw9Cell{policy: p}].reconf
		r.Compare("often-"+p, lab.Exact(float64(n-td)), "%d against %d", n, td)
	}
	return nil
}

// over returns the length of the period in which jobs arrive, in hours.
func (c faw9Cell) over() float64 { return cmp.Or(c.hours, float64(Hours)) }

func faw9Pool(m Model, refs *References, c faw9Cell, seed uint64) Pool {
	queue := weight.InQueue
	if c.reading == running {
		queue = weight.Unfinished
	}
	return Pool{Model: m, Nodes: faw9Nodes, Interval: 120_000, Idle: int64(2 * faw9Hour * c.over()), Policy: c.policy,
		Tau: c.tau, Grow: mrcluster.TransientCore, Seed: seed, Refs: refs, Queue: queue,
		EarlyReduces: c.reading == early}
}

func faw9Run(ctx context.Context, m Model, refs *References, c faw9Cell, seed uint64) (*faw9Outcome, error) {
	work := WKLDD(m, seed, c.over(), Bursts)
	if c.e {
		work = WKLDE(m, seed, c.over(), refs)
	}
	o := &faw9Outcome{}
	p := faw9Pool(m, refs, c, seed)
	p.Watch = func(x fawkes.Moment) {
		if x.At%60_000 != 0 || x.At > int64(2*faw9Hour*c.over()) {
			return
		}
		o.seen = append(o.seen, x)
		for i, q := range x.Queue {
			if x.At <= int64(faw9Hour*c.over()) {
				o.waiting[i] += float64(q) / (60 * c.over())
			}
		}
	}
	res, err := p.Run(ctx, work)
	if err != nil {
		return nil, err
	}
	o.reconf = Reconfigurations(res)
	for _, d := range res.Clusters {
		for i := range d.Jobs {
			o.ends = max(o.ends, float64(d.Jobs[i].Finish)/1000)
		}
	}
	return o, nil
}

func faw9Report(r *lab.Run, cells []faw9Cell, got map[faw9Cell]*faw9Outcome) {
	var rows [][]string
	for _, c := range cells {
		o := got[c]
		tau := c.tau
		if tau == 0 {
			tau = 10
		}
		rows = append(rows, []string{c.workload(), c.policy, fmt.Sprint(tau), c.reading, fmt.Sprint(c.over()),
			fmt.Sprint(o.reconf), faw9Paper[c], fmt.Sprintf("%.1f", o.waiting[0]), fmt.Sprintf("%.1f", o.waiting[1]),
			fmt.Sprintf("%.1f", o.waiting[2]), fmt.Sprintf("%.0f", o.ends)})
		if (c == faw9Cell{e: c.e, policy: "TD"}) || c.policy == "EQ" {
			plot(r, c, o)
		}
	}
	r.AddTable("reconfigurations", []string{"workload", "policy", "tau (s2)", "also counted as waiting",
		"arrivals (h)", "reconfigurations", "paper", "mean queue c-1", "c-2", "c-3", "ends (s)"}, rows)
}

func plot(r *lab.Run, c faw9Cell, o *faw9Outcome) {
	queue := lab.Plot{Name: "queues-" + c.workload() + "-" + c.policy,
		Title: c.workload() + ", " + c.policy + ": jobs in the queues", X: "time (s)", Y: "jobs", Kind: lab.Steps}
	size := lab.Plot{Name: "nodes-" + c.workload() + "-" + c.policy, Title: c.workload() + ", " + c.policy + ": nodes",
		X: "time (s)", Y: "nodes", Kind: lab.Steps, Nested: true}
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

// faw9Compare evaluates the relations for WKLD-D or, if e is true, WKLD-E. The MR-cluster with the
// highest load is c-2 in WKLD-D and c-1 in WKLD-E.
func faw9Compare(r *lab.Run, e bool, got map[faw9Cell]*faw9Outcome) {
	td, eq := got[faw9Cell{e: e, policy: "TD"}], got[faw9Cell{e: e, policy: "EQ"}]
	name, busy := "D", 1
	if e {
		name, busy = "E", 0
	}
	most := 0
	for _, m := range td.seen {
		most = max(most, m.View.Clusters[busy].Held)
	}
	r.Compare("nodes-"+name, lab.Exact(float64(most)), "of %d", faw9Nodes-2*CoreNodes)
	r.Compare("queue-"+name, lab.Exact(100*(1-td.waiting[busy]/eq.waiting[busy])), "%.1f against %.1f jobs",
		td.waiting[busy], eq.waiting[busy])
	if e {
		r.Compare("ends-E", lab.Exact(100*(1-td.ends/eq.ends)), "%.0f against %.0f s", td.ends, eq.ends)
	}
	r.Compare("few-"+name, lab.Exact(float64(td.reconf)), "with tau = 1000 and no other change: %d",
		got[faw9Cell{e: e, policy: "TD", tau: 1000}].reconf)
}
