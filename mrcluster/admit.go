package mrcluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// admit admits requests from the head of the FIFO queue while their minimum shares fit into the
// pool (FAW section 4.2.1). No request overtakes another. An operator size counts as a minimum share
// once its MR-cluster is admitted.
func (m *Machine) admit() {
	reserved := 0
	for _, c := range m.deployed() {
		reserved += c.floor
	}
	for _, c := range m.queue() {
		if reserved+c.spec.Core > m.capacity() {
			return
		}
		reserved += max(c.spec.Core, c.size)
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

// makeRoom makes room for MR-clusters below their floors if the nodes that are free or becoming
// free do not suffice. One node at a time, it lowers the target of the MR-cluster that exceeds its
// weighted share the most (FAW section 4.2.1). It never lowers a target below the floor.
func (m *Machine) makeRoom() {
	deployed := m.deployed()
	missing := -m.coming(deployed)
	for _, c := range deployed {
		missing += c.lacks() + c.short() - c.surplus(m.now)
	}
	if missing <= 0 {
		return
	}
	shares := Shares(m.capacity(), claims(deployed))
	less := map[*cluster]bool{}
	for ; missing > 0; missing-- {
		from, most := -1, 0
		for i, c := range deployed {
			has := min(c.goal(), c.held())
			if c.leavable(m.now) > c.surplus(m.now) && has > c.floor && (from < 0 || has-shares[i] > most) {
				from, most = i, has-shares[i]
			}
		}
		if from < 0 {
			break
		}
		c := deployed[from]
		c.target = min(c.goal(), c.held()) - 1
		less[c] = true
	}
	if len(less) > 0 {
		m.emit(Fact{Kind: RoomMade, Shares: told(deployed, func(c *cluster) bool { return less[c] }),
			Reason: wanting(deployed)})
	}
}

// wanting returns a text that lists the MR-clusters without enough nodes.
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
		if n := c.short(); n > 0 {
			out = append(out, fmt.Sprintf("%s is %d below its operator size", c.spec.Name, n))
		}
	}
	return strings.Join(out, ", ")
}

// deployed returns the MR-clusters that have a claim on nodes, in deployment order. It sets their
// floors. All core nodes come first. The other nodes serve the operator sizes in deployment order,
// as far as the pool has nodes.
func (m *Machine) deployed() []*cluster {
	d := slices.DeleteFunc(slices.Clone(m.byName), func(c *cluster) bool { return !c.state.deployed() })
	slices.SortFunc(d, func(a, b *cluster) int { return cmp.Compare(a.deployment, b.deployment) })
	rest := m.capacity()
	for _, c := range d {
		rest -= c.spec.Core
	}
	for _, c := range d {
		more := min(c.minimum()-c.spec.Core, max(0, rest))
		c.floor = c.spec.Core + more
		rest -= more
	}
	return d
}

// coming returns the number of nodes that are becoming free, plus those that are free and usable by
// an MR-cluster below its floor.
func (m *Machine) coming(list []*cluster) int {
	n := 0
	for _, x := range m.order {
		may := func(c *cluster) bool { return c.lacks()+c.short() > 0 && x.usable(c, m.now) }
		if x.state == Clearing || x.state == Draining || x.state == Free && slices.ContainsFunc(list, may) {
			n++
		}
	}
	return n
}

func claims(list []*cluster) []Claim {
	out := make([]Claim, len(list))
	for i, c := range list {
		out[i].Core = c.floor
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
