package jobtracker

import (
	"errors"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// A job with a custom committer has chores, which are tasks that set it up and clean up after it,
// as in Hadoop. Lost trackers and refusals affect them as they affect other tasks. However, the
// machine itself assigns them before it asks the policy.

// isChore reports whether the machine hides a fact from policies, because the fact concerns a setup
// or cleanup task, a commit grant, or limits.
func isChore(e *event.Event) bool {
	switch e.Type {
	case event.AttemptStarted, event.AttemptFinished, event.TaskFinished:
		return e.Attempt.Type > job.Reduce
	}
	return e.Type == event.CommitGranted || e.Type == event.LimitsChanged
}

// chore returns the chore that a job needs in its current state, or nil if the job needs none.
func (j *jobState) chore() (id job.Task, k *task) {
	if !j.view.Spec.Committer {
		return job.Task{}, nil
	}
	id = job.Task{Job: j.view.Seq, Type: job.Cleanup}
	switch j.view.State {
	case job.Prep:
		id.Type = job.Setup
	case job.Committing:
		id.Index = job.CleanupCommit
	case job.Aborting:
		if len(j.tasks[job.Setup][0].attempts()) == 0 {
			return id, nil // no setup has run
		}
		id.Index = job.CleanupFailed
		if j.endState == job.Killed {
			id.Index = job.CleanupKilled
		}
	default:
		return id, nil
	}
	return id, &j.tasks[id.Type][id.Index]
}

// choreDone reports whether the job can proceed without waiting for its chore. A failed cleanup
// does not delay an abort.
func (m *Machine) choreDone(j *jobState) bool {
	_, k := j.chore()
	if k == nil || k.state == job.TaskSucceeded {
		return true
	}
	_, _, failed := m.choreFailed(j)
	return j.view.State == job.Aborting && failed
}

// choreFailed reports whether the job's chore has failed and why. A chore fails if too many of its
// attempts failed, or if it waits and every live tracker has refused the job.
func (m *Machine) choreFailed(j *jobState) (failure.Kind, string, bool) {
	_, k := j.chore()
	switch {
	case k == nil:
		return 0, "", false
	case k.state == job.TaskFailed:
		kind, why := m.lastFailure(j)
		return kind, why, true
	case k.state == job.TaskPending:
		return m.refusedEverywhere(j)
	}
	return 0, "", false
}

// settlePrep starts a job that needs no setup or whose setup has succeeded. It ends a job that is
// to be killed or whose setup has failed.
func (m *Machine) settlePrep(j *jobState) {
	kind, why, failed := m.choreFailed(j)
	switch {
	case j.killWanted:
		m.abort(j, job.Killed, failure.Killed, j.killText)
	case failed:
		m.abort(j, job.Failed, kind, why)
	case m.choreDone(j):
		e := m.fact(event.JobStarted)
		e.Job = j.view.Seq
		m.emit(e)
	}
}

// reviewChore updates the list of jobs whose chore is waiting for a tracker.
func (m *Machine) reviewChore(j *jobState) {
	if !j.view.Spec.Committer {
		return
	}
	_, k := j.chore()
	waits := k != nil && k.state == job.TaskPending && (j.view.State == job.Prep || j.still && !j.asked)
	switch listed := ordered.Contains(m.chores, j.view.Seq); {
	case waits && !listed:
		m.chores = ordered.Insert(m.chores, j.view.Seq)
		m.grew = true
	case !waits && listed:
		m.chores = ordered.Remove(m.chores, j.view.Seq)
	}
}

// launchChores launches as many setup and cleanup tasks on a tracker as fit.
func (m *Machine) launchChores(t *tracker) {
	for _, seq := range slices.Clone(m.chores) {
		j := m.jobs.Get(seq)
		id, k := j.chore()
		if l, ok := m.choreLoad(j, t); ok && m.jobMayRun(j, t) && m.taskMayRun(j, k, job.Map, t) {
			m.start(j, k, id, t, l)
		}
	}
}

// choreLoad finds room for a chore. It uses a slot of either type, or memory if the policy places
// tasks by memory.
func (m *Machine) choreLoad(j *jobState, t *tracker) (load, bool) {
	kinds := []job.TaskType{job.Map, job.Reduce}
	if m.containers {
		kinds = []job.TaskType{job.Container}
	}
	for _, slot := range kinds {
		if l := m.load(j.view.Spec, job.Map, slot); t.fits(l) {
			return l, true
		}
	}
	return load{}, false
}

// canCommit grants the commit of a task to the first attempt that asks. The grant lasts until that
// attempt ends. The grant is a fact, so after a restart no other attempt gets one while the first
// attempt might be committing.
func (m *Machine) canCommit(in *Input) {
	_, k, a := m.attempt(in.Attempt)
	if a == nil || a.over() {
		m.refuse(in, failure.New(failure.Stale, "commit", in.Attempt.ID(m.cluster).String(),
			errors.New("the attempt is not running")))
		return
	}
	if k.granted == 0 {
		e := m.fact(event.CommitGranted)
		e.Job, e.Attempt = in.Attempt.Job, in.Attempt
		m.emit(e)
	}
	m.reply(in, Output{Job: in.Attempt.Job, Granted: k.granted == in.Attempt.N+1})
}

func (m *Machine) applyGranted(e *event.Event) error {
	_, k, a := m.attempt(e.Attempt)
	switch {
	case a == nil || a.over() || e.Job != e.Attempt.Job:
		return refused(e, "no such running attempt")
	case k.granted != 0 || k.winner >= 0:
		return refused(e, "another attempt may commit or has succeeded")
	}
	k.granted = e.Attempt.N + 1
	return nil
}
