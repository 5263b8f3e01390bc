package adaptive

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
)

// byNeed is the Adaptive scheduler of NOMS 2010: a job whose task length is not known gets one slot to learn it, then jobs in
// order of the slots that they lack, each what it needs to be in time. What is left goes the same way, or stays idle.
type byNeed struct{}

func (byNeed) foresees() bool { return false }

func (byNeed) reverse() bool { return false }

func (byNeed) begin(p *PlacementAlgorithm) {
	f := &p.filling
	f.order = append(f.order[:0], p.jobs...)
	slices.SortFunc(f.order, needier)
	f.i, f.pass = 0, 0
}

// needier puts jobs that are late and count as urgent first, then those that lack more slots.
func needier(a, b *descriptor) int {
	return cmp.Or(cmp.Compare(b.lacks(), a.lacks()), cmp.Compare(a.rank, b.rank))
}

// lacks is need_j = n_j - running_j.
func (d *descriptor) lacks() int32 { return d.req - d.run[job.Map] }

// The passes of byNeed.
const (
	learn   = iota // one slot for jobs of which nothing is known
	urgent         // late jobs, if they go first
	needed         // n_j slots
	surplus        // what is left
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

// serve gives a job what a pass has for it and tells how many slots that were.
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

// byCount misses as few goals as it can and cares for nothing else: the floor line of Figure 7. Jobs run in order of their
// goals; where the work up to a goal exceeds what f(t) leaves, the job with the most work is given up (Moore and Hodgson) and
// runs after all others.
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

// heavier puts the job with the most work first.
func heavier(a, b *descriptor) bool { return a.work > b.work || a.work == b.work && a.rank > b.rank }

func lighter(a, b *descriptor) int {
	return cmp.Or(cmp.Compare(b2i(a.goal != 0), b2i(b.goal != 0)), cmp.Compare(a.work, b.work), cmp.Compare(a.rank, b.rank))
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
		slices.SortFunc(f.order, lighter)
		f.order = append(f.order, f.queue.jobs...) // given up first, accepted behind them: read from where these begin
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

// accept takes a job among those that will be in time, and gives one up if it is too much for the time until this goal.
func accept(p *PlacementAlgorithm, d *descriptor) {
	f, e := &p.filling, p.estimator
	d.work = d.work * float64(d.demand[job.Map][Slot])
	goal := d.mapGoal
	if d.goal == 0 || goal <= e.now && d.pend[job.Map] > 0 || e.opt.whole && d.pend[job.Map] > 0 && float64(goal-e.now) < d.mu {
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
