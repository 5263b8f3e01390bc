package mrcluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// This file implements the life cycle of an MR-cluster: requested, deployed for its first job,
// loaded, active, saved, released.

func (m *Machine) create(s *Spec) *failure.Error {
	const op = "create MR-cluster"
	if s == nil {
		return failure.New(failure.Usage, op, "", errors.New("no request"))
	}
	if err := s.Validate(); err != nil {
		return err.(*failure.Error)
	}
	if m.clusters[s.Name] != nil {
		return failure.New(failure.Exists, op, s.Name,
			errors.New("the name is taken")).Fix("choose another name, or remove the existing MR-cluster first")
	}
	if len(m.clusters) >= m.cfg.MaxClusters {
		return failure.New(failure.Limit, op, s.Name, fmt.Errorf("the pool already has %d MR-clusters",
			len(m.clusters))).Fix("remove an MR-cluster first")
	}
	specs := s.size()
	for _, c := range m.byName {
		specs += c.spec.size()
	}
	if specs > maxSpecs {
		return failure.New(failure.Limit, op, s.Name,
			fmt.Errorf("the requests of all MR-clusters would have %d bytes of text; the limit is %d", specs, maxSpecs)).
			Fix("remove an MR-cluster first")
	}
	if err := m.fits(op, s); err != nil {
		return err
	}
	m.emit(Fact{Kind: ClusterCreated, Spec: s})
	return nil
}

// fits returns an error for a request that exceeds the whole pool.
func (m *Machine) fits(op string, s *Spec) *failure.Error {
	if err := m.tooLarge(s); err != nil {
		return failure.New(failure.Limit, op, s.Name, err).Fix("request fewer core nodes, or start more agents")
	}
	return nil
}

// tooLarge returns the reason why a request exceeds the whole pool, or nil if it does not. It also
// returns nil if the pool has no nodes, because such a pool is still starting.
func (m *Machine) tooLarge(s *Spec) error {
	if n := len(m.order); n > 0 && s.Core > n {
		return fmt.Errorf("the MR-cluster needs %d core nodes, but the pool has only %d nodes", s.Core, n)
	}
	return nil
}

func (m *Machine) find(op, name string) (*cluster, *failure.Error) {
	c := m.clusters[name]
	if c == nil {
		return nil, failure.New(failure.NotFound, op, name,
			errors.New("no such MR-cluster")).
			Fix("howdah mrcluster list shows all MR-clusters; howdah mrcluster create creates one")
	}
	return c, nil
}

// job queues an MR-cluster that is not deployed, and reactivates one that is being saved. It also
// restarts the MR-cluster's idle time.
func (m *Machine) job(name string) *failure.Error {
	const op = "run job"
	c, err := m.find(op, name)
	if err != nil {
		return err
	}
	if c.doomed {
		return failure.New(failure.Usage, op, name, errors.New("the MR-cluster is being removed"))
	}
	switch c.state {
	case Defined:
		if err := m.fits(op, &c.spec); err != nil {
			return err
		}
		m.emit(Fact{Kind: ClusterQueued, Cluster: name})
	case Saving: // the save only copies, so the MR-cluster can continue
		m.emit(Fact{Kind: ClusterActive, Cluster: name, Deployment: c.deployment,
			Reason: "a job arrived while the output was being saved"})
	}
	c.idleSince, c.idleTold = m.now, false
	return nil
}

func (m *Machine) remove(name string, discard bool) *failure.Error {
	c, err := m.find("remove MR-cluster", name)
	if err != nil {
		return err
	}
	if !c.doomed || discard && !c.discard {
		m.emit(Fact{Kind: ClusterDoomed, Cluster: name, Discard: discard})
	}
	return nil
}

// grow sets the operator size of an MR-cluster.
func (m *Machine) grow(name string, nodes int) *failure.Error {
	const op = "grow MR-cluster"
	c, err := m.find(op, name)
	if err != nil {
		return err
	}
	if c.doomed {
		return failure.New(failure.Usage, op, name, errors.New("the MR-cluster is being removed"))
	}
	if err := c.spec.validSize(nodes); err != nil {
		return failure.New(failure.Usage, op, name, err).Fix("0 lets only the weight determine the size")
	}
	if nodes == c.size {
		return nil
	}
	if others := m.promised(c); nodes > c.size && nodes+others > len(m.order) {
		why := fmt.Sprintf("the pool has only %d nodes", len(m.order))
		if others > 0 {
			why += fmt.Sprintf(", and other MR-clusters keep %d", others)
		}
		return failure.New(failure.Limit, op, name, errors.New(why)).
			Fix("ask for fewer nodes, lower the size of another MR-cluster, or start more agents")
	}
	reason := "an operator returned the size to the weights"
	if nodes > 0 {
		reason = fmt.Sprintf("an operator requested at least %d nodes", nodes)
	}
	m.emit(Fact{Kind: ClusterSized, Cluster: name, Nodes: nodes, Reason: reason})
	return nil
}

// promised returns the number of nodes that MR-clusters other than except keep. An MR-cluster with
// an operator size counts even if it is not deployed.
func (m *Machine) promised(except *cluster) (n int) {
	for _, c := range m.byName {
		if c != except && (c.size > 0 || c.state.deployed()) {
			n += max(c.spec.Core, c.size)
		}
	}
	return n
}

// follow advances every MR-cluster as far as possible.
func (m *Machine) follow() {
	for _, c := range m.byName {
		m.followFailure(c)
		switch c.state {
		case Queued:
			m.followQueued(c)
		case Deploying:
			m.followDeploying(c)
		case Active:
			m.followActive(c)
		}
		m.ask(c)
		if c.doomed && c.state == Defined {
			m.emit(Fact{Kind: ClusterRemoved, Cluster: c.spec.Name})
		}
	}
}

