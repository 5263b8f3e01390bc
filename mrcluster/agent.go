package mrcluster

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// report takes over what an agent says of its node.
func (m *Machine) report(r *Report) *failure.Error {
	const op = "report a node"
	if r == nil || r.Node == "" {
		return failure.New(failure.Usage, op, "", errors.New("a node needs a name"))
	}
	n := m.nodes[r.Node]
	if n == nil && len(m.order) >= m.cfg.MaxNodes {
		return failure.New(failure.Limit, op, r.Node, fmt.Errorf("the pool has %d nodes already", len(m.order)))
	}
	if n != nil && n.state != Lost && n.rival(r, m.now) {
		return failure.New(failure.Exists, op, r.Node, fmt.Errorf("another agent of this name reports from %s", n.addr)).
			Fix("give each agent a howdah.mrcluster.agent.name of its own")
	}
	if n != nil && (n.state == Lost || n.state == Clearing) {
		m.takeBack(n, r)
	}
	if n == nil || n.state == Lost {
		m.emit(Fact{Kind: NodeJoined, Node: r.Node, Addr: r.Addr})
		n = m.nodes[r.Node]
	}
	n.beat = 0
	if n.voice == r.agent() {
		n.beat = m.now - n.heard
	}
	n.heard, n.addr, n.voice = m.now, r.Addr, r.agent()
	run := n.running(r)
	switch n.state {
	case Clearing:
		if len(r.Runs) == 0 {
			m.emit(Fact{Kind: NodeFreed, Node: n.name})
		}
	case Starting:
		m.starting(n, run)
	case Up:
		m.up(n, run)
	case Draining:
		if run != nil {
			n.left, n.problem = run.Left, run.Err
			if run.Phase == PhaseDrained {
				m.emit(Fact{Kind: NodeReleased, Node: n.name, Cluster: n.cluster.spec.Name, Drained: true, Reason: "drained"})
			}
		}
	}
	return nil
}

// rivalry is for how long at least an agent is not taken for gone that was just heard.
const rivalry = 3000

// rival tells whether a report comes from a second agent of the same name: the first one was heard a moment ago. One that was started again
// is taken for that too, for the moment.
func (n *node) rival(r *Report, now int64) bool {
	return n.voice != "" && n.voice != r.agent() && now-n.heard < max(rivalry, 2*n.beat)
}

func (r *Report) agent() string { return cmp.Or(r.Agent, r.Addr) }

// running finds what a node should run among what it does, nil = it does not.
func (n *node) running(r *Report) *Running {
	for i := range r.Runs {
		if x := &r.Runs[i]; n.cluster != nil && x.Cluster == n.cluster.spec.Name && x.Deployment == n.cluster.deployment {
			return x
		}
	}
	return nil
}

// takeBack lets a node that was given up go on where it was if it still runs there and may hold the only copy of something.
func (m *Machine) takeBack(n *node, r *Report) {
	c := m.creditor(n)
	if c == nil || c.state == Deploying {
		return
	}
	for _, x := range r.Runs {
		if x.Cluster != n.was.cluster || x.Deployment != n.was.deployment {
			continue
		}
		kind := TransientCore
		if n.was.kind == Core && c.lacks() > 0 {
			kind = Core
		}
		m.emit(Fact{Kind: NodeTakenBack, Node: n.name, Cluster: c.spec.Name, Deployment: c.deployment, NodeKind: kind, Reason: "it may hold data"})
		return
	}
}

// creditor is the MR-cluster of which a node that was given up may hold the only copy of something, nil = there is none. While it is
// deployed there is none yet, but a node that only we do not hear of goes on storing for it.
func (m *Machine) creditor(n *node) *cluster {
	c := m.clusters[n.was.cluster]
	if c == nil || !c.state.deployed() || c.deployment != n.was.deployment || !c.spec.HDFS || !n.was.kind.MayStore() {
		return nil
	}
	return c
}

func (m *Machine) starting(n *node, run *Running) {
	switch {
	case run == nil:
		n.doing = ""
	case run.Err != "":
		m.startFailed(n, run.Err)
	case run.Phase == PhaseUp:
		n.fails = 0
		n.well()
		m.emit(Fact{Kind: NodeUp, Node: n.name, Cluster: n.cluster.spec.Name})
	default:
		n.doing = run.Doing
	}
}

