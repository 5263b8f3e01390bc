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
		p.resort(k)
	}
	p.stale, p.slots = false, slots
}

// resort sorts p.order[k] after the deficits have changed. It sorts only the jobs that are no longer in
// order, and merges them with the others.
func (p *Deficit) resort(k job.TaskType) {
	o, c := &p.order[k], &p.columns[k]
	p.members = p.members[:0]
	kept := len(o.Items) // the list is in order from this index on
	for i := kept - 1; i >= 0; i-- {
		at := o.Items[i]
		if kept < len(o.Items) && p.follows(c, at, o.Items[kept]) {
			p.members = append(p.members, at)
			continue
		}
		kept--
		o.Items[kept] = at
	}
	o.Merge(p.members)
}

// follows reports whether job a comes after job b.
func (p *Deficit) follows(c *columns, a, b int32) bool {
	if x, y := c.deficit[a], c.deficit[b]; x != y && c.needy[a] == c.needy[b] {
		return x < y
	}
	return c.needy[b] && !c.needy[a] || c.needy[a] == c.needy[b] && p.since[b].before(p.since[a])
}

// list updates p.order[k], the list of jobs with a task to start. Call it after a change to min
// shares or limits, which can affect any job. After other changes, the place method has already
// updated the list.
func (p *Deficit) list(k job.TaskType) {
	o, c := &p.order[k], &p.columns[k]
	o.Items = slices.DeleteFunc(o.Items, func(at int32) bool {
		a := p.all[at]
		a.listed[k] = a.Wants(k)
		return !a.listed[k]
	})
	for _, at := range p.byPool.Items {
		a := p.all[at]
		c.needy[at] = a.Running[k] < c.least[at]
		if !a.listed[k] && a.Wants(k) {
			a.listed[k] = true
			o.Items = append(o.Items, at)
		}
	}
}

// sharePools divides the weight and the min share of each pool among its jobs. It reports whether the
// shares of the cluster must change.
func (p *Deficit) sharePools(k job.TaskType) bool {
	p.claims(k)
	changed := p.stale
	for jobs := p.byPool.Items; len(jobs) > 0; {
		n, pl := 1, p.pools[jobs[0]]
		for n < len(jobs) && p.pools[jobs[n]] == pl {
			n++
		}
		changed = p.sharePool(pl, jobs[:n], k) || changed
		jobs = jobs[n:]
	}
	return changed
}

// sharePool divides a pool's weight (updateWeights) and min share (updateMinSlots) among its jobs.
// It reports whether any share changed.
func (p *Deficit) sharePool(pl *pool.Pool, jobs []int32, k job.TaskType) (changed bool) {
	c := &p.columns[k]
	if c.weigh(jobs) || p.stale {
		c.divideWeight(jobs, pl.Weight)
		changed = true
	}
	if pl.Min[k] > 0 { // the division depends on demands and deficits, so any update can change it
		changed = p.shareLeast(p.competing(jobs, k), k, pl.Min[k]) || changed
	}
	return changed
}

// claims updates the claims that can change without a fact about their job.
func (p *Deficit) claims(k job.TaskType) {
	if !p.set.Pools.LimitsJobs() && p.set.BoosterFactor == 1 {
		return
	}
	for _, at := range p.byPool.Items {
		p.columns[k].claim[at] = p.all[at].Claim(k)
	}
}

// weigh updates each job's weight within its pool and reports whether any weight changed.
func (c *columns) weigh(jobs []int32) (changed bool) {
	for _, at := range jobs {
		if own := c.claim[at]; own != c.own[at] {
			c.own[at], c.weight[at], c.least[at], changed = own, 0, 0, true
		}
	}
	return changed
}

// divideWeight divides the pool's weight among those of its jobs that may run and have tasks of the
// type.
func (c *columns) divideWeight(jobs []int32, weight float64) {
	sum := 0.0
	for _, at := range jobs {
		if own := c.own[at]; own != pool.NoClaim {
			sum += own
		}
	}
	for _, at := range jobs {
		if own := c.own[at]; own != pool.NoClaim {
			c.weight[at] = float64(own*weight) / sum
		}
	}
}

// competing returns those of the given jobs that may run and have tasks of type k. The result is
// valid until the next call.
func (p *Deficit) competing(jobs []int32, k job.TaskType) []int32 {
	p.members = p.members[:0]
	for _, at := range jobs {
		if p.columns[k].own[at] != pool.NoClaim {
			p.members = append(p.members, at)
		}
	}
	return p.members
}

// shareLeast divides the pool's min share among the given jobs and reports whether any job's share
// changed. The rounding remainder goes to the heaviest jobs, then to those with the largest
// deficit.
func (p *Deficit) shareLeast(members []int32, k job.TaskType, slots int32) (changed bool) {
	c := &p.columns[k]
	slices.SortFunc(members, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.own[b], c.own[a]), p.compareDeficits(a, b, k))
	})
	p.share = p.share[:0]
	for _, at := range members {
		p.share = append(p.share, pool.Share{Weight: c.own[at], Demand: p.all[at].Demand[k]})
	}
	pool.FairShares(p.share, slots)
	for i := range p.share {
		p.share[i].Fair = math.Floor(p.share[i].Fair)
		slots -= int32(p.share[i].Fair)
	}
	for i, at := range members {
		least := int32(p.share[i].Fair)
		if slots > 0 && least < p.all[at].Demand[k] {
			least++
			slots--
		}
		changed = changed || least != c.least[at]
		c.least[at] = least
	}
	return changed
}

// shareCluster divides the cluster's slots by weight among the jobs that may run and have tasks. Each
// job gets at least its share of its pool's min share (updateFairShares).
func (p *Deficit) shareCluster(k job.TaskType, slots int32) {
	c := &p.columns[k]
	members := p.competing(p.byPool.Items, k)
	p.share = p.share[:0]
	for _, at := range members {
		p.share = append(p.share, pool.Share{Weight: c.weight[at], Min: c.least[at], Demand: math.MaxInt32})
	}
	pool.FairShares(p.share, slots)
	clear(c.fair)
	for i, at := range members {
		c.fair[at] = p.share[i].Fair
	}
	for i, running := range c.running {
		c.missed[i] = c.fair[i] - running
	}
}
