package pool

// Inherit takes over the state of another index that builds up only over time: how long jobs have
// waited for local data, and since when pools starve.
func (x *Index) Inherit(old *Index) {
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
