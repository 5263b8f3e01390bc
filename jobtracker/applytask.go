package jobtracker

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// The facts of tasks and attempts.

func (m *Machine) applyAttemptStarted(e *event.Event) error {
	j, k := m.task(e.Attempt.Task)
	t := m.trackers.Get(e.Tracker)
	switch {
	case k == nil || e.Job != e.Attempt.Job:
		return refused(e, "no such task")
	case t == nil || t.lost:
		return refused(e, "no live tracker %d", e.Tracker)
	case j.view.State != job.Running && (e.Attempt.Type <= job.Reduce || j.view.State.Terminal()):
		return refused(e, "the job is %v", j.view.State)
	case int(e.Attempt.N) != len(k.attempts()):
		return refused(e, "the attempt's number is %d, not %d", e.Attempt.N, len(k.attempts()))
	case e.Slot > job.Reduce && e.Slot != job.Container || !legalWidth(e.Slot, e.N):
		return refused(e, "an attempt cannot occupy %d slots of kind %v", e.N, e.Slot)
	case k.winner >= 0 || k.state != job.TaskRunning && !k.state.CanBecome(job.TaskRunning):
		return refused(e, "the task is %v", k.state)
	}
	plan := j.skipPlan(k, e.Attempt.Type)
	a := k.add(attempt{
		view: scheduler.Attempt{ID: e.Attempt, Tracker: e.Tracker, Slot: e.Slot, Width: int32(e.N), Locality: e.Locality,
			Start: e.Time},
		detail: &noDetail, born: int32(len(j.log)), assigned: e.Time,
	})
	if e.N == 0 && e.Slot != job.Container {
		a.view.Width = 1
	}
	if plan != nil {
		a.more().plan = plan
	}
	k.live++ // j.leading stays, because a new attempt has no progress
	j.special = j.special || a.view.Slot <= job.Reduce && a.view.Slot != e.Attempt.Type
	j.runs(a)
	j.setTask(k, e.Attempt.Type, e.Attempt.Index, job.TaskRunning)
	if e.Attempt.Type > job.Reduce {
		m.chores = ordered.Remove(m.chores, e.Job)
	}
	t.run = append(t.run, a)
	t.refs++
	t.jobs = ordered.Insert(t.jobs, e.Job)
	m.use(t, j.loadOf(a), +1)
	j.countLaunch(k, a)
	m.recount(j)
	return nil
}

// byStart orders running attempts from oldest to newest, which is the order that policies see. The
// order does not change across restarts.
func byStart(a, b *scheduler.Attempt) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID.Index, b.ID.Index), cmp.Compare(a.ID.N, b.ID.N))
}

func (j *jobState) runs(a *attempt) {
	typ := a.view.ID.Type
	if typ > job.Reduce {
		return
	}
	i, _ := slices.BinarySearchFunc(j.live[typ], &a.view, byStart)
	j.live[typ] = slices.Insert(j.live[typ], i, &a.view)
	j.view.Running[typ]++
}

func (j *jobState) runsNoMore(a *attempt) {
	typ := a.view.ID.Type
	if typ > job.Reduce {
		return
	}
	i, _ := slices.BinarySearchFunc(j.live[typ], &a.view, byStart)
	j.live[typ] = ordered.Without(j.live[typ], i)
	j.view.Running[typ]--
}

