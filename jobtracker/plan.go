package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// offerWork first launches waiting setup and cleanup tasks on a tracker. Then it calls the policy
// if the tracker has room and work is waiting, and the speculator if the tracker still has room.
func (m *Machine) offerWork(t *tracker) {
	m.launchChores(t)
	if m.hasChance(t) {
		m.policy.Assign(m, t.view.Handle, m)
	}
	m.offerSpeculation(t)
}

// Launch implements scheduler.Plan. It starts a waiting task.
func (m *Machine) Launch(id job.Task, handle int32, slot job.TaskType) bool {
	_, k := m.task(id)
	return k != nil && id.Type <= job.Reduce && k.state == job.TaskPending && m.launch(id, handle, slot)
}

// launch starts an attempt of a task if the job and the tracker allow it. It returns false
// otherwise.
func (m *Machine) launch(id job.Task, handle int32, slot job.TaskType) bool {
	j, k := m.task(id)
	t := m.trackers.Get(handle)
	if t == nil || slot > job.Reduce && slot != job.Container {
		return false
	}
	l := m.load(j.view.Spec, id.Type, slot)
	if !t.fits(l) || !m.wantsAttempt(j, id.Type) || !m.jobMayRun(j, t) || !m.taskMayRun(j, k, id.Type, t) {
		return false
	}
	return m.start(j, k, id, t, l)
}

// start starts an attempt of a task on a tracker. It returns false if the state machine rejects the
// attempt. The caller must check that the tracker has room.
func (m *Machine) start(j *jobState, k *task, id job.Task, t *tracker, l load) bool {
	e := m.fact(event.AttemptStarted)
	e.Job, e.Tracker, e.Slot = id.Job, t.view.Handle, l.slot
	if l.width > 1 {
		e.N = int64(l.width)
	}
	e.Attempt = job.Attempt{Task: id, N: int32(len(k.attempts()))}
	e.Locality = job.NoData
	if id.Type == job.Map {
		e.Locality = m.locality(j, id.Index, t)
	}
	m.emit(e)
	if len(k.attempts()) <= int(e.Attempt.N) {
		return false
	}
	m.watch(k.attempts()[e.Attempt.N])
	m.tell(t)
	return true
}

// wantsAttempt reports whether a job is running and may start another attempt of type typ. Both the
// slow start and the job's own limit must allow the attempt.
func (m *Machine) wantsAttempt(j *jobState, typ job.TaskType) bool {
	spec := j.view.Spec
	limit := spec.MapLimit
	if typ == job.Reduce {
		limit = spec.ReduceLimit
		if !j.slowStartOver() {
			return false
		}
	}
	return j.view.State == job.Running && (limit <= 0 || j.view.Running[typ] < limit)
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
