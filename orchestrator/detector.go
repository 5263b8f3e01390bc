package orchestrator

// The contention detector (section III, steps 1 and 2): which task is short of which resource on which node, and who hogs it.

// detect judges every task of the picture.
func (c *Config) detect(p *cluster) {
	for i := range p.all {
		t := &p.all[i]
		t.pressed = t.Usage[Memory] > 0 && t.Usage[Memory] >= part(t.have[Memory], c.Pressed)
		for r := range NumResources {
			t.verdict[r], t.reason[r] = c.judge(t, r)
		}
	}
}

// judge compares a task with those of the same job and phase, which do the same work and so should use the same. A profile
// that differs is no deficit as long as the task gets on as fast as the others: it may have other work to do (an outlier, a
// skewed share of the input). There the straggler path decides, by progress alone, if the resource can be the cause.
func (c *Config) judge(t *task, r Resource) (Verdict, reason) {
	if !t.measured() {
		return Balanced, reason{}
	}
	g := t.group
	use, mean := t.Usage[r], g.mean[r]
	time := t.time(g.waits)
	known := time > 0 && g.target > 0
	slower, faster := known && time > g.target, known && time < g.target
	switch {
	case r == Memory && t.pressed:
		return Deficit, reason{kind: presses, a: use, b: t.have[r]}
	case r == Memory: // what is not used costs the others nothing but room
		if use > part(mean, Million+c.Deviation) && !slower {
			return Hog, reason{}
		}
		return Balanced, reason{}
	case !c.contended(t.node, r):
		return Balanced, reason{}
	case use < part(mean, Million-c.Deviation) && !faster:
		return Deficit, reason{kind: below, a: use, b: mean}
	case known && time > part(g.target, Million+c.Straggle):
		return Deficit, reason{kind: straggles, a: time, b: g.target}
	case use > part(mean, Million+c.Deviation) && !slower:
		return Hog, reason{}
	}
	return Balanced, reason{}
}

func (c *Config) contended(n *node, r Resource) bool {
	return n.sum[r] >= part(n.report.Capacity[r], c.Contended)
}