// followFailure handles the loss of the master. The MR-cluster's jobs and data are then lost, so
// retry normally deploys it again with its input from external storage.
func (m *Machine) followFailure(c *cluster) {
	if c.headless && !c.discard {
		m.retry(c, "the master was lost")
	}
}

// followQueued ends a request that exceeds the pool or whose removal was requested, so that it does
// not block other requests.
func (m *Machine) followQueued(c *cluster) {
	if c.doomed {
		m.finish(c, "removed before it was deployed")
	} else if err := m.tooLarge(&c.spec); err != nil {
		m.finish(c, err.Error())
	}
}

func (m *Machine) followDeploying(c *cluster) {
	switch {
	case c.doomed:
		m.finish(c, "removed while it was being deployed")
	case c.cores(true) < c.spec.Core:
	case len(c.spec.Load) > 0:
		m.emit(Fact{Kind: ClusterLoading, Cluster: c.spec.Name, Deployment: c.deployment})
	default:
		m.emit(Fact{Kind: ClusterActive, Cluster: c.spec.Name, Deployment: c.deployment})
	}
}

// followActive starts to save an MR-cluster whose removal was requested or that has been idle for
// long enough (FAW section 3.1). An MR-cluster does not count as idle until it reports that it is.
// After the manager restarts, for example, its jobs may still be running.
func (m *Machine) followActive(c *cluster) {
	idle := c.idleTold && m.now-c.idleSince >= m.cfg.idleAfter()
	if !c.doomed && !idle {
		return
	}
	reason := "idle"
	if c.doomed {
		reason = "removal was requested"
	}
	m.emit(Fact{Kind: ClusterSaving, Cluster: c.spec.Name, Deployment: c.deployment, Reason: reason})
}

// ask orders the load or save that an MR-cluster is waiting for, or ends an MR-cluster that is to
// be removed without saving. It repeats an order only for a retry or after the manager restarts.
func (m *Machine) ask(c *cluster) {
	if c.discard && c.state.deployed() {
		m.finish(c, "removed without saving")
		return
	}
	if c.asked || c.retryAt > m.now {
		return
	}
	o := Output{Cluster: c.spec.Name, Deployment: c.deployment}
	switch c.state {
	case Loading:
		o.Kind = OutLoad
	case Saving:
		o.Kind = OutSave
	default:
		return
	}
	c.asked, c.retryAt = true, 0
	m.out = append(m.out, o)
}

func (m *Machine) loaded(in *Input) {
	c := m.clusters[in.Cluster]
	if c == nil || c.state != Loading || c.deployment != in.Deployment {
		return
	}
	switch {
	case in.Err != "" && in.Missing:
		m.finish(c, "the input does not exist: "+in.Err)
		return
	case in.Err != "":
		m.retry(c, "the input could not be loaded: "+in.Err)
		return
	}
	m.emit(Fact{Kind: ClusterActive, Cluster: in.Cluster, Deployment: c.deployment})
}

// wake reactivates an MR-cluster that has jobs while it is being saved, unless its removal was
// requested. Clients can submit such jobs without going through the manager.
func (m *Machine) wake(c *cluster) {
	if c.state == Saving && !c.doomed {
		m.emit(Fact{Kind: ClusterActive, Cluster: c.spec.Name, Deployment: c.deployment,
			Reason: "the MR-cluster has jobs again"})
	}
}

// saved processes the result of a save. If the save failed, the MR-cluster stays until a retry
// succeeds or a user discards the output. The interval between retries increases. If a source does
// not exist, saved releases the nodes, because no job wrote the source and no data is lost.
func (m *Machine) saved(in *Input) {
	c := m.clusters[in.Cluster]
	if c == nil || c.state != Saving || c.deployment != in.Deployment {
		return
	}
	switch {
	case in.Err == "":
		m.finish(c, "")
	case in.Missing:
		m.finish(c, "not saved because the source does not exist: "+in.Err)
	default:
		m.emit(Fact{Kind: ClusterUnsaved, Cluster: c.spec.Name, Deployment: c.deployment,
			Reason: "the output could not be saved: " + in.Err})
		c.retryAt = m.now + m.cfg.Retry<<min(c.unsaved, 6)
		c.unsaved++
	}
}

// finish releases an MR-cluster's nodes. Only the request remains.
func (m *Machine) finish(c *cluster, reason string) {
	m.emit(Fact{Kind: ClusterEnded, Cluster: c.spec.Name, Deployment: c.deployment, Reason: reason})
}

// retry puts a failed MR-cluster back into the queue. If the MR-cluster has had too many attempts,
// or its removal was requested, retry ends it instead.
func (m *Machine) retry(c *cluster, reason string) {
	if c.doomed || c.tries >= m.cfg.Attempts {
		m.finish(c, fmt.Sprintf("%s (%d attempts)", reason, c.tries))
		return
	}
	m.emit(Fact{Kind: ClusterRetried, Cluster: c.spec.Name, Deployment: c.deployment, Reason: reason})
}

// queue returns the waiting MR-clusters in FIFO order.
func (m *Machine) queue() []*cluster {
	q := slices.DeleteFunc(slices.Clone(m.byName), func(c *cluster) bool { return c.state != Queued })
	slices.SortFunc(q, func(a, b *cluster) int { return cmp.Compare(a.ticket, b.ticket) })
	return q
}
