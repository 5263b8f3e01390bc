package adaptive

import "github.com/howdah/howdah/job"

// byUtility is the rule of equation 4. It assigns each job-slot to the job with the lowest utility,
// so that the lowest utility becomes as high as possible. The result is the same as moving tasks
// from the most to the least satisfied job (Middleware'11), but each slot takes only one heap
// operation. If fitted is set, Algorithm 1 computes s_fit with f(t), as in Reverse-Adaptive.
type byUtility struct{ fitted bool }

// filling is the state of a rule while it distributes job-slots.
type filling struct {
	kind  job.TaskType
	queue heap
	order []*descriptor // for rules that rank jobs
	i     int
	pass  int
	first int     // byCount: index of the first accepted job in order
	work  float64 // work of the accepted jobs

	weighed []weighed // reused by byWork
}

func (b byUtility) foresees() bool { return b.fitted }

func (b byUtility) reverse() bool { return b.fitted }

// begin serves the late jobs first if conf.AdaptiveLate is top. Then it queues the jobs for reduce
// slots.
func (b byUtility) begin(p *PlacementAlgorithm) {
	p.filling.queue.less = unhappier
	p.filling.queue.jobs = p.filling.queue.jobs[:0]
	p.filling.kind = job.Reduce
	p.filling.i = 0
	for _, d := range p.jobs {
		if d.late && p.opt.late == LateTop {
			fill(p, d, job.Reduce, d.want[job.Reduce])
			fill(p, d, job.Map, d.want[job.Map])
		}
	}
	b.queue(p)
}

// unhappier orders jobs by utility, lowest first, then by rank.
func unhappier(a, b *descriptor) bool {
	return a.u < b.u || a.u == b.u && a.rank < b.rank
}

// queue fills the heap with all jobs that could use a slot of the current type.
func (byUtility) queue(p *PlacementAlgorithm) {
	q := &p.filling.queue
	q.jobs = q.jobs[:0]
	for _, d := range p.jobs {
		if d.alloc[p.filling.kind] < p.ceiling(d, p.filling.kind) {
			p.rate(d)
			q.jobs = append(q.jobs, d)
		}
	}
	q.fill()
}

// rate updates the job's utility. While the rule places reduces, only the utility of reduces
// counts.
func (p *PlacementAlgorithm) rate(d *descriptor) {
	if p.filling.kind == job.Reduce {
		d.u = p.utility.Reduce(d.alloc[job.Reduce], d.want[job.Reduce])
	} else {
		d.u = p.utility.of(d)
	}
}

// ceiling returns the maximum number of job-slots of type k for the job. If conf.AdaptiveSurplus is
// min, the job gets no more map slots than it needs.
func (p *PlacementAlgorithm) ceiling(d *descriptor, k job.TaskType) int32 {
	if k == job.Map && !p.opt.surplus {
		return min(d.want[k], max(d.fit, d.req))
	}
	return d.want[k]
}

func (b byUtility) step(p *PlacementAlgorithm, budget *int) bool {
	q, k := &p.filling.queue, p.filling.kind
	for len(q.jobs) > 0 && p.pools[k][Slot] > 0 {
		if *budget -= 4; *budget < 0 {
			return false
		}
		d := q.jobs[0]
		if !p.give(d, k) || d.alloc[k] >= p.ceiling(d, k) {
			q.pop()
			continue
		}
		p.rate(d)
		q.down(0)
	}
	if k == job.Reduce {
		p.filling.kind = job.Map
		b.queue(p)
		*budget -= len(p.jobs)
		return false
	}
	return true
}

// fill assigns job-slots to the job until the job has n of them or no more fit.
func fill(p *PlacementAlgorithm, d *descriptor, k job.TaskType, n int32) {
	for d.alloc[k] < n && p.give(d, k) {
	}
}
