package orchestrator

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
)

// Global is the Global Resource Manager. It belongs to one goroutine.
type Global struct {
	cfg     Config
	nodes   []*node // by tracker
	born    int64
	round   int64 // epochs so far
	due     int64 // when the next epoch begins
	decide  int64 // when this epoch's decisions are due; 0 = there is nothing to decide
	picture cluster
}

// NewGlobal makes the manager; its first epoch begins one epoch after now. The configuration must be valid.
func NewGlobal(c Config, now int64) *Global {
	return &Global{cfg: c, born: now, due: now + c.Epoch, picture: cluster{local: !c.Coordinate}}
}

func (g *Global) find(tracker int32) (int, bool) {
	return slices.BinarySearchFunc(g.nodes, tracker, func(n *node, t int32) int { return cmp.Compare(n.tracker, t) })
}

// Hear takes a node's report. The report is copied.
func (g *Global) Hear(now int64, tracker int32, r *Report) {
	i, ok := g.find(tracker)
	if !ok {
		g.nodes = slices.Insert(g.nodes, i, &node{tracker: tracker})
	}
	n := g.nodes[i]
	n.heard = now
	n.report.Capacity, n.report.Tasks = r.Capacity, append(n.report.Tasks[:0], r.Tasks...)
}

// Knows tells whether a node was heard of lately, or had no time yet to be heard of. Of others nothing is decided any more.
func (g *Global) Knows(now int64, tracker int32) bool {
	_, ok := g.find(tracker)
	return ok || now-g.born <= silence*g.cfg.Epoch
}

// silence is for how many epochs a node may say nothing.
const silence = 2

// Gone forgets a node.
func (g *Global) Gone(tracker int32) {
	if i, ok := g.find(tracker); ok {
		g.nodes = slices.Delete(g.nodes, i, i+1)
	}
}

// NextDeadline is when Tick is due, in milliseconds since the epoch.
func (g *Global) NextDeadline() int64 {
	if g.decide > 0 {
		return min(g.due, g.decide)
	}
	return g.due
}

// Waits tells whether tasks of a job's phase wait for a slot: what the JobTracker knows and no node does. nil = none ever do.
type Waits func(job int32, t job.TaskType) bool

// Tick does what is due and appends what is to be changed to out. An epoch begins with the detector, whose advice travels with
// the beats; in its middle, when the estimates are back, the balancer decides.
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

// look takes and judges a picture of the nodes that were heard lately.
func (g *Global) look(now int64, waits Waits) {
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return now-n.heard > silence*g.cfg.Epoch })
	if !g.cfg.Coordinate {
		waits = nil
	}
	g.picture.look(g.nodes, waits)
	g.cfg.detect(&g.picture)
}

// Unadvised tells whether there is advice for a node that it has not been given.
func (g *Global) Unadvised(tracker int32) bool {
	i, ok := g.find(tracker)
	return ok && g.decide > 0 && g.nodes[i].advised != g.round
}

// Advice appends what a node is to know of its tasks in this epoch.
func (g *Global) Advice(tracker int32, out []Advice) []Advice {
	i, ok := g.find(tracker)
	if !ok || g.decide == 0 {
		return out
	}
	g.nodes[i].advised = g.round
	for _, t := range g.nodes[i].tasks {
		out = append(out, Advice{Attempt: t.Attempt, Epoch: g.round, Verdict: t.verdict, Mean: t.group.mean, Target: t.group.target, Whole: t.group.waits, Pressed: t.pressed})
	}
	return out
}

// balance decides by what the nodes answered.
func (g *Global) balance(now int64, waits Waits, out []Decision) []Decision {
	g.look(now, waits)
	for i := range g.picture.all {
		if t := &g.picture.all[i]; t.Answers != g.round { // to older advice, or none
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

// changes tells how a task's allocation differs from what it has now. CPU becomes a weight again. What was moved is added to the weight
// rather than the weight made anew: all weights of a node together stay what they were, so that tasks which come later find their part.
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
		out = append(out, Decision{Attempt: t.Attempt, Tracker: t.node.tracker, Resource: r, From: from, To: max(1, to), Reason: t.reason[r].text(r)})
	}
	return out
}
