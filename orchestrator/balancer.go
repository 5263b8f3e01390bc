package orchestrator

import (
	"cmp"
	"slices"
)

// The performance balancer (section III, steps 3 and 4; Algorithm 1): of what the estimators want it approves what helps.

// balance moves a resource between the tasks of each node. A job's phase ends with its slowest task, so it is gone through from
// there. Where that one gets no more, CPU for much faster siblings would only hurt others (section II-B); memory that a donor
// does not use hurts nobody.
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
	waits := int64(0) // for a sibling that needs so long and gets no more
	for _, t := range g.tasks {
		if r == CPU && c.Coordinate && waits > part(t.Left, Million+c.Straggle) {
			return
		}
		need := t.Want[r] - t.have[r]
		if !t.short(r) || t.Answers == 0 || t.node.report.Capacity[r] == 0 || need <= part(t.have[r], c.MinChange) || c.fund(t, r, need) < need/4 {
			waits = max(waits, t.Left)
		}
	}
}

// short tells whether a task is to get more. Memory is more than nothing only before it is needed, so there the estimate alone decides
// (Algorithm 1, line 2); more CPU than a task can use is taken from others for nothing.
func (t *task) short(r Resource) bool {
	return t.verdict[r] == Deficit || r == Memory && t.Want[r] > t.have[r]
}

// fund gives a task up to need more: of memory first what nobody has, then from the tasks beside it that have most to give.
func (c *Config) fund(t *task, r Resource, need int64) (got int64) {
	n := t.node
	if r == Memory {
		got = min(need, max(0, n.free()))
	}
	donors := make([]donor, 0, len(n.tasks))
	for _, d := range n.tasks {
		if give := c.give(d, r); d != t && give > 0 {
			donors = append(donors, donor{d, give})
		}
	}
	slices.SortStableFunc(donors, func(a, b donor) int { return cmp.Compare(b.give, a.give) })
	for _, d := range donors {
		x := min(d.give, need-got)
		if x <= 0 {
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

// free is the memory of a node that no task has.
func (n *node) free() int64 {
	free := n.report.Capacity[Memory]
	for _, t := range n.tasks {
		free -= t.have[Memory]
	}
	return free
}

// give is what a task can do without.
func (c *Config) give(t *task, r Resource) int64 {
	if t.verdict[r] == Deficit {
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
	// A weight that is not made use of gives nobody a thing, and its owner would miss it later.
	used := min(t.have[r], part(t.Usage[r], Million+c.Headroom))
	return used - max(floor, part(t.pace(r), Million+c.Headroom))
}

// pace is the use with which a task ends no later than the slowest of its phase: less would make its job wait for it. No job waits for
// a task of a phase of which others have not even begun.
func (t *task) pace(r Resource) int64 {
	switch {
	case t.group.waits:
		return 0
	case t.Left <= 0 || t.group.critical <= 0:
		return t.Usage[r]
	}
	return part(t.Usage[r], share(t.Left, t.group.critical))
}
