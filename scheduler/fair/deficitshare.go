package fair

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// shares updates the min shares, the fair shares, and the order of all jobs. In most updates, only
// deficits have changed. Then shares looks at all jobs only to sort them, unless the pools have min
// shares.
func (p *Deficit) shares(v scheduler.View) {
	slots := v.Cluster().Slots
	for k := range job.TaskType(2) {
		changed := slots[k] != p.slots[k]
		if p.x.ClaimsChanged(k) || p.stale || p.least[k] {
			changed = p.sharePools(k) || changed
		}
		if changed {
			p.shareCluster(k, slots[k])
			if p.least[k] || p.set.Pools.LimitsJobs() {
				p.list(k)
			}
		}
		p.order[k].Resort()
	}
	p.stale, p.slots = false, slots
}

// list updates p.order[k], the list of jobs with a task to start. Call it after a change to min
// shares or limits, which can affect any job. After other changes, the place method has already
// updated the list.
func (p *Deficit) list(k job.TaskType) {
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
}

// sharePools divides the weight and the min share of each pool among its jobs. It reports whether the
// shares of the cluster must change.
func (p *Deficit) sharePools(k job.TaskType) bool {
	changed := p.stale
	for jobs := p.byPool.Items; len(jobs) > 0; {
		n := 1
		for n < len(jobs) && jobs[n].Pool == jobs[0].Pool {
			n++
		}
		changed = p.sharePool(jobs[:n], k) || changed
		jobs = jobs[n:]
	}
	return changed
}

// sharePool divides a pool's weight (updateWeights) and min share (updateMinSlots) among its jobs.
// It reports whether any share changed.
func (p *Deficit) sharePool(jobs []*account, k job.TaskType) (changed bool) {
	pl := jobs[0].Pool
	if weigh(jobs, k) || p.stale {
		divideWeight(jobs, k, pl.Weight)
		changed = true
	}
	if pl.Min[k] > 0 { // the division depends on demands and deficits, so any update can change it
		changed = p.shareLeast(p.competing(jobs, k), k, pl.Min[k]) || changed
	}
	return changed
}

// weigh updates each job's weight within its pool and reports whether any weight changed.
func weigh(jobs []*account, k job.TaskType) (changed bool) {
	for _, a := range jobs {
		if own := a.Claim(k); own != a.own[k] {
			a.own[k], a.weight[k], a.least[k], changed = own, 0, 0, true
		}
	}
	return changed
}

// divideWeight divides the pool's weight among those of its jobs that may run and have tasks of
// type k.
func divideWeight(jobs []*account, k job.TaskType, weight float64) {
	sum := 0.0
	for _, a := range jobs {
		if a.own[k] != pool.NoClaim {
			sum += a.own[k]
		}
	}
	for _, a := range jobs {
		if a.own[k] != pool.NoClaim {
			a.weight[k] = float64(a.own[k]*weight) / sum
		}
	}
}

// competing returns those of the given jobs that may run and have tasks of type k. The result is
// valid until the next call.
func (p *Deficit) competing(jobs []*account, k job.TaskType) []*account {
	p.members = p.members[:0]
	for _, a := range jobs {
		if a.own[k] != pool.NoClaim {
			p.members = append(p.members, a)
		}
	}
	return p.members
}

// shareLeast divides the pool's min share among the given jobs and reports whether any job's share
// changed. The rounding remainder goes to the heaviest jobs, then to those with the largest
// deficit.
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

// shareCluster divides the cluster's slots by weight among the jobs that may run and have tasks. Each
// job gets at least its share of its pool's min share (updateFairShares).
func (p *Deficit) shareCluster(k job.TaskType, slots int32) {
	p.share = p.share[:0]
	for _, a := range p.byPool.Items {
		a.fair[k], a.missed[k] = 0, -float64(a.Running[k])
		if a.own[k] != pool.NoClaim {
			p.share = append(p.share, pool.Share{Weight: a.weight[k], Min: a.least[k], Demand: math.MaxInt32})
		}
	}
	pool.FairShares(p.share, slots)
	for i, a := range p.competing(p.byPool.Items, k) {
		a.fair[k] = p.share[i].Fair
		a.missed[k] = a.fair[k] - float64(a.Running[k])
	}
}
