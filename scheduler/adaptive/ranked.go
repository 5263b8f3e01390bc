package adaptive

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
)

// byNeed is the rule of the Adaptive scheduler of NOMS 2010. It makes four passes over the jobs,
// which are ordered by the number of slots that they lack, most first. First, each job with an
// unknown map length and no running map gets one map slot, so that its maps can be measured. Then,
// if conf.AdaptiveLate is top, late jobs get all the slots that they can use. Next, jobs get the
// slots that they need to be on time. Finally, jobs get the remaining map slots, unless
// conf.AdaptiveSurplus is min.
type byNeed struct{}

func (byNeed) foresees() bool { return false }

func (byNeed) reverse() bool { return false }

func (byNeed) begin(p *PlacementAlgorithm) {
	f := &p.filling
	f.order = append(f.order[:0], p.jobs...)
	slices.SortFunc(f.order, needier)
	f.i, f.pass = 0, 0
}

// needier orders jobs by the number of slots that they lack, most first, then by rank.
func needier(a, b *descriptor) int {
	return cmp.Or(cmp.Compare(b.lacks(), a.lacks()), cmp.Compare(a.rank, b.rank))
}

// lacks returns need_j = n_j - running_j of NOMS 2010, in maps.
func (d *descriptor) lacks() int32 { return d.req - d.run[job.Map] }

// Passes of byNeed.
const (
	learn   = iota // one slot for each job with an unknown task length
	urgent         // all slots of late jobs, if conf.AdaptiveLate is top
	needed         // n_j slots
	surplus        // remaining map slots
)

func (byNeed) step(p *PlacementAlgorithm, budget *int) bool {
	for f := &p.filling; f.pass <= surplus; f.pass, f.i = f.pass+1, 0 {
		for ; f.i < len(f.order); f.i++ {
			d := f.order[f.i]
			if *budget -= 1 + int(serve(p, d, f.pass)); *budget < 0 {
				f.i++
				return false
			}
		}
	}
	return true
}

// serve assigns the slots of one pass to the job and returns the number of map slots that it has
// assigned.
func serve(p *PlacementAlgorithm, d *descriptor, pass int) int32 {
	before := d.alloc[job.Map]
	switch {
	case pass == learn && !p.updater.known(d) && d.run[job.Map] == 0:
		fill(p, d, job.Map, min(1, d.want[job.Map]))
	case pass == urgent && d.late && p.opt.late == LateTop:
		fill(p, d, job.Reduce, d.want[job.Reduce])
		fill(p, d, job.Map, d.want[job.Map])
	case pass == needed:
		fill(p, d, job.Reduce, d.want[job.Reduce])
		fill(p, d, job.Map, min(d.req, d.want[job.Map]))
	case pass == surplus && p.opt.surplus:
		fill(p, d, job.Map, d.want[job.Map])
	}
	return d.alloc[job.Map] - before
}

// byCount is the rule that minimizes the number of missed goals and ignores everything else (the
// floor line of Figure 7). Jobs run in the order of their goals. If the work before a goal exceeds
// the capacity that f(t) leaves, byCount gives up the job with the most work (Moore and Hodgson).
// After the accepted jobs come the jobs without a goal, then the given-up jobs, each group with the
// least work first.
type byCount struct{}

func (byCount) foresees() bool { return true }

func (byCount) reverse() bool { return false }

func (byCount) begin(p *PlacementAlgorithm) {
	f := &p.filling
	f.queue.less = heavier
	f.queue.jobs = f.queue.jobs[:0]
	f.order = f.order[:0]
	f.i, f.pass = 0, 0
	f.work = 0
}

// heavier orders jobs by work, most first, then by rank, last first.
func heavier(a, b *descriptor) bool { return a.work > b.work || a.work == b.work && a.rank > b.rank }

// A weighed job is sorted by a copy of its keys, because a comparison of many descriptors mostly waits
// for memory.
type weighed struct {
	d    *descriptor
	work float64
	rank int32
	goal bool
}

func (d *descriptor) weighed() weighed { return weighed{d, d.work, d.rank, d.aim != 0} }

// byWork sorts jobs without a goal first, then by work, least first, then by rank.
func (f *filling) byWork(jobs []*descriptor) {
	f.weighed = f.weighed[:0]
	for _, d := range jobs {
		f.weighed = append(f.weighed, d.weighed())
	}
	slices.SortFunc(f.weighed, lighter)
	for i := range f.weighed {
		jobs[i] = f.weighed[i].d
	}
}

func lighter(a, b weighed) int {
	switch {
	case a.goal != b.goal:
		return b2i(a.goal) - b2i(b.goal)
	case a.work != b.work:
		return cmp.Compare(a.work, b.work)
	}
	return cmp.Compare(a.rank, b.rank)
}

func (byCount) step(p *PlacementAlgorithm, budget *int) bool {
	f := &p.filling
	for ; f.pass == 0 && f.i < len(p.jobs); f.i++ {
		if *budget -= 4; *budget < 0 {
			return false
		}
		accept(p, p.jobs[f.i])
	}
	if f.pass == 0 {
		f.pass, f.i = 1, 0
		slices.SortFunc(f.queue.jobs, byRank)
		f.byWork(f.order)
		// f.order contains the jobs that are not accepted, then the accepted ones. The loop below starts
		// at f.first, the first accepted job.
		f.order = append(f.order, f.queue.jobs...)
		f.first = len(f.order) - len(f.queue.jobs)
	}
	for n := len(f.order); f.i < n; f.i++ {
		d := f.order[(f.first+f.i)%n]
		fill(p, d, job.Reduce, d.want[job.Reduce])
		fill(p, d, job.Map, d.want[job.Map])
		if *budget -= 1 + int(d.alloc[job.Map]); *budget < 0 {
			f.i++
			return false
		}
	}
	return true
}

func byRank(a, b *descriptor) int { return cmp.Compare(a.rank, b.rank) }

// accept accepts the job if it has a goal and its maps may still end in time. If the accepted work
// then exceeds the capacity before the job's map goal, accept drops the accepted job with the most
// work.
func accept(p *PlacementAlgorithm, d *descriptor) {
	f, e := &p.filling, p.estimator
	d.work = d.work * float64(d.demand[job.Map][Slot])
	goal := d.mapGoal
	if d.aim == 0 || goal <= e.now && d.pend[job.Map] > 0 || e.opt.whole && d.pend[job.Map] > 0 &&
		float64(goal-e.now) < d.mu {
		f.order = append(f.order, d)
		return
	}
	f.queue.push(d)
	f.work += d.work
	if f.work > e.integral(e.now, goal, Slot) {
		out := f.queue.pop()
		f.work -= out.work
		f.order = append(f.order, out)
	}
}
