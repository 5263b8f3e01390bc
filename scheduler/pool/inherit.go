package pool

import (
	"slices"

	"github.com/howdah/howdah/scheduler"
)

// Inherit takes over the state of another index that builds up only over time: how long jobs have
// waited for local data, and since when pools starve.
func (x *Index) Inherit(v scheduler.View, old *Index) {
	if x.moved = old.moved || !x.sameShares(&old.Totals); x.moved {
		old.endPeace(v.Now()) // until now, pools had the shares of the last update
	}
	for _, j := range x.queue.Items {
		if o := old.jobs.Get(j.Seq); o != nil {
			j.wait = o.wait
		}
	}
	for _, j := range old.beat.skipped {
		if mine := x.jobs.Get(j.Seq); mine != nil {
			x.beat.skipped = append(x.beat.skipped, mine)
		}
	}
	x.beat.number, x.beat.at = old.beat.number, old.beat.at
	for _, p := range x.byName.Items {
		if o := old.pools[p.Name]; o != nil {
			p.starve, p.Fair = o.starve, o.Fair
		}
	}
	x.clock, x.starving = old.clock, old.starving
}

// sameShares reports whether another index of the same jobs has the same shares.
func (x *Totals) sameShares(old *Totals) bool {
	return slices.EqualFunc(x.byName.Items, old.byName.Items, func(p, o *Pool) bool {
		return p.Allocation == o.Allocation && p.Running == o.Running && p.Demand == o.Demand
	})
}
