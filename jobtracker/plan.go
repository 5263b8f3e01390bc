package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// offerWork asks the policy what a tracker should run, if it has a free slot and something waits.
func (m *Machine) offerWork(t *tracker) {
	if m.hasChance(t) {
		m.policy.Assign(m, t.view.Handle, m)
	}
}

// Launch implements scheduler.Plan.
func (m *Machine) Launch(id job.Task, handle int32, slot job.TaskType) bool {
	j, k := m.task(id)
	t := m.trackers[handle]
	if k == nil || t == nil || slot > job.Reduce || t.view.Free(slot) == 0 {
		return false
	}
	if !m.wantsAttempt(j, k, id.Type) || !m.jobMayRun(j, t) || !m.taskMayRun(j, k, id.Type, t) {
		return false
	}
	e := m.fact(event.AttemptStarted)
	e.Job, e.Tracker, e.Slot = id.Job, handle, slot
	e.Attempt = job.Attempt{Task: id, N: int32(len(k.attempts))}
	e.Locality = job.NoData
	if id.Type == job.Map {
		e.Locality = m.locality(j, id.Index, t)
	}
	m.emit(e)
	if len(k.attempts) <= int(e.Attempt.N) {
		return false
	}
	m.watch(k.attempts[e.Attempt.N])
	m.tell(t)
	return true
}

// wantsAttempt tells whether one more attempt of a task may start: it waits, or it runs and speculation is allowed, and the
// job's own limit has room.
func (m *Machine) wantsAttempt(j *jobState, k *task, typ job.TaskType) bool {
	spec := j.view.Spec
	limit := spec.MapLimit
	if typ == job.Reduce {
		limit = spec.ReduceLimit
		if !j.slowStartOver() {
			return false
		}
	}
	if j.view.State != job.Running || limit > 0 && j.view.Running[typ] >= limit {
		return false
	}
	return k.state == job.TaskPending || m.cfg.AllowSpeculation && k.state == job.TaskRunning
}

// Kill implements scheduler.Plan.
func (m *Machine) Kill(id job.Attempt, why string) bool {
	j, k, a := m.attempt(id)
	if a == nil || a.over() {
		return false
	}
	m.kill(a, failure.Killed, clip(why))
	m.settleTask(j, k)
	return true
}
