package jobtracker

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// finishAttempt records the end of an attempt. If the attempt failed, the job also blacklists the
// tracker if necessary.
func (m *Machine) finishAttempt(a *attempt, how job.AttemptState, kind failure.Kind, text string) {
	if how == job.AttemptFailed {
		m.endFailed(a, kind, text, false)
		return
	}
	m.emit(m.ended(a, how, kind, text))
}

// endFailed records the end of a failed attempt. passed means that the attempt was a test in
// skipping mode and ran to completion.
func (m *Machine) endFailed(a *attempt, kind failure.Kind, text string, passed bool) {
	e := m.ended(a, job.AttemptFailed, kind, text)
	if a.plan != nil {
		e.Range = a.inHand
	}
	if passed {
		e.N = 1
	}
	j := m.jobs.Get(e.Job)
	m.emit(e)
	if !passed {
		m.blacklistForJob(j, a)
	}
}

// ended returns a fact that records the end of an attempt.
func (m *Machine) ended(a *attempt, how job.AttemptState, kind failure.Kind, text string) *event.Event {
	e := m.fact(event.AttemptFinished)
	e.Job, e.Attempt, e.Tracker = a.view.ID.Job, a.view.ID, a.view.Tracker
	e.State, e.Kind, e.Text = how, kind, text
	e.Counters, e.ShuffleDone, e.SortDone = a.counters.fill(&job.Counters{}), a.view.ShuffleDone, a.view.SortDone
	if how == job.AttemptSucceeded {
		e.Manifest = a.manifest
	}
	return e
}

// endLive ends an attempt that might still be running on its tracker. It removes the attempt from
// the tracker's orders immediately. The attempt occupies its slot until a report from the tracker
// no longer lists it as running.
func (m *Machine) endLive(a *attempt, how job.AttemptState, kind failure.Kind, text string) {
	t := m.trackers.Get(a.view.Tracker)
	m.finishAttempt(a, how, kind, text)
	if !t.lost {
		m.die(t, a.view.ID, m.jobs.Get(a.view.ID.Job).loadOf(a))
		m.tell(t)
	}
}

func (m *Machine) kill(a *attempt, kind failure.Kind, why string) {
	m.endLive(a, job.AttemptKilled, kind, why)
}

// settleTask makes the decisions that follow from a task's durable state, as settleJob does for a
// job. It ends a task that has a winner or too many failures, and kills the other attempts of a
// task that has succeeded or failed.
func (m *Machine) settleTask(j *jobState, k *task) {
	if len(k.attempts()) == 0 {
		return
	}
	limit := j.view.Spec.MapAttempts
	if k.attempts()[0].view.ID.Type == job.Reduce {
		limit = j.view.Spec.ReduceAttempts
	}
	switch {
	case k.state == job.TaskSucceeded || k.state == job.TaskFailed || k.state == job.TaskKilled:
	case k.winner >= 0:
		m.finishTask(k.attempts()[k.winner], job.TaskSucceeded)
	case k.past().failures >= limit:
		m.finishTask(k.attempts()[k.past().lastFail], job.TaskFailed)
	}
	if k.state == job.TaskSucceeded || k.state == job.TaskFailed {
		m.killLive(k, "the task has already ended")
	}
}

func (m *Machine) finishTask(a *attempt, s job.TaskState) {
	e := m.fact(event.TaskFinished)
	e.Job, e.Attempt, e.Tracker, e.TaskState = a.view.ID.Job, a.view.ID, a.view.Tracker, s
	m.emit(e)
	if s == job.TaskSucceeded {
		m.ripe = append(m.ripe, a.view.ID.Task)
	}
}

// endAttempt kills or fails a running attempt at a user's request.
func (m *Machine) endAttempt(in *Input, how job.AttemptState) {
	j, k, a := m.attempt(in.Attempt)
	op := "kill attempt"
	if how == job.AttemptFailed {
		op = "fail attempt"
	}
	id := in.Attempt.ID(m.cluster).String()
	switch {
	case a == nil:
		m.refuse(in, failure.New(failure.NotFound, op, id, errors.New("no such attempt")))
		return
	case a.over():
		m.refuse(in, failure.New(failure.Stale, op, id, fmt.Errorf("it has already ended: %v", a.view.State)))
		return
	}
	text := clip(in.Text)
	if text == "" {
		text = "ended on request"
	}
	m.endLive(a, how, failure.Killed, text)
	m.settleTask(j, k)
	m.settleJob(j)
	m.reply(in, Output{Job: in.Attempt.Job})
}

// blacklistForJob adds a tracker to the job's blacklist if too many of the job's attempts have
// failed there.
func (m *Machine) blacklistForJob(j *jobState, a *attempt) {
	t := m.trackers.Get(a.view.Tracker)
	if j.view.Spec.TrackerFailures <= 0 {
		return
	}
	b := j.blameOf(t.who)
	if b.listed || b.failures < j.view.Spec.TrackerFailures {
		return
	}
	e := m.fact(event.TrackerBlacklisted)
	e.Job, e.Tracker, e.Kind = j.view.Seq, t.view.Handle, failure.Node
	e.Text = fmt.Sprintf("%d attempts of the job failed on this tracker", b.failures)
	m.emit(e)
}

// blameTrackers counts a fault against each tracker on the blacklist of j, which is a successful
// job. If a tracker has many more faults than others, the cluster blacklists it (Hadoop:
// JobTracker.FaultyTrackersInfo). Faults expire after Config.BlacklistWindow, and a restart clears
// them.
func (m *Machine) blameTrackers(j *jobState) {
	if m.cfg.MaxBlacklists == 0 {
		return
	}
	for i := range j.blamed {
		if !j.blamed[i].listed {
			continue
		}
		n := &m.names[j.blamed[i].who]
		keep := n.faults[:0]
		for _, at := range n.faults {
			if at+m.cfg.BlacklistWindow > m.now {
				keep = append(keep, at)
			}
		}
		n.faults = append(keep, m.now)
		if t := m.liveByName(j.blamed[i].who); t != nil && !t.blacklisted && m.tooManyFaults(len(n.faults)) {
			e := m.fact(event.TrackerBlacklisted)
			e.Tracker, e.Kind = t.view.Handle, failure.Node
			e.Text = fmt.Sprintf("%d successful jobs blacklisted this tracker", len(n.faults))
			m.emit(e)
		}
	}
}

// tooManyFaults reports whether the cluster should blacklist a tracker that has the given number of
// faults. The number must be at least Config.MaxBlacklists and must exceed the average by the
// fraction Config.BlacklistAverage. At most half of the cluster can be blacklisted.
func (m *Machine) tooManyFaults(faults int) bool {
	if faults < int(m.cfg.MaxBlacklists) {
		return false
	}
	sum, out := int64(0), len(m.avoided)
	for _, h := range m.live {
		sum += int64(len(m.names[m.trackers.Get(h).who].faults))
	}
	n := int64(len(m.live))
	return int64(faults)*n*million > sum*(million+m.cfg.BlacklistAverage) && 2*(out+1) <= len(m.live)
}
