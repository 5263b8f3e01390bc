package orchestrator

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// Global is the Global Resource Manager, which runs in the JobTracker. It is not safe for
// concurrent use.
type Global struct {
	cfg     Config
	nodes   []*node // by tracker
	born    int64
	round   int64 // number of epochs so far
	due     int64 // start of the next epoch
	decide  int64 // time at which to make this epoch's decisions; 0 = none pending
	picture cluster
}

// NewGlobal returns a Global whose first epoch begins c.Epoch after now. The configuration must be
// valid.
func NewGlobal(c Config, now int64) *Global {
	return &Global{cfg: c, born: now, due: now + c.Epoch, picture: cluster{local: !c.Coordinate}}
}

func (g *Global) find(tracker int32) (int, bool) {
	return slices.BinarySearchFunc(g.nodes, tracker, func(n *node, t int32) int { return cmp.Compare(n.tracker, t) })
}

// Hear stores a copy of r, the report of a node, which arrived at the time now.
func (g *Global) Hear(now int64, tracker int32, r *heartbeat.Shares) {
	i, ok := g.find(tracker)
	if !ok {
		g.nodes = slices.Insert(g.nodes, i, &node{tracker: tracker})
	}
	n := g.nodes[i]
	n.heard = now
	n.report.Capacity, n.report.Tasks = r.Capacity, append(n.report.Tasks[:0], r.Tasks...)
}

// Knows reports whether a node has reported recently. Global makes decisions only for such nodes.
// In the first epochs, Knows returns true for every node because a node might not have had time to
// report.
func (g *Global) Knows(now int64, tracker int32) bool {
	_, ok := g.find(tracker)
	return ok || now-g.born <= silence*g.cfg.Epoch
}

// silence is the number of epochs after which Global ignores a node that has not reported.
const silence = 2

// Gone removes the node of a TaskTracker that has left.
func (g *Global) Gone(tracker int32) {
	if i, ok := g.find(tracker); ok {
		g.nodes = slices.Delete(g.nodes, i, i+1)
	}
}

// NextDeadline returns the time at which Tick must be called next, in milliseconds since the Unix
// epoch.
func (g *Global) NextDeadline() int64 {
	if g.decide > 0 {
		return min(g.due, g.decide)
	}
	return g.due
}

// Waits reports whether tasks of type t in the job are waiting for a slot. Only the JobTracker has
// this information. A nil Waits means that no tasks are waiting.
type Waits func(job int32, t job.TaskType) bool

// Tick performs the steps that are due and appends decisions to out. At the start of an epoch, the
// detector creates advice, which is sent with the heartbeats. In the middle of the epoch, when the
// nodes should have sent their estimates, the balancer makes decisions.
func (g *Global) Tick(now int64, waits Waits, out []Decision) []Decision {
	if g.decide > 0 && now >= g.decide {
		g.decide = 0
		out = g.balance(now, waits, out)
	}
	if now >= g.due {
		g.due = max(g.due+g.cfg.Epoch, now+1)
		g.round++
		g.look(now, waits)
		g.decide = now + g.cfg.Epoch/2
	}
	return out
}

// look removes the nodes that have not reported recently, takes a snapshot of the others, and
// judges their tasks.
func (g *Global) look(now int64, waits Waits) {
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return now-n.heard > silence*g.cfg.Epoch })
	if !g.cfg.Coordinate {
		waits = nil
	}
	g.picture.look(g.nodes, waits)
	g.cfg.detect(&g.picture)
}

// Unadvised reports whether this epoch's advice has yet to be sent to a node.
func (g *Global) Unadvised(tracker int32) bool {
	i, ok := g.find(tracker)
	return ok && g.decide > 0 && g.nodes[i].advised != g.round
}

// Advice appends this epoch's advice for a node's tasks to out and records that it was sent. After
// this epoch's decisions have been made, it appends nothing.
func (g *Global) Advice(tracker int32, out []heartbeat.Advice) []heartbeat.Advice {
	i, ok := g.find(tracker)
	if !ok || g.decide == 0 {
		return out
	}
	g.nodes[i].advised = g.round
	for _, t := range g.nodes[i].tasks {
		out = append(out, heartbeat.Advice{Attempt: t.Attempt, Epoch: g.round, Verdict: t.verdict, Mean: t.group.mean,
			Target: t.group.target, Whole: t.group.waits, Pressed: t.pressed})
	}
	return out
}

// balance makes this epoch's decisions. They are based on the estimates that the nodes sent in
// response to the epoch's advice.
func (g *Global) balance(now int64, waits Waits, out []Decision) []Decision {
	g.look(now, waits)
	for i := range g.picture.all {
		if t := &g.picture.all[i]; t.Answers != g.round { // the node has not responded to this epoch's advice
			t.Answers = 0
		}
	}
	for r := range NumResources {
		if g.cfg.Control[r] {
			g.cfg.balance(&g.picture, r)
		}
	}
	for i := range g.picture.all {
		out = g.changes(&g.picture.all[i], out)
	}
	return out
}

// changes compares a task's new allocations with the current ones. For each resource with a
// difference of more than MinChange, it appends a decision to out. It converts CPU back to a
// weight. It adds the moved amount to the old weight, so the sum of the node's weights stays about
// the same, and tasks launched later get their usual share.
func (g *Global) changes(t *task, out []Decision) []Decision {
	for r := range NumResources {
		from, more := t.Allocation[r], t.have[r]-t.had[r]
		if c := t.node.report.Capacity[CPU]; r == CPU && c > 0 {
			more = int64(math.Round(float64(more) / float64(c) * float64(t.node.weights)))
		}
		to := from + more
		if t.reason[r].kind == rest || max(more, -more) <= part(from, g.cfg.MinChange) {
			continue
		}
		out = append(out, Decision{Attempt: t.Attempt, Tracker: t.node.tracker, Resource: r, From: from, To: max(1, to),
			Reason: t.reason[r].text(r)})
	}
	return out
}
