package mrcluster

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// report processes an agent's report about its node.
func (m *Machine) report(r *Report) *failure.Error {
	const op = "report a node"
	if r == nil || r.Node == "" {
		return failure.New(failure.Usage, op, "", errors.New("a node needs a name"))
	}
	n := m.nodes[r.Node]
	if n == nil && len(m.order) >= m.cfg.MaxNodes {
		return failure.New(failure.Limit, op, r.Node, fmt.Errorf("the pool already has %d nodes", len(m.order)))
	}
	if n != nil && n.state != Lost && n.rival(r, m.now) {
		return failure.New(failure.Exists, op, r.Node, fmt.Errorf("another agent with this name reports from %s", n.addr)).
			Fix("give each agent its own howdah.mrcluster.agent.name")
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

// rivalry is the minimum time in milliseconds for which an agent counts as alive after a report.
const rivalry = 3000

// rival reports whether the report is from a second agent with the same name while the first
// agent's last report is still recent. A restarted agent therefore counts as a rival of its
// predecessor for a while.
func (n *node) rival(r *Report, now int64) bool {
	return n.voice != "" && n.voice != r.agent() && now-n.heard < max(rivalry, 2*n.beat)
}

func (r *Report) agent() string { return cmp.Or(r.Agent, r.Addr) }

// running returns the report's entry for the node's current deployment, or nil if the node is not
// running it.
func (n *node) running(r *Report) *Running {
	for i := range r.Runs {
		if x := &r.Runs[i]; n.cluster != nil && x.Cluster == n.cluster.spec.Name && x.Deployment == n.cluster.deployment {
			return x
		}
	}
	return nil
}

// takeBack returns a lost or released node to its last MR-cluster if the node is still running that
// MR-cluster's daemons and may hold the only copy of some data.
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
		m.emit(Fact{Kind: NodeTakenBack, Node: n.name, Cluster: c.spec.Name, Deployment: c.deployment, NodeKind: kind,
			Reason: "the node may hold data"})
		return
	}
}

// creditor returns the MR-cluster for which a lost or released node may hold the only copy of some
// data, or nil. A deploying MR-cluster counts. It has no such data yet, but a node whose reports do
// not arrive can still store data for it.
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

// startFailed releases a node whose daemons did not start or stayed down, so that another node can
// replace it. If the node might hold data, startFailed drains it instead. If the MR-cluster is
// still being deployed, and the node is its master or too many of its nodes have failed,
// startFailed retries the whole deployment.
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
	f := Fact{Kind: NodeReleased, Node: n.name, Cluster: c.spec.Name, Reason: "the node did not start: " + why}
	if n.holdsData() {
		f.Kind = NodeDraining
	}
	m.emit(f)
}

// well clears the recorded problems of a node whose daemons are up.
func (n *node) well() { n.down, n.problem, n.failure, n.failed = 0, "", "", 0 }

// up checks a node that was up. If its daemons stay down too long, up replaces the node, unless the
// node holds data.
func (m *Machine) up(n *node, run *Running) {
	if run != nil && run.Phase == PhaseUp {
		n.well()
		return
	}
	n.problem = "the daemons are not running"
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

// desired describes the daemons that a node must run.
func (m *Machine) desired(n *node) Desired {
	c := n.cluster
	if c == nil {
		return Desired{}
	}
	d := Desired{Cluster: c.spec.Name, Deployment: c.deployment, Kind: n.kind, Master: n.master,
		Drain: n.state == Draining, Spec: &c.spec}
	if master := c.master(); master != nil {
		d.MasterNode, d.MasterAddr = master.name, master.addr
	}
	if n.master {
		d.Saving, d.Coming = c.state == Saving, m.change(c)
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

// expire handles nodes that have been lost, silent, starting, or draining for too long.
func (m *Machine) expire() {
	for _, n := range m.order {
		switch {
		case n.state == Lost:
			if m.now-n.since >= m.cfg.MasterExpiry && m.creditor(n) == nil {
				m.emit(Fact{Kind: NodeForgotten, Node: n.name, Reason: "the node has not returned"})
			}
		case m.now-n.heard >= m.expiry(n):
			f := Fact{Kind: NodeLost, Node: n.name, Reason: "the agent stopped reporting"}
			if n.cluster != nil {
				f.Cluster = n.cluster.spec.Name
			}
			m.emit(f)
		case n.state == Starting && m.now-n.since >= m.cfg.startTimeout(n.cluster):
			m.startFailed(n, strings.TrimSuffix("start timed out; "+n.doing, "; "))
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

// drainFailed handles a drain that took too long. It keeps a node that may hold the only copy of
// some data and releases any other node.
func (m *Machine) drainFailed(n *node) {
	const reason = "draining took too long"
	if n.holdsData() {
		n.keep = m.now + m.cfg.DrainTimeout
		m.keep(n, reason)
		return
	}
	m.emit(Fact{Kind: NodeReleased, Node: n.name, Cluster: n.cluster.spec.Name, Reason: reason})
}

// keep cancels a node's drain. A core node that the MR-cluster has already replaced becomes
// transient-core.
func (m *Machine) keep(n *node, reason string) {
	kind := n.kind
	if kind == Core && n.cluster.lacks() == 0 {
		kind = TransientCore
	}
	m.emit(Fact{Kind: NodeKept, Node: n.name, Cluster: n.cluster.spec.Name, NodeKind: kind, Reason: reason})
}
