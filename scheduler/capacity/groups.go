package capacity

import (
	"github.com/howdah/howdah/scheduler"
)

// Groups implements scheduler.Grouper. Amounts are in slots or MiB.
func (p *Policy) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	for _, q := range p.queues {
		g := scheduler.Group{Name: q.set.Name, Jobs: int32(len(q.jobs.Items)), Weight: float64(q.set.Capacity) / 10_000,
			Max: [2]int32{-1, -1}, Memory: len(p.lanes) == 1}
		for l := range p.lanes {
			total := p.lanes[l].sum(v)
			g.Min[l] = int32(total * q.set.Capacity / million)
			if q.set.Maximum != -1 {
				g.Max[l] = int32(total * q.set.Maximum / million)
			}
		}
		g.Fair = g.Min
		for _, x := range q.jobs.Items {
			j := v.Job(x.seq)
			for l := range p.lanes {
				for _, t := range p.lanes[l].types {
					cost := int32(p.lanes[l].cost(j, t))
					g.Demand[l] += cost * (j.Pending[t] + j.Running[t])
					g.Running[l] += cost * j.Running[t]
				}
			}
		}
		buf = append(buf, g)
	}
	return buf
}

// GroupOf implements scheduler.Grouper.
func (p *Policy) GroupOf(v scheduler.View, seq int32) string {
	if j := v.Job(seq); j != nil {
		return p.queueOf(j.Spec.Queue).set.Name
	}
	return ""
}
