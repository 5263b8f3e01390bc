package fair

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// none is the weight of a job that has no task of a type, or may not run.
const none = -1

// shares brings the guarantees and fair shares of all jobs up to date, and their order. Most updates find nothing changed
// but deficits: then no share is computed anew.
func (p *Deficit) shares(v scheduler.View) {
	slots := v.Cluster().Slots
	for k := range job.TaskType(2) {
		changed := p.stale || slots[k] != p.slots[k]
		for jobs := p.byPool.Items; len(jobs) > 0; {
			n := 1
			for n < len(jobs) && jobs[n].Pool == jobs[0].Pool {
				n++
			}
			changed = p.sharePool(jobs[:n], k) || changed
			jobs = jobs[n:]
		}
		if changed {
			p.shareCluster(k, slots[k])
		}
		p.sort(k)
	}
	p.stale, p.slots = false, slots
}

// sort puts the jobs that want a task into order.
func (p *Deficit) sort(k job.TaskType) {
	o := &p.order[k]
	o.Items = slices.DeleteFunc(o.Items, func(a *account) bool {
		a.listed[k] = a.Wants(k)
		return !a.listed[k]
	})
	for _, a := range p.byPool.Items {
		a.needy[k] = a.Running[k] < a.least[k]
		if !a.listed[k] && a.Wants(k) {
			a.listed[k] = true
			o.Items = append(o.Items, a)
		}
	}
	o.Resort()
}

// sharePool divides a pool's weight among its jobs by theirs (updateWeights), and so its min share, as far as they can use it
// (updateMinSlots). It reports whether anything is other than it was.
func (p *Deficit) sharePool(jobs []*account, k job.TaskType) (changed bool) {
	pl := jobs[0].Pool
	if p.weigh(jobs, k) || p.stale {
		divideWeight(jobs, k, pl.Weight)
		changed = true
	}
	if pl.Min[k] > 0 { // demands and deficits have a say as well, so it may change at any time
		changed = p.shareLeast(p.competing(jobs, k), k, pl.Min[k]) || changed
	}
	return changed
}

// weigh notes what the jobs of a pool weigh and reports whether one of them weighs other than before.
func (p *Deficit) weigh(jobs []*account, k job.TaskType) (changed bool) {
	for _, a := range jobs {
		own := float64(none)
		if a.Runnable && a.Demand[k] > 0 {
			own = p.x.Weight(a.Job, k)
		}
		if own != a.own[k] {
			a.own[k], a.weight[k], a.least[k], changed = own, 0, 0, true
		}
	}
	return changed
}

// divideWeight gives each of a pool's jobs that have tasks its part of the pool's weight.
func divideWeight(jobs []*account, k job.TaskType, weight float64) {
	sum := 0.0
	for _, a := range jobs {
		if a.own[k] != none {
			sum += a.own[k]
		}
	}
	for _, a := range jobs {
		if a.own[k] != none {
			a.weight[k] = float64(a.own[k]*weight) / sum
		}
	}
}

// competing lists those of some jobs that have tasks of a type.
func (p *Deficit) competing(jobs []*account, k job.TaskType) []*account {
	p.members = p.members[:0]
	for _, a := range jobs {
		if a.own[k] != none {
			p.members = append(p.members, a)
		}
	}
	return p.members
}

// shareLeast divides a pool's min share among its jobs and reports whether one of them gets other than before. What rounding
// leaves goes to the heaviest, then to those with the largest deficit.
func (p *Deficit) shareLeast(members []*account, k job.TaskType, slots int32) (changed bool) {
	slices.SortFunc(members, func(a, b *account) int {
		return cmp.Or(cmp.Compare(b.own[k], a.own[k]), compareDeficits(a, b, k))
	})
	p.share = p.share[:0]
	for _, a := range members {
		p.share = append(p.share, pool.Share{Weight: a.own[k], Demand: a.Demand[k]})
	}
	pool.FairShares(p.share, slots)
	for i := range p.share {
		p.share[i].Fair = math.Floor(p.share[i].Fair)
		slots -= int32(p.share[i].Fair)
	}
	for i, a := range members {
		least := int32(p.share[i].Fair)
		if slots > 0 && least < a.Demand[k] {
			least++
			slots--
		}
		changed = changed || least != a.least[k]
		a.least[k] = least
	}
	return changed
}

// shareCluster gives each job with tasks its share of the cluster by weight, and no less than its part of the pool's min share
// (updateFairShares).
func (p *Deficit) shareCluster(k job.TaskType, slots int32) {
	p.share = p.share[:0]
	for _, a := range p.byPool.Items {
		a.fair[k] = 0
		if a.own[k] != none {
			p.share = append(p.share, pool.Share{Weight: a.weight[k], Min: a.least[k], Demand: math.MaxInt32})
		}
	}
	pool.FairShares(p.share, slots)
	for i, a := range p.competing(p.byPool.Items, k) {
		a.fair[k] = p.share[i].Fair
	}
}
