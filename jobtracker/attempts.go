package jobtracker

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// finishAttempt ends an attempt whose process is gone.
func (m *Machine) finishAttempt(a *attempt, how job.AttemptState, kind failure.Kind, text string) {
	if how == job.AttemptFailed {
		m.endFailed(a, kind, text, false)
		return
	}
	m.emit(m.ended(a, how, kind, text))
}

// endFailed ends an attempt that failed; passed tells that it was a test of skipping and got through.
func (m *Machine) endFailed(a *attempt, kind failure.Kind, text string, passed bool) {
	e := m.ended(a, job.AttemptFailed, kind, text)
	if a.plan != nil {
		e.Range = a.inHand
	}
	if passed {
		e.N = 1
	}
	j := m.jobs[e.Job]
	m.emit(e)
	if !passed {
		m.blacklistForJob(j, a)
	}
}

// ended is the fact of an attempt's end.
func (m *Machine) ended(a *attempt, how job.AttemptState, kind failure.Kind, text string) *event.Event {
	e := m.fact(event.AttemptFinished)
	e.Job, e.Attempt, e.Tracker = a.view.ID.Job, a.view.ID, a.view.Tracker
	e.State, e.Kind, e.Text = how, kind, text
	e.Counters, e.ShuffleDone, e.SortDone = a.counters, a.shuffleDone, a.sortDone
	if how == job.AttemptSucceeded {
		e.Manifest = a.manifest
	}
	return e
}

// endLive ends an attempt that may still be at work on its tracker: it leaves the tracker's orders at once and occupies its
// slot until the tracker reports without it.
func (m *Machine) endLive(a *attempt, how job.AttemptState, kind failure.Kind, text string) {
	t := m.trackers[a.view.Tracker]
	m.finishAttempt(a, how, kind, text)
	if !t.lost {
		m.die(t, a.view.ID, m.jobs[a.view.ID.Job].loadOf(a))
		m.tell(t)
	}
}

func (m *Machine) kill(a *attempt, kind failure.Kind, why string) {
	m.endLive(a, job.AttemptKilled, kind, why)
}

// settleTask draws the conclusions from a task's durable state, as settleJob does for a job.
func (m *Machine) settleTask(j *jobState, k *task) {
	if len(k.attempts) == 0 {
		return
	}
	limit := j.view.Spec.MapAttempts
	if k.attempts[0].view.ID.Type == job.Reduce {
		limit = j.view.Spec.ReduceAttempts
	}
	switch {
	case k.state == job.TaskSucceeded || k.state == job.TaskFailed || k.state == job.TaskKilled:
	case k.winner >= 0:
		m.finishTask(k.attempts[k.winner], job.TaskSucceeded)
	case k.failures >= limit:
		m.finishTask(k.attempts[k.lastFail], job.TaskFailed)
	}
	if k.live > 0 && (k.state == job.TaskSucceeded || k.state == job.TaskFailed) {
		m.killLive(k, "the task is done without it")
	}
}

func (m *Machine) finishTask(a *attempt, s job.TaskState) {
	e := m.fact(event.TaskFinished)
	e.Job, e.Attempt, e.Tracker, e.TaskState = a.view.ID.Job, a.view.ID, a.view.Tracker, s
	m.emit(e)
}

// endAttempt kills or fails a running attempt on a user's word.
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
	case m.forbids(in, j, op):
		return
	case a.over():
		m.refuse(in, failure.New(failure.Stale, op, id, fmt.Errorf("it is over: %v", a.view.State)))
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

// blacklistForJob puts a tracker on the job's list once too many of the job's attempts failed there.
func (m *Machine) blacklistForJob(j *jobState, a *attempt) {
	t := m.trackers[a.view.Tracker]
	if j.view.Spec.TrackerFailures <= 0 {
		return
	}
	b := j.blameOf(t.who)
	if b.listed || b.failures < j.view.Spec.TrackerFailures {
		return
	}
	e := m.fact(event.TrackerBlacklisted)
	e.Job, e.Tracker, e.Kind = j.view.Seq, t.view.Handle, failure.Node
	e.Text = fmt.Sprintf("%d attempts of the job failed here", b.failures)
	m.emit(e)
}

// blameTrackers counts a fault against each tracker that a successful job had to avoid, and keeps all jobs from a tracker
// with many more faults than the others (JobTracker.FaultyTrackersInfo). Faults are forgotten after a while, and by a restart.
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
			e.Text = fmt.Sprintf("%d successful jobs avoided it", len(n.faults))
			m.emit(e)
		}
	}
}

// tooManyFaults: enough in number, well above the average, and no more than half of the cluster is out.
func (m *Machine) tooManyFaults(faults int) bool {
	if faults < int(m.cfg.MaxBlacklists) {
		return false
	}
	sum, out := int64(0), len(m.avoided)
	for _, h := range m.live {
		sum += int64(len(m.names[m.trackers[h].who].faults))
	}
	n := int64(len(m.live))
	return int64(faults)*n*million > sum*(million+m.cfg.BlacklistAverage) && 2*(out+1) <= len(m.live)
}
