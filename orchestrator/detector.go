package orchestrator

import "github.com/howdah/howdah/job/heartbeat"

// This file implements the contention detector (section III, steps 1 and 2). It finds tasks that
// have too little of a resource on their node and tasks that hog one.

// detect sets pressed and the verdicts of every task in the snapshot.
func (c *Config) detect(p *cluster) {
	for i := range p.all {
		t := &p.all[i]
		t.pressed = t.Usage[Memory] > 0 && t.Usage[Memory] >= part(t.have[Memory], c.Pressed)
		for r := range NumResources {
			t.verdict[r], t.reason[r] = c.judge(t, r)
		}
	}
}

// judge compares a task's usage of resource r with the mean usage of its group. Tasks in the same
// phase do the same work and should use the same resources. However, a task might differ for a good
// reason, such as a skewed share of the input. Therefore, low CPU usage is not a deficit if the
// task is ahead of the others, and high usage does not make the task a hog if the task is behind. A
// task with normal CPU usage has a deficit if its progress shows that it straggles. On a node
// without CPU contention, the verdict on CPU is always Balanced. For memory, only a task near its
// limit has a deficit.
func (c *Config) judge(t *task, r Resource) (heartbeat.Verdict, reason) {
	if !wasMeasured(&t.TaskShare) {
		return heartbeat.Balanced, reason{}
	}
	g := t.group
	use, mean := t.Usage[r], g.mean[r]
	time := timeOf(&t.TaskShare, g.waits)
	known := time > 0 && g.target > 0
	slower, faster := known && time > g.target, known && time < g.target
	switch {
	case r == Memory && t.pressed:
		return heartbeat.Deficit, reason{kind: presses, a: use, b: t.have[r]}
	case r == Memory: // unused memory slows down no other task
		if use > part(mean, Million+c.Deviation) && !slower {
			return heartbeat.Hog, reason{}
		}
		return heartbeat.Balanced, reason{}
	case !c.contended(t.node, r):
		return heartbeat.Balanced, reason{}
	case use < part(mean, Million-c.Deviation) && !faster:
		return heartbeat.Deficit, reason{kind: below, a: use, b: mean}
	case known && time > part(g.target, Million+c.Straggle):
		return heartbeat.Deficit, reason{kind: straggles, a: time, b: g.target}
	case use > part(mean, Million+c.Deviation) && !slower:
		return heartbeat.Hog, reason{}
	}
	return heartbeat.Balanced, reason{}
}

func (c *Config) contended(n *node, r Resource) bool {
	return n.sum[r] >= part(n.report.Capacity[r], c.Contended)
}
