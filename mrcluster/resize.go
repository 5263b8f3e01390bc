package mrcluster

import (
	"cmp"
	"slices"
)

// shrink releases surplus nodes of MR-clusters above their target (FAW section 4.2.2). Nodes that
// hold no data leave immediately (IP) if they are still starting or the policy for shrinking is
// ByKind. All other nodes drain first (DP).
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

// leavers returns the nodes that may leave now, in the order in which to release them. Nodes that
// are still starting come first. The others follow in the order of their stored data, least first.
// Among equals, the node that changed state last comes first.
func (m *Machine) leavers(c *cluster) []*node {
	l := slices.DeleteFunc(slices.Clone(c.nodes), func(n *node) bool { return !n.mayLeave(m.now) })
	slices.SortFunc(l, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.stored, b.stored), cmp.Compare(b.since, a.since),
			cmp.Compare(a.name, b.name))
	})
	return l
}

func (n *node) rank() int {
	if n.state == Starting {
		return 0
	}
	return 1
}

// place assigns free nodes. First, it completes the core nodes in FIFO order, and then the floors.
// Then it repeatedly adds one node to the MR-cluster furthest below its target. If a node is leaving
// that MR-cluster, place cancels the node's drain; otherwise, it assigns a free node.
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
	grow := func(c *cluster) bool {
		if n := c.draining(); n != nil {
			m.keep(n, "the MR-cluster is growing again")
			return true
		}
		return give(c, m.growsBy(c))
	}
	deployed := m.deployed()
	for _, c := range deployed {
		for c.lacks() > 0 && give(c, Core) {
		}
	}
	for _, c := range deployed {
		for c.short() > 0 && grow(c) {
		}
	}
	for {
		c := neediest(deployed)
		if c == nil {
			return
		}
		if !grow(c) {
			deployed = slices.DeleteFunc(deployed, func(x *cluster) bool { return x == c })
		}
	}
}

func (m *Machine) growsBy(c *cluster) Kind { return cmp.Or(c.spec.Grow, m.cfg.Grow) }

func (m *Machine) give(n *node, c *cluster, k Kind) {
	m.emit(Fact{Kind: NodeAssigned, Node: n.name, Cluster: c.spec.Name, Deployment: c.deployment, NodeKind: k,
		Master: k == Core && c.master() == nil})
}

// neediest returns the active MR-cluster that is furthest below its target, or the first one in a
// tie. It returns nil if no active MR-cluster is below its target. It does not count missing core
// nodes, because place handles them separately.
func neediest(list []*cluster) *cluster {
	var best *cluster
	most := 0
	for _, c := range list {
		if d := c.goal() - c.held() - c.lacks(); c.state == Active && d > most {
			best, most = c, d
		}
	}
	return best
}

// draining returns an MR-cluster's leaving node with the most data left to move, or nil if no node
// is leaving.
func (c *cluster) draining() *node {
	var best *node
	for _, n := range c.nodes {
		if n.state == Draining && (best == nil || n.left > best.left) {
			best = n
		}
	}
	return best
}
