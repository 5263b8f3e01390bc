package adaptive

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// capacity computes Omega, the current resources of each tracker. In every cycle, it also adds up
// the resources of the trackers that share an f(t), for predictions.
type capacity struct {
	opt      options
	curves   *Curves
	measured Measured
	groups   []group
	now      int64 // start of the cycle
	n        int64 // number of trackers seen in this cycle
	shares   int64 // sum of the shares of slots that these trackers offer, in millionths
}

// curve returns the tracker's f(t). A nil curve means that the tracker is always fully available.
func (c *capacity) curve(t *scheduler.Tracker) *Curve {
	if c.opt.source == SourceMeasured {
		return c.measured.curve
	}
	return c.curves.of(t)
}

// of returns the resources that the tracker currently offers, whether used or free. It includes
// only slots of type k. With ByTrackers, it does not apply f(t), because the tracker already
// reports fewer slots. It never subtracts the buffer, which applies to predictions only.
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

// present returns the share of the resource that the tracker currently offers, in millionths. If
// f(t) is measured, the share comes from the tracker's own report and is the same for all
// resources.
func (c *capacity) present(t *scheduler.Tracker, now int64, r Resource) int64 {
	if c.opt.source == SourceMeasured {
		return Full - int64(max(0, min(t.OtherLoad, Full)))
	}
	return c.curves.of(t).At(now, r)
}

// begin starts a new cycle with empty sums.
func (c *capacity) begin(now int64) {
	c.groups = c.groups[:0]
	c.now, c.n, c.shares = now, 0, 0
}

// add adds the tracker to the sums. Of the tracker's slots, it counts only map slots, because the
// estimator plans only maps.
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

// end records the measured share of this cycle. It then adjusts the sums for predictions (see
// upscale and rely) and passes them to the estimator.
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

// rely reduces the group's resources to the given percentage. The rest is the buffer for prediction
// errors (section IV-B).
func (g *group) rely(percent int64) {
	for r := range g.whole {
		if g.whole[r] > 0 {
			g.whole[r] = g.whole[r] * float64(percent) / 100
		}
	}
}

// upscale estimates the group's total number of slots. It divides the number that the trackers
// report, which already follows f(t), by f(t). The estimate is poor where f(t) is close to zero, so
// upscale multiplies by at most 100.
func (g *group) upscale(now int64) {
	if share := g.curve.At(now, Slot); share > Full/100 {
		g.whole[Slot] = g.whole[Slot] * Full / float64(share)
	} else {
		g.whole[Slot] *= 100
	}
}
