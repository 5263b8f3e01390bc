package pool

import "github.com/howdah/howdah/job"

// Locality selects how strictly a launch respects the locality of maps.
type Locality uint8

// Rules of locality.
const (
	Wait  Locality = iota // delay scheduling
	Relax                 // like Wait, but maps of jobs that this beat has already tried may run anywhere
)

// Launch starts a task of type k in a slot of the given kind, and reports whether it did. It uses
// the tracker that was passed to Begin, and the neediest pool that can start such a task there.
func (x *Index) Launch(k, slot job.TaskType) bool {
	for _, p := range x.order[k].Items {
		if x.LaunchOf(p, k, slot, Wait) {
			return true // a launch changes the list
		}
	}
	return false
}

// LaunchOf starts a task of the pool and reports whether it did. It tries the pool's jobs in the
// pool's order.
func (x *Index) LaunchOf(p *Pool, k, slot job.TaskType, l Locality) bool {
	if p.Running[k] >= p.Max[k] {
		return false
	}
	for _, j := range p.waiting[k].Items {
		if k == job.Map && x.launchMap(j, slot, l) || k == job.Reduce && x.launchReduce(j, slot) {
			return true
		}
	}
	return false
}

func (x *Index) launchMap(j *Job, slot job.TaskType, rule Locality) bool {
	b := &x.beat
	farthest := x.allowed(j)
	if rule == Relax && j.wait.seen == b.number {
		farthest = job.OffSwitch
	}
	b.skip(j)
	if farthest == job.DataLocal && j.far.has(b.tracker) {
		return false
	}
	index, l, ok := b.v.PickMap(j.Seq, b.tracker, farthest)
	if !ok && farthest == job.DataLocal {
		j.far.add(b.tracker)
	}
	if !ok || !b.plan.Launch(job.Task{Job: j.Seq, Type: job.Map, Index: index}, b.tracker, slot) {
		return false
	}
	b.launched(j, l)
	return true
}

// launchReduce starts a reduce. A reduce starts in a map slot only if its job has no pending maps.
// Otherwise it could occupy the slot that those maps need, and wait for them forever.
func (x *Index) launchReduce(j *Job, slot job.TaskType) bool {
	b := &x.beat
	if slot == job.Map && b.v.Job(j.Seq).Pending[job.Map] > 0 {
		return false
	}
	index, ok := b.v.PickReduce(j.Seq, b.tracker)
	return ok && b.plan.Launch(job.Task{Job: j.Seq, Type: job.Reduce, Index: index}, b.tracker, slot)
}
