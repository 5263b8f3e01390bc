package mrcluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Apply applies a fact. Both Step and the replay of a journal use it. If a fact does not fit the
// state, Apply returns an error and changes nothing but the time.
func (m *Machine) Apply(f *Fact) error {
	m.now = max(m.now, f.Time)
	m.account()
	var err error
	switch f.Kind {
	case ClusterCreated:
		err = m.applyCreated(f)
	case NodeJoined:
		err = m.applyJoined(f)
	case NodeForgotten:
		err = m.applyForgotten(f)
	case Snapshot:
		err = m.applySnapshot(f)
	case RoomMade, Reconfigured:
		err = m.applyShares(f)
	case Measured:
		err = m.applyMeasured(f)
	case NodeFreed, NodeAssigned, NodeTakenBack, NodeUp, NodeDraining, NodeKept, NodeReleased, NodeLost:
		err = m.applyNode(f)
	default:
		err = m.applyCluster(f)
	}
	if err != nil {
		return failure.New(failure.Corrupt, "apply fact", strings.TrimSpace(f.Kind.String()+" "+f.Cluster+" "+f.Node), err)
	}
	return nil
}

func (m *Machine) applyCreated(f *Fact) error {
	if f.Spec == nil {
		return errors.New("no request")
	}
	if err := f.Spec.Validate(); err != nil {
		return err
	}
	if m.clusters[f.Spec.Name] != nil {
		return errors.New("the name is taken")
	}
	m.put(&cluster{spec: *f.Spec, since: f.Time})
	return nil
}

// clusterSteps defines, for most facts about an MR-cluster, the states in which the fact is valid
// and the resulting state.
var clusterSteps = map[FactKind]struct {
	from []ClusterState
	to   ClusterState
}{
	ClusterQueued:   {[]ClusterState{Defined}, Queued},
	ClusterAdmitted: {[]ClusterState{Queued}, Deploying},
	ClusterLoading:  {[]ClusterState{Deploying}, Loading},
	ClusterActive:   {[]ClusterState{Deploying, Loading, Saving}, Active},
	ClusterSaving:   {[]ClusterState{Active}, Saving},
	ClusterUnsaved:  {[]ClusterState{Saving}, Saving},
	ClusterRetried:  {[]ClusterState{Deploying, Loading, Active, Saving}, Queued},
	ClusterEnded:    {[]ClusterState{Queued, Deploying, Loading, Active, Saving}, Defined},
}

func (m *Machine) applyCluster(f *Fact) error {
	c := m.clusters[f.Cluster]
	if c == nil {
		return errors.New("no such MR-cluster")
	}
	switch f.Kind {
	case ClusterDoomed:
		c.doomed, c.discard = true, c.discard || f.Discard
		return nil
	case ClusterRemoved:
		if c.state != Defined {
			return fmt.Errorf("the state is %v", c.state)
		}
		m.drop(f.Cluster)
		return nil
	case ClusterSized:
		if err := c.spec.validSize(f.Nodes); err != nil {
			return err
		}
		c.size = f.Nodes
		return nil
	}
	step, ok := clusterSteps[f.Kind]
	if !ok || !slices.Contains(step.from, c.state) {
		return fmt.Errorf("not allowed in state %v", c.state)
	}
	if c.state != step.to {
		c.state, c.since = step.to, f.Time
	}
	c.retryAt, c.asked = 0, false
	switch f.Kind {
	case ClusterQueued:
		m.tickets++
		c.ticket, c.queued, c.tries, c.overall = m.tickets, f.Time, 0, 0
	case ClusterAdmitted:
		m.deployments = max(m.deployments, f.Deployment)
		c.deployment, c.target, c.lastError = f.Deployment, c.spec.Core, ""
		c.tries++
		c.forget()
	case ClusterActive:
		c.idleSince, c.idleTold, c.tries = f.Time, false, 0
	case ClusterSaving:
		c.target, c.unsaved = c.spec.Core+c.holders(), 0
	case ClusterUnsaved: // the retry may come much later, so release the nodes beyond the core
		c.target, c.lastError = c.spec.Core, f.Reason
	case ClusterRetried, ClusterEnded:
		m.giveUp(c, f)
	}
	return nil
}

// forget resets an MR-cluster's measurements.
func (c *cluster) forget() {
	c.y, c.weight, c.weighed, c.sample = nil, 0, false, Sample{}
	c.fraction, c.elapsed, c.last, c.failed = 0, 0, 0, 0
}

// giveUp releases all nodes of an MR-cluster immediately, without draining, because their work and
// data are no longer needed or already lost.
func (m *Machine) giveUp(c *cluster, f *Fact) {
	for _, n := range c.nodes {
		n.state, n.since = Clearing, f.Time
		n.detach()
	}
	c.nodes, c.target, c.floor, c.headless, c.lastError = nil, 0, 0, false, f.Reason
	c.forget()
}

// applyShares sets the targets of the MR-clusters in the fact. It also counts reconfigurations.
func (m *Machine) applyShares(f *Fact) error {
	for _, s := range f.Shares {
		if c := m.clusters[s.Cluster]; c == nil || !c.state.deployed() || s.Nodes < c.spec.Core {
			return fmt.Errorf("%s cannot have a target of %d nodes", s.Cluster, s.Nodes)
		}
	}
	for _, s := range f.Shares {
		m.clusters[s.Cluster].target = s.Nodes
	}
	if f.Kind == Reconfigured {
		m.reconfigurations++
	}
	return nil
}
