package mrcluster

import (
	"fmt"
	"math"
	"slices"
)

// This file implements the feedback loop of FAW section 4.2.2. Samples determine weights, and
// weights and holdings determine discrimination. Too much discrimination leads to new shares.

func (m *Machine) takeSample(in *Input) {
	c := m.clusters[in.Cluster]
	if c == nil || in.Sample == nil || c.deployment != in.Deployment || c.state != Active && c.state != Saving {
		return
	}
	s := in.Sample
	c.sample = *s
	c.sample.Stored = nil
	if c.state == Active {
		m.weigh(c, s)
	}
	c.idleTold = s.Idle()
	if !c.idleTold {
		m.wake(c)
		c.idleSince = 0
	} else if c.idleSince == 0 {
		c.idleSince = m.now
	}
	for _, n := range c.nodes {
		n.stored = 0
	}
	for _, b := range s.Stored {
		if n := m.nodes[b.Node]; n != nil && n.cluster == c {
			n.stored = max(0, b.Bytes)
		}
	}
}

// weigh adds a sample to the means of the current interval.
func (m *Machine) weigh(c *cluster, s *Sample) {
	if c.y == nil {
		c.y = newMeans(m.terms)
	}
	for i := range m.terms {
		c.y[i].add(m.terms[i].Weighting.Weigh(s))
	}
}

// little is a sample whose values are all 1.
var little = Sample{Jobs: 1, WaitingJobs: 1, WaitingTasks: 1, WaitingBytes: 1, Bytes: 1, RunningTasks: 1, Slots: 1,
	JobsDone: 1, TasksDone: 1, Written: 1, Storage: 1, Slowdown: 1, Lateness: 1,
	Stored: []Stored{{Bytes: 1}}}

// newMeans returns the means of an MR-cluster without samples. Each mean starts at 1, or at 0 if
// the policy returns 0 for the sample little.
func newMeans(terms []Term) []mean {
	y := make([]mean, len(terms))
	for i := range y {
		if terms[i].Weighting.Weigh(&little) > 0 {
			y[i].last = 1
		}
	}
	return y
}

// end ends an interval and starts a new one. It returns the mean of the ended interval, or the last
// known mean if the interval had no samples.
func (y *mean) end() float64 {
	if y.n > 0 {
		y.last = y.sum / float64(y.n)
	}
	y.sum, y.n = 0, 0
	return y.last
}

// add adds v to the mean. It ignores negative, huge, and NaN values.
func (y *mean) add(v float64) {
	if v >= 0 && v < 1e300 {
		y.sum += v
		y.n++
	}
}

// account integrates each MR-cluster's fraction of the pool over the time since the last call
// (equation 2). For an active MR-cluster, the result counts in the current interval. For one that
// is queued, or deployed but not active, account adds the fraction minus the minimum share to the
// overall discrimination.
func (m *Machine) account() {
	dt := float64(m.now-m.accounted) / 1000
	m.accounted = m.now
	if dt <= 0 {
		return
	}
	whole := float64(max(1, m.capacity()))
	for _, c := range m.byName {
		holds := float64(dt*float64(len(c.nodes))) / whole
		switch {
		case c.state == Active:
			c.fraction += holds
			c.elapsed += dt
		case c.state == Queued || c.state.deployed():
			c.overall += holds - float64(dt*float64(c.spec.Core))/whole
		}
	}
}

// cycle computes weights and discrimination. If the global discrimination exceeds the threshold, it
// also sets new shares.
func (m *Machine) cycle() {
	active := slices.DeleteFunc(m.deployed(), func(c *cluster) bool { return c.state != Active })
	weighed := setWeights(active, m.terms)
	m.global = 0
	for _, c := range active {
		c.last = 0
		if weighed {
			c.last = c.fraction - float64(c.weight*c.elapsed)
		}
		c.overall += c.last
		d := c.last
		if m.cfg.Window == SinceRequest {
			d = c.overall
		}
		m.global += float64(d*d) / float64(len(active))
	}
	m.measured()
	if weighed && m.global > m.cfg.Threshold {
		m.reconfigure()
	}
}

// measured emits a fact with the measurements that a restarted manager could not repeat.
func (m *Machine) measured() {
	var list []Share
	for _, c := range m.byName {
		if c.state != Defined {
			list = append(list, Share{Cluster: c.spec.Name, Nodes: c.goal(), Weight: c.weight, Discrimination: c.last,
				Overall: c.overall})
		}
	}
	if len(list) > 0 {
		m.emit(Fact{Kind: Measured, Shares: list})
	}
}

// applyMeasured applies a Measured fact.
func (m *Machine) applyMeasured(f *Fact) error {
	for _, s := range f.Shares {
		if m.clusters[s.Cluster] == nil || !s.sensible() {
			return fmt.Errorf("weight %g or discrimination %g s is invalid for %s", s.Weight, s.Overall, s.Cluster)
		}
	}
	for _, s := range f.Shares {
		c := m.clusters[s.Cluster]
		c.weight, c.last, c.overall = s.Weight, s.Discrimination, s.Overall
		if c.state == Active {
			c.weighed, c.fraction, c.elapsed = true, 0, 0
		}
	}
	return nil
}

// maxDiscrimination is far above any real value but small enough that its square is finite.
const maxDiscrimination = 1e100

// sensible reports whether a manager could have measured the values of s.
func (s *Share) sensible() bool {
	return s.Weight >= 0 && s.Weight <= 1 && math.Abs(s.Discrimination) < maxDiscrimination &&
		math.Abs(s.Overall) < maxDiscrimination
}

// overallNow returns D_i from the request until now. The weight of the current interval is not yet
// known, so overallNow uses the last weight. If there is none, it omits the current interval.
func (c *cluster) overallNow() float64 {
	if !c.weighed {
		return c.overall
	}
	return c.overall + c.fraction - float64(c.weight*c.elapsed)
}

// setWeights computes the weights by equation 4 and reports whether any weight is above 0. If none
// is, no MR-cluster is entitled to nodes beyond its core.
func setWeights(active []*cluster, terms []Term) bool {
	for _, c := range active {
		c.weight = 0
		if c.y == nil {
			c.y = newMeans(terms)
		}
	}
	for i, t := range terms {
		of := make([]float64, len(active))
		for k, c := range active {
			of[k] = c.y[i].end()
		}
		whole := total(of)
		if len(terms) == 1 { // the code below normalizes it
			whole = 1
		}
		for k, c := range active {
			if whole > 0 {
				c.weight += float64(t.Factor * of[k] / whole)
			}
		}
	}
	sum := 0.0
	for _, c := range active {
		sum += c.weight
	}
	for _, c := range active {
		if sum > 0 {
			c.weight /= sum
		}
	}
	return sum > 0
}

func total(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// reconfigure sets the targets by weight. It does nothing if no target changes.
func (m *Machine) reconfigure() {
	deployed := m.deployed()
	shares := Shares(m.capacity(), claims(deployed))
	changed := false
	for i, c := range deployed {
		if c.state != Active {
			shares[i] = c.target
		}
		changed = changed || shares[i] != c.target
	}
	if !changed {
		return
	}
	var facts []Share
	for i, c := range deployed {
		facts = append(facts, Share{Cluster: c.spec.Name, Nodes: shares[i], Weight: c.weight, Discrimination: c.last})
	}
	m.emit(Fact{Kind: Reconfigured, Shares: facts,
		Reason: fmt.Sprintf("the global discrimination of %.4g s^2 is above %.4g", m.global, m.cfg.Threshold)})
}
