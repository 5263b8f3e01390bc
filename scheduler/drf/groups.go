package drf

import (
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Groups implements scheduler.Grouper. Amounts are numbers of tasks. There are neither guarantees
// nor limits.
func (p *Policy) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	from := len(buf)
	for _, u := range p.order {
		buf = append(buf, scheduler.Group{Name: u.name, Jobs: u.jobs, Weight: u.weight, Max: [2]int32{-1, -1}})
	}
	groups := buf[from:]
	slices.SortFunc(groups, func(a, b scheduler.Group) int { return strings.Compare(a.Name, b.Name) })
	for _, seq := range v.Jobs() {
		x := p.jobs.Get(seq)
		if x == nil {
			continue
		}
		i, _ := slices.BinarySearchFunc(groups, x.user.name,
			func(g scheduler.Group, name string) int { return strings.Compare(g.Name, name) })
		j := v.Job(seq)
		for k := range job.TaskType(2) {
			groups[i].Demand[k] += j.Pending[k] + j.Running[k]
			groups[i].Running[k] += j.Running[k]
		}
	}
	return buf
}

// GroupOf implements scheduler.Grouper.
func (p *Policy) GroupOf(v scheduler.View, seq int32) string {
	if j := v.Job(seq); j != nil {
		return p.set.groupOf(j.Spec, seq)
	}
	return ""
}