// startFailed tries another node, or the whole deployment anew.
func (m *Machine) startFailed(n *node, why string) {
	c := n.cluster
	n.problem = why
	n.failure, n.failed = "failed in "+c.spec.Name+": "+why, m.now
	if n.fails == 0 {
		n.blamed = c.spec.Name
	} else if n.blamed != c.spec.Name {
		n.blamed = ""
	}
	n.fails++
	n.avoid = m.now + m.cfg.Retry<<min(n.fails, 6)
	c.failed++
	if c.state == Deploying && (n.master || c.failed >= m.cfg.Attempts) {
		m.retry(c, fmt.Sprintf("%s did not start: %s", n.name, why))
		return
	}
	f := Fact{Kind: NodeReleased, Node: n.name, Cluster: c.spec.Name, Reason: "it did not start: " + why}
	if n.holdsData() {
		f.Kind = NodeDraining
	}
	m.emit(f)
}

// well forgets what was wrong with a node whose daemons are up.
func (n *node) well() { n.down, n.problem, n.failure, n.failed = 0, "", "", 0 }

// up watches a node that was up. One that holds data is waited for; another is replaced.
func (m *Machine) up(n *node, run *Running) {
	if run != nil && run.Phase == PhaseUp {
		n.well()
		return
	}
	n.problem = "its daemons are not up"
	if run != nil && run.Err != "" {
		n.problem = run.Err
	}
	if n.down == 0 {
		n.down = m.now
	}
	if m.now-n.down >= m.cfg.startTimeout(n.cluster) && !n.holdsData() {
		m.startFailed(n, n.problem)
	}
}

// desired is what a node should run now.
func (m *Machine) desired(n *node) Desired {
	c := n.cluster
	if c == nil {
		return Desired{}
	}
	d := Desired{Cluster: c.spec.Name, Deployment: c.deployment, Kind: n.kind, Master: n.master, Drain: n.state == Draining, Spec: &c.spec}
	if master := c.master(); master != nil {
		d.MasterNode, d.MasterAddr = master.name, master.addr
	}
	if n.master {
		d.Saving = c.state == Saving
		for _, x := range c.nodes {
			if x.state == Draining {
				d.Leaving = append(d.Leaving, x.name)
			} else {
				d.Staying = append(d.Staying, x.name)
			}
		}
	}
	return d
}

// expire does what is due because something did not happen.
func (m *Machine) expire() {
	for _, n := range m.order {
		switch {
		case n.state == Lost:
			if m.now-n.since >= m.cfg.MasterExpiry && m.creditor(n) == nil {
				m.emit(Fact{Kind: NodeForgotten, Node: n.name, Reason: "it has not come back"})
			}
		case m.now-n.heard >= m.expiry(n):
			f := Fact{Kind: NodeLost, Node: n.name, Reason: "its agent is silent"}
			if n.cluster != nil {
				f.Cluster = n.cluster.spec.Name
			}
			m.emit(f)
		case n.state == Starting && m.now-n.since >= m.cfg.startTimeout(n.cluster):
			m.startFailed(n, strings.TrimSuffix("not in time; "+n.doing, "; "))
		case n.state == Draining && m.now-n.since >= m.cfg.DrainTimeout:
			m.drainFailed(n)
		}
	}
}

func (m *Machine) expiry(n *node) int64 {
	if n.master {
		return m.cfg.MasterExpiry
	}
	return m.cfg.Expiry
}

// drainFailed: a node that may hold the only copy of something stays; another leaves as it is.
func (m *Machine) drainFailed(n *node) {
	const reason = "draining took too long"
	if n.holdsData() {
		n.keep = m.now + m.cfg.DrainTimeout
		m.keep(n, reason)
		return
	}
	m.emit(Fact{Kind: NodeReleased, Node: n.name, Cluster: n.cluster.spec.Name, Reason: reason})
}

// keep calls off a drain. A core node whose place has been taken stays as one that may leave.
func (m *Machine) keep(n *node, reason string) {
	kind := n.kind
	if kind == Core && n.cluster.lacks() == 0 {
		kind = TransientCore
	}
	m.emit(Fact{Kind: NodeKept, Node: n.name, Cluster: n.cluster.spec.Name, NodeKind: kind, Reason: reason})
}
