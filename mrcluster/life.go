package mrcluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// This file is the life of an MR-cluster: requested, deployed at its first job, loaded, active, saved, given up.

func (m *Machine) create(s *Spec) *failure.Error {
	const op = "create MR-cluster"
	if s == nil {
		return failure.New(failure.Usage, op, "", errors.New("no request"))
	}
	if err := s.Validate(); err != nil {
		return err.(*failure.Error)
	}
	if m.clusters[s.Name] != nil {
		return failure.New(failure.Exists, op, s.Name, errors.New("there is one of that name")).Fix("choose another name, or remove it first")
	}
	if len(m.clusters) >= m.cfg.MaxClusters {
		return failure.New(failure.Limit, op, s.Name, fmt.Errorf("there are %d MR-clusters already", len(m.clusters))).Fix("remove some first")
	}
	if err := m.fits(op, s); err != nil {
		return err
	}
	m.emit(Fact{Kind: ClusterCreated, Spec: s})
	return nil
}

// fits refuses a request that the whole pool could not serve.
func (m *Machine) fits(op string, s *Spec) *failure.Error {
	if err := m.tooLarge(s); err != nil {
		return failure.New(failure.Limit, op, s.Name, err).Fix("ask for fewer core nodes or start more agents")
	}
	return nil
}

// tooLarge says why the whole pool could not serve a request, nil if it could. A pool without nodes is still starting.
func (m *Machine) tooLarge(s *Spec) error {
	if n := len(m.order); n > 0 && s.Core > n {
		return fmt.Errorf("it wants %d core nodes and the pool has %d nodes in all", s.Core, n)
	}
	return nil
}

func (m *Machine) find(op, name string) (*cluster, *failure.Error) {
	c := m.clusters[name]
	if c == nil {
		return nil, failure.New(failure.NotFound, op, name, errors.New("no such MR-cluster")).Fix("howdah mrcluster list shows all; howdah mrcluster create makes one")
	}
	return c, nil
}

// job makes sure that an MR-cluster is deployed or will be.
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
	case Saving: // a copy was being made, nothing is gone
		m.emit(Fact{Kind: ClusterActive, Cluster: name, Deployment: c.deployment, Reason: "a job came while its output was being saved"})
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

// follow moves every MR-cluster on as far as it can go by itself.
func (m *Machine) follow() {
	for _, c := range m.byName() {
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

// followFailure: without its master an MR-cluster is lost, and a second one is built from external storage.
func (m *Machine) followFailure(c *cluster) {
	if c.headless && !c.discard {
		m.retry(c, "its master was lost")
	}
}

// followQueued: what can never be let in must not keep the others waiting.
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
		m.finish(c, "removed while it was deployed")
	case c.cores(true) < c.spec.Core:
	case len(c.spec.Load) > 0:
		m.emit(Fact{Kind: ClusterLoading, Cluster: c.spec.Name, Deployment: c.deployment})
	default:
		m.emit(Fact{Kind: ClusterActive, Cluster: c.spec.Name, Deployment: c.deployment})
	}
}

// followActive: with a weight of 0, that is nothing to do, for long enough it is inactive (FAW section 3.1). One that is not heard of,
// perhaps since the manager was started again, may have a lot to do.
func (m *Machine) followActive(c *cluster) {
	idle := c.idleSince > 0 && c.idleTold && m.now-c.idleSince >= m.cfg.idleAfter()
	if !c.doomed && !idle {
		return
	}
	reason := "nothing to do"
	if c.doomed {
		reason = "to be removed"
	}
	m.emit(Fact{Kind: ClusterSaving, Cluster: c.spec.Name, Deployment: c.deployment, Reason: reason})
}

// ask orders what an MR-cluster waits for, once, and again when it is time after a failure.
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
		m.finish(c, "its input is not there: "+in.Err)
		return
	case in.Err != "":
		m.retry(c, "its input could not be loaded: "+in.Err)
		return
	}
	m.emit(Fact{Kind: ClusterActive, Cluster: in.Cluster, Deployment: c.deployment})
}

// wake: jobs that came by themselves, past the manager, keep an MR-cluster from being given up, unless somebody wants it removed.
func (m *Machine) wake(c *cluster) {
	if c.state == Saving && !c.doomed {
		m.emit(Fact{Kind: ClusterActive, Cluster: c.spec.Name, Deployment: c.deployment, Reason: "it has jobs again"})
	}
}

// saved: output that could not be saved keeps the MR-cluster alive until it can, or until somebody discards it. Attempts become rare. What
// was to be saved and is not there was never made: nothing can be lost by giving up the nodes.
func (m *Machine) saved(in *Input) {
	c := m.clusters[in.Cluster]
	if c == nil || c.state != Saving || c.deployment != in.Deployment {
		return
	}
	switch {
	case in.Err == "":
		m.finish(c, "")
	case in.Missing:
		m.finish(c, "not saved, since it is not there: "+in.Err)
	default:
		m.emit(Fact{Kind: ClusterUnsaved, Cluster: c.spec.Name, Deployment: c.deployment, Reason: "its output could not be saved: " + in.Err})
		c.retryAt = m.now + m.cfg.Retry<<min(c.unsaved, 6)
		c.unsaved++
	}
}

// finish gives up an MR-cluster's nodes; what is left is the request.
func (m *Machine) finish(c *cluster, reason string) {
	m.emit(Fact{Kind: ClusterEnded, Cluster: c.spec.Name, Deployment: c.deployment, Reason: reason})
}

// retry deploys anew what failed, if it was not tried too often.
func (m *Machine) retry(c *cluster, reason string) {
	if c.doomed || c.tries >= m.cfg.Attempts {
		m.finish(c, fmt.Sprintf("%s (%d attempts)", reason, c.tries))
		return
	}
	m.emit(Fact{Kind: ClusterRetried, Cluster: c.spec.Name, Deployment: c.deployment, Reason: reason})
}

// queue lists who waits, first come first.
func (m *Machine) queue() []*cluster {
	q := slices.DeleteFunc(m.byName(), func(c *cluster) bool { return c.state != Queued })
	slices.SortFunc(q, func(a, b *cluster) int { return cmp.Compare(a.ticket, b.ticket) })
	return q
}
