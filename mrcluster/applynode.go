package mrcluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// nodeSteps defines, for each fact that applyNode applies, the states in which the fact is valid
// and the resulting state.
var nodeSteps = map[FactKind]struct {
	from []NodeState
	to   NodeState
}{
	NodeFreed:     {[]NodeState{Clearing}, Free},
	NodeAssigned:  {[]NodeState{Free}, Starting},
	NodeTakenBack: {[]NodeState{Lost, Clearing}, Up},
	NodeUp:        {[]NodeState{Starting}, Up},
	NodeDraining:  {[]NodeState{Starting, Up}, Draining},
	NodeKept:      {[]NodeState{Draining}, Up},
	NodeReleased:  {[]NodeState{Starting, Up, Draining}, Clearing},
	NodeLost:      {[]NodeState{Free, Starting, Up, Draining, Clearing}, Lost},
}

func (m *Machine) applyJoined(f *Fact) error {
	n := m.nodes[f.Node]
	if f.Node == "" || n != nil && n.state != Lost {
		return errors.New("the node already exists")
	}
	if n == nil {
		n = &node{name: f.Node}
		m.nodes[f.Node] = n
		at, _ := slices.BinarySearchFunc(m.order, f.Node,
			func(n *node, name string) int { return strings.Compare(n.name, name) })
		m.order = slices.Insert(m.order, at, n)
	}
	n.addr, n.state, n.since, n.was = f.Addr, Clearing, f.Time, assignment{}
	return nil
}

func (m *Machine) applyForgotten(f *Fact) error {
	n := m.nodes[f.Node]
	if n == nil || n.state != Lost {
		return errors.New("the node is not lost")
	}
	delete(m.nodes, f.Node)
	m.order = slices.DeleteFunc(slices.Clone(m.order), func(x *node) bool { return x == n })
	return nil
}

func (m *Machine) applyNode(f *Fact) error {
	n := m.nodes[f.Node]
	if n == nil {
		return errors.New("no such node")
	}
	step := nodeSteps[f.Kind]
	if !slices.Contains(step.from, n.state) {
		return fmt.Errorf("not allowed in state %v", n.state)
	}
	switch f.Kind {
	case NodeAssigned, NodeTakenBack:
		if err := m.assign(n, f); err != nil {
			return err
		}
	case NodeKept:
		if f.NodeKind != 0 && !n.master {
			n.kind = f.NodeKind
		}
	case NodeFreed:
		n.was = assignment{}
	case NodeReleased, NodeLost:
		if n.cluster != nil && !f.Drained {
			n.was = assignment{n.cluster.spec.Name, n.cluster.deployment, n.kind}
		}
		n.detach()
	}
	switch {
	case f.Kind == NodeUp:
		m.starts.add(f.Time - n.since)
	case f.Kind == NodeReleased && f.Drained:
		m.drains.add(f.Time - n.since)
	}
	n.state, n.since = step.to, f.Time
	return nil
}

func (m *Machine) assign(n *node, f *Fact) error {
	c := m.clusters[f.Cluster]
	switch {
	case c == nil || !c.state.deployed() || c.deployment != f.Deployment:
		return errors.New("no such deployment")
	case f.NodeKind < Core || f.NodeKind > TransientCore:
		return errors.New("the kind of node is invalid")
	case f.Master && c.master() != nil:
		return errors.New("the MR-cluster already has a master")
	}
	n.cluster, n.kind, n.master, n.was = c, f.NodeKind, f.Master, assignment{}
	n.stored, n.left, n.problem, n.doing = 0, 0, "", ""
	at, _ := slices.BinarySearchFunc(c.nodes, n.name,
		func(x *node, name string) int { return strings.Compare(x.name, name) })
	c.nodes = slices.Insert(c.nodes, at, n)
	return nil
}

// detach removes a node from its MR-cluster and drops the node's measurements, which are
// meaningless elsewhere. It also records the loss of a master.
func (n *node) detach() {
	if c := n.cluster; c != nil {
		c.headless = c.headless || n.master
		c.nodes = slices.DeleteFunc(slices.Clone(c.nodes), func(x *node) bool { return x == n })
	}
	n.cluster, n.kind, n.master = nil, 0, false
	n.stored, n.left, n.keep, n.down = 0, 0, 0, 0
}
