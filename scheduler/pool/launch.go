package pool

import "github.com/howdah/howdah/job"

// Locality says how much a launch heeds the locality of maps.
type Locality uint8

// The rules.
const (
	Wait  Locality = iota // delay scheduling
	Relax                 // jobs that this beat asked before may run anywhere
)

// Launch starts a task of a type for the neediest pool that has one, in a slot of a kind.
func (x *Index) Launch(k, slot job.TaskType) bool {
	for _, p := range x.ranked[k].Items {
		if x.LaunchOf(p, k, slot, Wait) {
			return true // the list has changed
		}
	}
	return false
}

// LaunchOf starts a task of a pool. The pool's jobs are asked in the pool's order.
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

// launchReduce starts a reduce. In a map slot it would wait for maps that it keeps from running, if any of its job still wait.
func (x *Index) launchReduce(j *Job, slot job.TaskType) bool {
	b := &x.beat
	if slot == job.Map && b.v.Job(j.Seq).Pending[job.Map] > 0 {
		return false
	}
	index, ok := b.v.PickReduce(j.Seq, b.tracker)
	return ok && b.plan.Launch(job.Task{Job: j.Seq, Type: job.Reduce, Index: index}, b.tracker, slot)
}
