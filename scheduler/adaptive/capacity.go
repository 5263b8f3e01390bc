package adaptive

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// capacity knows Omega: what each tracker has for MapReduce now, and, by f(t), what all of them will have.
type capacity struct {
	opt      options
	curves   *Curves
	measured Measured
	groups   []group
	now      int64
	n        int64 // trackers seen in this cycle, and their shares in sum
	shares   int64
}

// curve is a tracker's f(t); nil = always all of it.
func (c *capacity) curve(t *scheduler.Tracker) *Curve {
	if c.opt.source == SourceMeasured {
		return c.measured.curve
	}
	return c.curves.of(t)
}

// of is what a tracker has now for slots of a kind. The buffer is for what is foreseen and does not count here.
func (c *capacity) of(t *scheduler.Tracker, k job.TaskType, now int64) Demand {
	d := omega(t, k)
	if c.opt.limit == ByTrackers {
		return d
	}
	for r := range d {
		if d[r] != unlimited {
			d[r] = d[r] * c.present(t, now, Resource(r)) / Full
		}
	}
	return d
}

// present is the share of a resource that a tracker has now: its own word if that is measured.
func (c *capacity) present(t *scheduler.Tracker, now int64, r Resource) int64 {
	if c.opt.source == SourceMeasured {
		return Full - int64(max(0, min(t.OtherLoad, Full)))
	}
	return c.curves.of(t).At(now, r)
}

// begin starts to sum up the trackers.
func (c *capacity) begin(now int64) {
	c.groups = c.groups[:0]
	c.now, c.n, c.shares = now, 0, 0
}

// add counts a tracker.
func (c *capacity) add(t *scheduler.Tracker) {
	c.n++
	c.shares += c.present(t, c.now, Slot)
	f := c.curve(t)
	g := c.group(f)
	for r, n := range omega(t, job.Map) {
		switch {
		case n == unlimited:
			g.whole[r] = unlimited
		case g.whole[r] >= 0:
			g.whole[r] += float64(n)
		}
	}
}

func (c *capacity) group(f *Curve) *group {
	for i := range c.groups {
		if c.groups[i].curve == f {
			return &c.groups[i]
		}
	}
	c.groups = append(c.groups, group{curve: f})
	return &c.groups[len(c.groups)-1]
}

// end hands the sums to the estimator.
func (c *capacity) end(e *WorkloadEstimator) {
	if c.opt.source == SourceMeasured && c.n > 0 {
		c.measured.add(c.now, c.shares/c.n)
		for i := range c.groups {
			c.groups[i].curve = c.measured.curve
		}
	}
	for i := range c.groups {
		if c.opt.limit == ByTrackers {
			c.groups[i].upscale(c.now)
		}
		c.groups[i].rely(100 - c.opt.buffer)
	}
	e.groups = append(e.groups[:0], c.groups...)
}

// rely leaves the buffer for errors of the prediction out (section IV-B).
func (g *group) rely(percent int64) {
	for r := range g.whole {
		if g.whole[r] > 0 {
			g.whole[r] = g.whole[r] * float64(percent) / 100
		}
	}
}

// upscale finds the whole of slots that follow f(t) already. Where f(t) is next to nothing, so is what can be told of the whole.
func (g *group) upscale(now int64) {
	if share := g.curve.At(now, Slot); share > Full/100 {
		g.whole[Slot] = g.whole[Slot] * Full / float64(share)
	} else {
		g.whole[Slot] *= 100
	}
}
