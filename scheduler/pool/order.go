package pool

import (
	"cmp"
	"math"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
)

// An order ranks the pools that have a task to start, neediest first, for tasks of each type and for
// Both. In each pool, it ranks the jobs that have a task to start. A nil order does nothing.
type order [3]ordered.Ranking[*Pool]

func newOrder() *order {
	o := &order{}
	for k := range o {
		o[k].Compare = func(a, b *Pool) int { return comparePools(a, b, k) }
	}
	return o
}

// remove removes the job's pool and, for the given types, the job. They can then change.
func (o *order) remove(j *Job, types [2]bool) {
	if o == nil {
		return
	}
	for k := range o {
		o[k].Take(j.Pool)
	}
	for k := range types {
		if types[k] && j.wants[k] {
			j.Pool.waiting[k].Take(j)
		}
	}
}

// add adds what remove has removed, with its new keys, to the rankings in which it now belongs.
func (o *order) add(j *Job, types [2]bool) {
	if o == nil {
		return
	}
	p := j.Pool
	for k := range types {
		if types[k] && j.wants[k] {
			p.waiting[k].Put(j)
		}
	}
	least := [3]int32{}
	for k := range p.waiting {
		least[k] = min(p.Min[k], p.Demand[k])
		least[Both] += least[k]
	}
	for k := range o {
		p.needy[k] = p.Running[k] < least[k]
		p.ratio[k] = perWeight(p.Running[k], p.Weight)
		if p.needy[k] {
			p.ratio[k] = float64(p.Running[k]) / float64(max(least[k], 1))
		}
	}
	maps, reduces := p.Waits(job.Map), p.Waits(job.Reduce)
	for k, listed := range [3]bool{maps, reduces, maps || reduces} {
		if listed {
			o[k].Put(p)
		}
	}
}

// compareJobs orders the jobs of a pool in Fair mode by running tasks relative to weight, then by
// submission (FairShareComparator). Jobs have no min shares.
func compareJobs(a, b *Job, k job.TaskType) int {
	if a.ratio[k] != b.ratio[k] {
		return cmp.Compare(a.ratio[k], b.ratio[k])
	}
	return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// comparePools orders pools as Hadoop's FairShareComparator does. Pools below their min share come
// first, ordered by the fraction of the min share that they have. Other pools follow, ordered by
// running tasks relative to weight. Names break ties, because all pools have the same start time in
// Hadoop.
func comparePools(a, b *Pool, k int) int {
	if a.needy[k] != b.needy[k] {
		if a.needy[k] {
			return -1
		}
		return 1
	}
	if a.ratio[k] != b.ratio[k] {
		return cmp.Compare(a.ratio[k], b.ratio[k])
	}
	return strings.Compare(a.Name, b.Name)
}

// perWeight returns running tasks, in slots, divided by weight. The result is infinite for weight 0,
// so that such a pool or job comes last.
func perWeight(running int32, weight float64) float64 {
	if weight <= 0 {
		return math.Inf(1)
	}
	return float64(running) / weight
}

// Waits reports whether a job of the pool has a task of type k to start and the pool's limit
// permits one more.
func (p *Pool) Waits(k job.TaskType) bool {
	return len(p.waiting[k].Items) > 0 && p.Running[k] < p.Max[k]
}

// Ranked returns the pools that have a task of type k to start, neediest first. If k is Both, the
// task can be of either type. Each launch changes the list.
func (x *Index) Ranked(k int) []*Pool { return x.order[k].Items }
