package pool

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Groups implements scheduler.Grouper for the schedulers that use an index.
func (x *Totals) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	first := len(buf)
	for _, p := range x.byName.Items {
		buf = append(buf, scheduler.Group{Name: p.Name, Jobs: p.Jobs, Weight: p.Weight, Min: p.Min, Demand: p.Demand,
			Running: [2]int32{p.Running[0], p.Running[1]}})
	}
	slots := v.Cluster().Slots
	for k := range job.TaskType(2) {
		x.shares(k, slots[k]) // does not set Pool.Fair, because a query must not change decisions
		for i, p := range x.byName.Items {
			g := &buf[first+i]
			g.Max[k], g.Fair[k], g.Borrowed[k] = p.Max[k], int32(math.Round(x.share[i].Fair)), x.borrowed(v, p, k)
			if p.Max[k] == NoLimit {
				g.Max[k] = -1
			}
		}
	}
	return buf
}

// borrowed returns the number of the pool's running tasks of type k that occupy slots of the other
// kind.
func (x *Totals) borrowed(v scheduler.View, p *Pool, k job.TaskType) int32 {
	if p.Running[k] == 0 {
		return 0
	}
	n := int32(0)
	for _, j := range x.queue.Items {
		if j.Pool != p || j.Running[k] == 0 {
			continue
		}
		x.buf = v.Running(j.Seq, k, x.buf[:0])
		for _, a := range x.buf {
			if a.Slot != k && a.Slot <= job.Reduce {
				n++
			}
		}
	}
	return n
}

// GroupOf implements scheduler.Grouper. It returns "" for an unknown job.
func (x *Totals) GroupOf(v scheduler.View, seq int32) string {
	if j := v.Job(seq); j != nil {
		return x.poolOf(j.Spec)
	}
	return ""
}
