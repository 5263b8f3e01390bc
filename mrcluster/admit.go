package mrcluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// admit admits requests from the head of the FIFO queue while their minimum shares fit into the
// pool (FAW section 4.2.1). No request overtakes another.
func (m *Machine) admit() {
	reserved := 0
	for _, c := range m.byName {
		if c.state.deployed() {
			reserved += c.spec.Core
		}
	}
	for _, c := range m.queue() {
		if reserved+c.spec.Core > m.capacity() {
			return
		}
		reserved += c.spec.Core
		m.emit(Fact{Kind: ClusterAdmitted, Cluster: c.spec.Name, Deployment: m.deployments + 1})
	}
}

// capacity returns the number of nodes that are not lost.
func (m *Machine) capacity() int {
	n := 0
	for _, x := range m.order {
		if x.state != Lost {
			n++
		}
	}
	return n
}

// makeRoom makes room for MR-clusters that lack core nodes if the nodes that are free or becoming
// free do not suffice. One node at a time, it lowers the target of the MR-cluster that exceeds its
// weighted share the most (FAW section 4.2.1). It never lowers a target below the minimum.
func (m *Machine) makeRoom() {
	deployed := m.deployed()
	missing := -m.coming(deployed)
	for _, c := range deployed {
		missing += c.lacks() - c.surplus(m.now)
	}
	if missing <= 0 {
		return
	}
	shares := Shares(m.capacity(), claims(deployed))
	less := map[*cluster]bool{}
	for ; missing > 0; missing-- {
		from, most := -1, 0
		for i, c := range deployed {
			has := min(c.target, c.held())
			if c.leavable(m.now) > c.surplus(m.now) && has > c.spec.Core && (from < 0 || has-shares[i] > most) {
				from, most = i, has-shares[i]
			}
		}
		if from < 0 {
			break
		}
		c := deployed[from]
		c.target = min(c.target, c.held()) - 1
		less[c] = true
	}
	if len(less) > 0 {
		m.emit(Fact{Kind: RoomMade, Shares: told(deployed, func(c *cluster) bool { return less[c] }),
			Reason: wanting(deployed)})
	}
}

// wanting returns a text that lists the MR-clusters without enough core nodes.
func wanting(list []*cluster) string {
	var out []string
	for _, c := range list {
		if n := c.lacks(); n > 0 {
			text := "%s lacks %d core nodes"
			if n == 1 {
				text = "%s lacks %d core node"
			}
			out = append(out, fmt.Sprintf(text, c.spec.Name, n))
		}
	}
	return strings.Join(out, ", ")
}

// deployed returns the MR-clusters that have a claim on nodes, in deployment order.
func (m *Machine) deployed() []*cluster {
	d := slices.DeleteFunc(slices.Clone(m.byName), func(c *cluster) bool { return !c.state.deployed() })
	slices.SortFunc(d, func(a, b *cluster) int { return cmp.Compare(a.deployment, b.deployment) })
	return d
}

// coming returns the number of nodes that are becoming free, plus those that are free and usable by
// an MR-cluster that lacks core nodes.
func (m *Machine) coming(list []*cluster) int {
	n := 0
	for _, x := range m.order {
		may := func(c *cluster) bool { return c.lacks() > 0 && x.usable(c, m.now) }
		if x.state == Clearing || x.state == Draining || x.state == Free && slices.ContainsFunc(list, may) {
			n++
		}
	}
	return n
}

func claims(list []*cluster) []Claim {
	out := make([]Claim, len(list))
	for i, c := range list {
		out[i].Core = c.spec.Core
		if c.state == Active {
			out[i].Weight = c.weight
		}
	}
	return out
}

// told returns, for a fact, the current shares of the MR-clusters that a function selects.
func told(list []*cluster, of func(*cluster) bool) []Share {
	var out []Share
	for _, c := range list {
		if of(c) {
			out = append(out, Share{Cluster: c.spec.Name, Nodes: c.target, Weight: c.weight, Discrimination: c.last})
		}
	}
	return out
}
