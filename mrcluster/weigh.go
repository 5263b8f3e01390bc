package mrcluster

import "slices"

// This file is the feedback of FAW section 4.2.2: samples become weights, weights and holdings become discrimination, and too
// much of that becomes new shares.

func (m *Machine) takeSample(in *Input) {
	c := m.clusters[in.Cluster]
	if c == nil || in.Sample == nil || c.deployment != in.Deployment || c.state != Active && c.state != Saving {
		return
	}
	s := in.Sample
	c.sample = *s
	c.sample.Stored = nil
	if c.state == Active {
		c.y.add(m.weighting.Weigh(s))
	}
	if !s.Idle() {
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

// add leaves out what is no sensible number.
func (y *mean) add(v float64) {
	if v >= 0 && v < 1e300 {
		y.sum += v
		y.n++
	}
}

// account sums up what everybody holds (equation 2). Before an MR-cluster is active it is entitled to its minimum share.
func (m *Machine) account() {
	dt := float64(m.now-m.accounted) / 1000
	m.accounted = m.now
	if dt <= 0 {
		return
	}
	whole := float64(max(1, m.capacity()))
	for _, c := range m.byName() {
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

// cycle works out weights and discrimination, and new shares if these are too unequal.
func (m *Machine) cycle() {
	active := slices.DeleteFunc(m.deployed(), func(c *cluster) bool { return c.state != Active })
	weighed := weigh(active)
	m.global = 0
	for _, c := range active {
		c.last = 0
		if weighed {
			c.last = c.fraction - float64(c.weight*c.elapsed)
		}
		c.overall += c.last
		c.fraction, c.elapsed = 0, 0
		d := c.last
		if m.cfg.Window == SinceRequest {
			d = c.overall
		}
		m.global += float64(d*d) / float64(len(active))
	}
	if weighed && m.global > m.cfg.Threshold {
		m.reconfigure()
	}
}

// weigh is equation 4. It reports whether there are weights: with all of them 0 nobody is entitled to anything.
func weigh(active []*cluster) bool {
	sum := 0.0
	for _, c := range active {
		if c.y.n > 0 {
			c.lastY = c.y.sum / float64(c.y.n)
		}
		c.y = mean{}
		sum += c.lastY
	}
	for _, c := range active {
		c.weight = 0
		if sum > 0 {
			c.weight = c.lastY / sum
		}
	}
	return sum > 0
}

// reconfigure sets the targets by weight, if that changes any.
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
	m.emit(Fact{Kind: Reconfigured, Shares: facts})
}
