package mrcluster

import "fmt"

// Coming is a change of an MR-cluster's nodes that the manager has decided but that has not happened
// yet: nodes that are still to start, or that are draining.
type Coming struct {
	Now, Then int // nodes that run tasks now, and after the change
	// After is the expected time in ms until the change. 0 means that the change is due, or that
	// nothing is known about its time.
	After int64
}

// foretoldFor is how long a Curve lasts, in ms. A new one replaces it long before.
const foretoldFor = 366 * 24 * 3600 * 1000

// Curve returns the change as f(t) in the format of howdah.adaptive.capacity.file: the number of
// nodes as a share of the larger number. now is the time in ms since the epoch.
func (x Coming) Curve(now int64) string {
	most := float64(max(1, x.Now, x.Then))
	first, last := float64(x.Now)/most, float64(x.Then)/most
	if x.Now == 0 || x.After <= 0 {
		first = last
	}
	after := max(1, min(x.After, foretoldFor-2))
	return fmt.Sprintf("period %dms\norigin %d\nstep %dms\n0 %.6f\n%dms %.6f\n%dms %.6f\n%dms %.6f\n", foretoldFor, now,
		foretoldFor, first, after, first, after+1, last, foretoldFor, last)
}

// change returns the change that an MR-cluster awaits.
func (m *Machine) change(c *cluster) Coming {
	x := Coming{Then: max(c.goal(), c.spec.Core)}
	started, drained := int64(0), int64(0) // when the change began
	for _, n := range c.nodes {
		switch n.state {
		case Up:
			x.Now++
		case Draining:
			x.Now++
			drained = max(drained, n.since)
		case Starting:
			started = max(started, n.since)
		}
	}
	switch {
	case x.Then > x.Now:
		x.After = m.starts.left(m.now, started)
	case x.Then < x.Now:
		x.After = m.drains.left(m.now, drained)
	}
	return x
}

// took is the mean time that something takes, in ms.
type took struct{ sum, n int64 }

func (t *took) add(ms int64) { t.sum, t.n = t.sum+ms, t.n+1 }

// left returns the mean time that is left at time now. since is the start; 0 = not started.
func (t *took) left(now, since int64) int64 {
	if t.n == 0 {
		return 0
	}
	if since == 0 {
		since = now
	}
	return max(0, t.sum/t.n-(now-since))
}