func (m *Machine) applyAttemptFinished(e *event.Event) error {
	j, k, a := m.attempt(e.Attempt)
	switch {
	case a == nil || e.Job != e.Attempt.Job:
		return refused(e, "no such attempt")
	case a.over() || !a.view.State.CanBecome(e.State):
		return refused(e, "the attempt is %v and cannot become %v", a.view.State, e.State)
	case !e.State.Terminal():
		return refused(e, "%v is not a terminal state", e.State)
	case e.State == job.AttemptSucceeded && k.winner >= 0:
		return refused(e, "attempt %d has already succeeded", k.winner)
	case a.tests() && e.State == job.AttemptSucceeded || !a.tests() && e.N != 0:
		return refused(e, "only a skipping test may end without success")
	}
	j.lead(k, e.Attempt.Type, -1)
	a.view.State = e.State
	a.kind = e.Kind
	a.conclude(e.Text, e.Counters, e.Manifest)
	a.view.Finish, a.view.ShuffleDone, a.view.SortDone = e.Time, e.ShuffleDone, e.SortDone
	k.live--
	j.lead(k, e.Attempt.Type, +1)
	if k.granted == e.Attempt.N+1 {
		k.granted = 0
	}
	if e.Attempt.Type == job.Cleanup {
		j.still, j.endAfter = false, e.Time+m.cfg.EndWait // also wait until the tracker no longer reports this attempt
	}
	j.runsNoMore(a)
	j.countEnd(a)
	t := m.trackers.Get(a.view.Tracker)
	t.run = slices.DeleteFunc(t.run, func(o *attempt) bool { return o == a })
	m.use(t, j.loadOf(a), -1)
	switch e.State {
	case job.AttemptSucceeded:
		a.view.Progress = million
		k.won(e.Attempt.N)
		j.tally(e.Counters)
	default:
		if e.State == job.AttemptFailed {
			k.failed(e.Attempt.N)
			if passed := e.N != 0; !passed {
				j.countFailure(k, t)
			}
			j.learn(k, a, e)
		}
		if k.live == 0 && k.winner < 0 && k.state == job.TaskRunning {
			j.setTask(k, e.Attempt.Type, e.Attempt.Index, job.TaskPending)
		}
	}
	j.record(a, logEntry{state: e.State}, reason{kind: e.Kind, text: e.Text, inHand: e.Range, passed: e.N != 0})
	m.recount(j)
	return nil
}

// countFailure counts a failed attempt of k against its tracker t, both for the task and for the
// job.
func (j *jobState) countFailure(k *task, t *tracker) {
	if p := k.inTrouble(); !slices.Contains(p.failedOn, t.who) {
		p.failedOn = append(p.failedOn, t.who)
	}
	j.blame(t).failures++
}

func (m *Machine) applyReopened(e *event.Event) error {
	j, k, a := m.attempt(e.Attempt)
	switch {
	case a == nil || e.Job != e.Attempt.Job:
		return refused(e, "no such attempt")
	case e.Attempt.Type != job.Map || k.winner != e.Attempt.N || k.state != job.TaskSucceeded:
		return refused(e, "the attempt does not hold the output of a finished map")
	case j.view.State != job.Running:
		return refused(e, "the job is %v", j.view.State)
	case e.State != job.AttemptFailed && e.State != job.AttemptKilled:
		return refused(e, "%v is not the state of a lost output", e.State)
	}
	a.view.State, a.kind = e.State, e.Kind
	if e.Text != a.text {
		a.more().text = e.Text
	}
	k.won(-1)
	j.countLost(a)
	if e.State == job.AttemptFailed {
		k.failed(e.Attempt.N)
		j.countFailure(k, m.trackers.Get(a.view.Tracker))
	}
	j.setTask(k, e.Attempt.Type, e.Attempt.Index, job.TaskPending)
	j.record(a, logEntry{state: e.State, reopened: true}, reason{kind: e.Kind, text: e.Text, time: e.Time})
	j.outputs = append(j.outputs, Completion{Map: e.Attempt.Index, Attempt: e.Attempt.N, Tracker: a.view.Tracker,
		Obsolete: true})
	m.recount(j)
	return nil
}

func (m *Machine) applyTaskFinished(e *event.Event) error {
	j, k, a := m.attempt(e.Attempt)
	switch {
	case a == nil || e.Job != e.Attempt.Job:
		return refused(e, "no such attempt")
	case !a.over():
		return refused(e, "the attempt is still running")
	case e.TaskState != job.TaskSucceeded && e.TaskState != job.TaskFailed || !k.state.CanBecome(e.TaskState):
		return refused(e, "the task is %v and cannot become %v", k.state, e.TaskState)
	case e.TaskState == job.TaskSucceeded && k.winner != e.Attempt.N:
		return refused(e, "the attempt has not succeeded")
	case e.TaskState == job.TaskFailed && k.winner >= 0:
		return refused(e, "attempt %d has succeeded", k.winner)
	}
	j.setTask(k, e.Attempt.Type, e.Attempt.Index, e.TaskState)
	if e.Attempt.Type == job.Map {
		c := Completion{Map: e.Attempt.Index, Attempt: e.Attempt.N, Tracker: a.view.Tracker}
		if e.TaskState == job.TaskFailed {
			c = Completion{Map: e.Attempt.Index, Attempt: -1}
		}
		j.outputs = append(j.outputs, c)
	}
	l := &j.log[a.logged]
	l.taskEnd = e.TaskState
	if e.Time != a.view.Finish {
		if l.why == 0 {
			l.why = j.because(reason{})
		}
		j.reasons[l.why-1].taskEndAt = e.Time
	}
	m.recount(j)
	return nil
}
