package mrcluster

import (
	"cmp"
	"slices"
)

// shrink takes from everybody what is above his target: IP for nodes without data, DP for the others (FAW section 4.2.2).
func (m *Machine) shrink() {
	for _, c := range m.deployed() {
		surplus := c.surplus(m.now)
		if surplus == 0 {
			continue
		}
		for _, n := range m.leavers(c)[:surplus] {
			f := Fact{Kind: NodeDraining, Node: n.name, Cluster: c.spec.Name, Reason: "the MR-cluster shrinks"}
			if !n.holdsData() && (n.state == Starting || m.cfg.Shrink == ByKind) {
				f.Kind = NodeReleased
			}
			m.emit(f)
		}
	}
}

// leavers lists the nodes that may go, in the order in which they do: those that do nothing yet, then by stored data, the
// least first; of equals the one that came last.
func (m *Machine) leavers(c *cluster) []*node {
	l := slices.DeleteFunc(slices.Clone(c.nodes), func(n *node) bool { return !n.mayLeave(m.now) })
	slices.SortFunc(l, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.stored, b.stored), cmp.Compare(b.since, a.since), cmp.Compare(a.name, b.name))
	})
	return l
}

func (n *node) rank() int {
	if n.state == Starting {
		return 0
	}
	return 1
}

// place hands out free nodes: first to complete minimum shares, first come first served, then one by one to who is furthest
// below his target.
func (m *Machine) place() {
	free := slices.DeleteFunc(slices.Clone(m.order), func(n *node) bool { return n.state != Free })
	give := func(c *cluster, k Kind) bool {
		at := slices.IndexFunc(free, func(n *node) bool { return n.usable(c, m.now) })
		if at < 0 {
			return false
		}
		m.give(free[at], c, k)
		free = slices.Delete(free, at, at+1)
		return true
	}
	deployed := m.deployed()
	for _, c := range deployed {
		for c.lacks() > 0 && give(c, Core) {
		}
	}
	for len(deployed) > 0 {
		c := neediest(deployed)
		if c == nil {
			return
		}
		if n := c.draining(); n != nil {
			m.keep(n, "the MR-cluster grows again")
		} else if !give(c, m.growsBy(c)) {
			deployed = slices.DeleteFunc(deployed, func(x *cluster) bool { return x == c })
		}
	}
}

func (m *Machine) growsBy(c *cluster) Kind { return cmp.Or(c.spec.Grow, m.cfg.Grow) }

func (m *Machine) give(n *node, c *cluster, k Kind) {
	m.emit(Fact{Kind: NodeAssigned, Node: n.name, Cluster: c.spec.Name, Deployment: c.deployment, NodeKind: k, Master: k == Core && c.master() == nil})
}

// neediest is who is furthest below his target, the first of equals; nil = nobody is. Core nodes that are missing come first
// and have been looked for.
func neediest(list []*cluster) *cluster {
	var best *cluster
	most := 0
	for _, c := range list {
		if d := c.target - c.held() - c.lacks(); c.state == Active && d > most {
			best, most = c, d
		}
	}
	return best
}

// draining is the node of an MR-cluster that has most left to move, nil = none is leaving.
func (c *cluster) draining() *node {
	var best *node
	for _, n := range c.nodes {
		if n.state == Draining && (best == nil || n.left > best.left) {
			best = n
		}
	}
	return best
}
