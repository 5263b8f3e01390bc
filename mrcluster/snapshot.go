package mrcluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// State is the durable state of a machine. When a journal becomes long, the driver replaces it with
// a new one whose first fact is a Snapshot with the State.
type State struct {
	Clusters         []SavedCluster `json:"clusters,omitempty"` // by name
	Nodes            []SavedNode    `json:"nodes,omitempty"`    // by name
	Tickets          int64          `json:"tickets"`
	Deployments      int64          `json:"deployments"`
	Reconfigurations int64          `json:"reconfigurations"`
}

// A SavedCluster is the durable state of an MR-cluster.
type SavedCluster struct {
	Spec       Spec         `json:"spec"`
	State      ClusterState `json:"state"`
	Since      int64        `json:"since"`
	Queued     int64        `json:"queued,omitempty"`
	Ticket     int64        `json:"ticket,omitempty"`
	Deployment int64        `json:"deployment,omitempty"`
	Tries      int          `json:"tries,omitempty"`
	Target     int          `json:"target,omitempty"`
	Size       int          `json:"size,omitempty"` // operator size
	Doomed     bool         `json:"doomed,omitempty"`
	Discard    bool         `json:"discard,omitempty"`
	Headless   bool         `json:"headless,omitempty"`
	LastError  string       `json:"lastError,omitempty"`
	Overall    float64      `json:"overall,omitempty"`
	Weight     float64      `json:"weight,omitempty"`
	Weighed    bool         `json:"weighed,omitempty"` // Weight was set at the end of an interval
}

// A SavedNode is the durable state of a node. Cluster, Deployment, and Kind are its current
// assignment, or the last one before the node was released or lost.
type SavedNode struct {
	Name       string    `json:"name"`
	Addr       string    `json:"addr,omitempty"`
	State      NodeState `json:"state"`
	Since      int64     `json:"since"`
	Cluster    string    `json:"cluster,omitempty"`
	Deployment int64     `json:"deployment,omitempty"`
	Kind       Kind      `json:"kind,omitempty"`
	Master     bool      `json:"master,omitempty"`
}

// Snapshot returns a single fact that restores the durable state in an empty machine.
func (m *Machine) Snapshot() Fact {
	s := &State{Tickets: m.tickets, Deployments: m.deployments, Reconfigurations: m.reconfigurations}
	for _, c := range m.byName {
		s.Clusters = append(s.Clusters, SavedCluster{Spec: c.spec, State: c.state, Since: c.since, Queued: c.queued,
			Ticket: c.ticket, Deployment: c.deployment,
			Tries: c.tries, Target: c.target, Size: c.size, Doomed: c.doomed, Discard: c.discard, Headless: c.headless,
			LastError: c.lastError, Overall: c.overallNow(), Weight: c.weight, Weighed: c.weighed})
	}
	for _, n := range m.order {
		x := SavedNode{Name: n.name, Addr: n.addr, State: n.state, Since: n.since, Cluster: n.was.cluster,
			Deployment: n.was.deployment, Kind: n.was.kind, Master: n.master}
		if n.cluster != nil {
			x.Cluster, x.Deployment, x.Kind = n.cluster.spec.Name, n.cluster.deployment, n.kind
		}
		s.Nodes = append(s.Nodes, x)
	}
	return Fact{Kind: Snapshot, Time: m.now, State: s}
}

func (m *Machine) applySnapshot(f *Fact) error {
	if f.State == nil || len(m.clusters) > 0 || len(m.nodes) > 0 {
		return errors.New("a snapshot must be the first fact of a journal and have a state")
	}
	if err := f.State.validate(); err != nil {
		return err
	}
	m.tickets, m.deployments, m.reconfigurations = f.State.Tickets, f.State.Deployments, f.State.Reconfigurations
	for _, s := range f.State.Clusters {
		m.put(&cluster{spec: s.Spec, state: s.State, since: s.Since, queued: s.Queued, ticket: s.Ticket,
			deployment: s.Deployment,
			tries:      s.Tries, target: s.Target, size: s.Size, doomed: s.Doomed, discard: s.Discard, headless: s.Headless,
			lastError: s.LastError, overall: s.Overall, weight: s.Weight, weighed: s.Weighed})
	}
	for _, s := range f.State.Nodes {
		n := &node{name: s.Name, addr: s.Addr, state: s.State, since: s.Since}
		m.nodes[n.name] = n
		m.order = append(m.order, n)
		if !s.State.assigned() {
			n.was = assignment{s.Cluster, s.Deployment, s.Kind}
			continue
		}
		c := m.clusters[s.Cluster]
		n.cluster, n.kind, n.master = c, s.Kind, s.Master
		c.nodes = append(c.nodes, n)
	}
	return nil
}

// assigned reports whether a node in the given state belongs to an MR-cluster.
func (s NodeState) assigned() bool { return s == Starting || s == Up || s == Draining }

// validate rejects a state that no manager would write.
func (s *State) validate() error {
	deployed := map[string]int64{}
	for i := range s.Clusters {
		c := &s.Clusters[i]
		if err := c.Spec.Validate(); err != nil {
			return err
		}
		if err := c.Spec.validSize(c.Size); err != nil {
			return err
		}
		if c.State > Saving || c.State.deployed() && c.Target < c.Spec.Core {
			return fmt.Errorf("%s has a target of %d nodes and is %v", c.Spec.Name, c.Target, c.State)
		}
		if x := (Share{Weight: c.Weight, Overall: c.Overall}); !x.sensible() {
			return fmt.Errorf("%s has a weight of %g and a discrimination of %g s", c.Spec.Name, c.Weight, c.Overall)
		}
		if _, twice := deployed[c.Spec.Name]; twice {
			return fmt.Errorf("%s occurs twice", c.Spec.Name)
		}
		deployed[c.Spec.Name] = 0
		if c.State.deployed() {
			deployed[c.Spec.Name] = c.Deployment
		}
	}
	if !slices.IsSortedFunc(s.Nodes, func(a, b SavedNode) int { return strings.Compare(a.Name, b.Name) }) {
		return errors.New("the nodes are not in order")
	}
	masters := map[string]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch d := deployed[n.Cluster]; {
		case n.Name == "" || i > 0 && n.Name == s.Nodes[i-1].Name:
			return errors.New("a node has no unique name")
		case n.State > Lost:
			return fmt.Errorf("%s has no state", n.Name)
		case !n.State.assigned():
		case d < 1 || d != n.Deployment || n.Kind < Core || n.Kind > TransientCore || n.Master &&
			masters[n.Cluster]:
			return fmt.Errorf("%s belongs to no deployment", n.Name)
		}
		masters[n.Cluster] = masters[n.Cluster] || n.Master
	}
	return nil
}
