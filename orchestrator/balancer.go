package orchestrator

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job/heartbeat"
)

// This file implements the performance balancer (section III, steps 3 and 4, and Algorithm 1). It
// grants the resources that the estimators request if that helps the job.

// balance moves resource r between the tasks of each node. It handles the groups one after another,
// starting with the one whose longest time left is greatest. In each group, it starts with the
// slowest task because a phase ends with that task. With Coordinate, if that task does not get the
// CPU that it needs, much faster tasks in the group get none either, because that would only hurt
// other jobs (section II-B).
func (c *Config) balance(p *cluster, r Resource) {
	order := make([]*group, len(p.groups))
	for i := range p.groups {
		order[i] = &p.groups[i]
	}
	slices.SortStableFunc(order, func(a, b *group) int { return cmp.Compare(b.critical, a.critical) })
	for _, g := range order {
		c.balanceGroup(g, r)
	}
}

func (c *Config) balanceGroup(g *group, r Resource) {
	if r == CPU && g.waits {
		return
	}
	waits := int64(0) // longest time left of the tasks so far that got less than a quarter of what they need
	for _, t := range g.tasks {
		if r == CPU && c.Coordinate && waits > part(t.Left, Million+c.Straggle) {
			return
		}
		need := t.Want[r] - t.have[r]
		if !t.short(r) || t.Answers == 0 || t.node.report.Capacity[r] == 0 || need <= part(t.have[r], c.MinChange) ||
			c.fund(t, r, need) < need/4 {
			waits = max(waits, t.Left)
		}
	}
}

// short reports whether a task should get more of resource r. For memory, an estimate above the
// current limit is enough because the limit must grow before the task needs it (Algorithm 1, line
// 2). For CPU, the detector must have found a deficit, so that no task gets CPU that it cannot use.
func (t *task) short(r Resource) bool {
	return t.verdict[r] == heartbeat.Deficit || r == Memory && t.Want[r] > t.have[r]
}

// fund moves up to need of resource r to task t and returns the amount moved. Memory comes first
// from the node's unassigned memory. CPU, and any memory still needed, comes from the node's other
// tasks, starting with the largest donor.
func (c *Config) fund(t *task, r Resource, need int64) (got int64) {
	n := t.node
	if r == Memory {
		got = min(need, max(0, n.free()))
	}
	donors := make([]donor, 0, len(n.tasks))
	for _, d := range n.tasks {
		if d != t {
			donors = append(donors, donor{d, c.give(d, r)})
		}
	}
	slices.SortStableFunc(donors, func(a, b donor) int { return cmp.Compare(b.give, a.give) })
	for _, d := range donors {
		x := min(d.give, need-got)
		if x <= 0 { // the need is met, or no other donor can give anything
			break
		}
		d.have[r] -= x
		d.reason[r] = reason{kind: gives, to: t.Attempt}
		got += x
	}
	t.have[r] += got
	if got > 0 && t.reason[r].kind == rest {
		t.reason[r] = reason{kind: grows, a: t.Usage[r], b: t.Want[r]}
	}
	return got
}

type donor struct {
	*task
	give int64
}

// free returns a node's unassigned memory. It is negative if the tasks have more memory than the
// node has.
func (n *node) free() int64 {
	free := n.report.Capacity[Memory]
	for _, t := range n.tasks {
		free -= t.have[Memory]
	}
	return free
}

// give returns how much of resource r a task can give away. The result is zero or negative if the
// task can give nothing.
func (c *Config) give(t *task, r Resource) int64 {
	if t.verdict[r] == heartbeat.Deficit {
		return 0
	}
	if r == Memory {
		return t.have[r] - max(c.FloorMemory, part(max(t.Usage[r], t.Want[r]), Million+c.Headroom))
	}
	floor := part(t.node.report.Capacity[r]/int64(len(t.node.tasks)), c.Floor)
	if !c.Coordinate {
		if t.Answers == 0 {
			return 0
		}
		return t.have[r] - max(floor, t.Want[r])
	}
	// Keep the unused part of a weight. No other task would gain from it, but this task would miss
	// it later.
	used := min(t.have[r], part(t.Usage[r], Million+c.Headroom))
	return used - max(floor, part(t.pace(r), Million+c.Headroom))
}

// pace returns the usage with which a task ends no later than the slowest task in its phase. With
// less, the job would have to wait for this task. If other tasks are still waiting for a slot, pace
// returns 0 because the phase ends with those tasks. If the time left is unknown, pace returns the
// current usage.
func (t *task) pace(r Resource) int64 {
	switch {
	case t.group.waits:
		return 0
	case t.Left <= 0:
		return t.Usage[r]
	}
	return part(t.Usage[r], share(t.Left, t.group.critical))
}
