package jobtracker

import (
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// beat processes a tracker's report, assigns work to the tracker, and replies with its desired
// state. It replies to a repeated or older report without processing it.
func (m *Machine) beat(in *Input) {
	r := in.Report
	if r == nil {
		m.reply(in, Output{Desired: m.stranger(0)})
		return
	}
	t := m.trackers.Get(r.Tracker)
	if t == nil || t.lost || t.incarnation != r.Incarnation {
		m.reply(in, Output{Tracker: r.Tracker, Desired: m.stranger(r.Seq)})
		return
	}
	m.answering = t
	if r.Seq > t.seq {
		m.hear(t, r)
		m.offerWork(t)
	}
	m.reply(in, Output{Tracker: r.Tracker, Desired: m.desire(t, r.Seq)})
}

// stranger returns the reply to a tracker that is unknown or expired.
func (m *Machine) stranger(seq uint64) *heartbeat.Desired {
	m.desired = heartbeat.Desired{Seq: seq, Run: m.desired.Run[:0], Offsets: m.desired.Offsets[:0],
		Jobs: m.desired.Jobs[:0], Limits: m.desired.Limits[:0], Interval: m.interval(), Epoch: m.Restarts(),
		Containers: m.containers, Register: true}
	return &m.desired
}

// interval returns the time between two regular heartbeats of a tracker, in ms. It limits all
// trackers together to HeartbeatsPerSecond.
func (m *Machine) interval() int64 {
	return max(m.cfg.HeartbeatMin, 1000*int64(len(m.live))/m.cfg.HeartbeatsPerSecond)
}

func (m *Machine) desire(t *tracker, seq uint64) *heartbeat.Desired {
	d := &m.desired
	d.Seq, d.Interval, d.Full, d.Register, d.Draining = seq, m.interval(), t.needFull, false, t.draining
	d.Epoch, d.Containers, d.Advice = m.Restarts(), m.containers, nil
	d.Run, d.Offsets, d.Limits = d.Run[:0], d.Offsets[:0], d.Limits[:0]
	for _, a := range t.run {
		d.Run = append(d.Run, a.view.ID)
		d.Offsets = append(d.Offsets, m.splitOffset(a.view.ID.Task))
		if a.limited() {
			d.Limits = append(d.Limits, heartbeat.Limit{Attempt: a.view.ID, CPU: a.cpu, Memory: a.memory})
		}
	}
	d.Jobs = append(d.Jobs[:0], t.jobs...)
	return d
}

// splitOffset returns the offset of a map's split, or 0 for another task.
func (m *Machine) splitOffset(t job.Task) int64 {
	if t.Type != job.Map {
		return 0
	}
	return m.jobs.Get(t.Job).view.Spec.Splits[t.Index].Offset
}

// hear processes a tracker's new report and makes the decisions that follow from it.
func (m *Machine) hear(t *tracker, r *heartbeat.Report) {
	m.heard(t)
	t.seq = r.Seq
	t.woken = false
	t.unheard = false
	t.unhealthy = clip(r.Unhealthy)
	m.noteRoom(t)
	t.view.OtherLoad = min(max(0, r.OtherLoad), million)
	if s := validSlots(r.Slots); s != t.slots {
		m.changeTracker(t, s, "")
	}
	if r.Full {
		t.needFull = false
	}
	m.sift(t, r)
	for i := range r.Attempts {
		m.hearAttempt(m.lines[i], &r.Attempts[i])
	}
	for i := range r.Unheld {
		m.unheld(t, &r.Unheld[i])
	}
	m.missing(t, r)
	for i := range r.Refused {
		m.refusal(t, &r.Refused[i])
	}
	for i := range r.Fetch {
		m.fetchFailed(t, &r.Fetch[i])
	}
	m.finishEnding()
	m.settleDrain(t)
}

// sift marks the tracker's orders that the report lists, and sets m.lines to the order of each line
// of the report. The caller must call it before it processes the lines, because processing changes
// the orders. All other attempts in the report must end. The reply omits them, so the tracker kills
// them. Until then they occupy slots.
func (m *Machine) sift(t *tracker, r *heartbeat.Report) {
	m.clearDying(t)
	m.lines = m.lines[:0]
	for i := range r.Attempts {
		l := &r.Attempts[i]
		m.lines = append(m.lines, nil)
		if i < len(t.run) && t.run[i].view.ID == l.Attempt { // usual, because both are in order of launch
			t.run[i].seen, m.lines[i] = r.Seq, t.run[i]
			continue
		}
		j, _, a := m.attempt(l.Attempt)
		switch {
		case a != nil && !a.over() && a.view.Tracker == t.view.Handle:
			a.seen, m.lines[i] = r.Seq, a
		case l.State.Terminal():
		case a != nil:
			m.die(t, l.Attempt, j.loadOf(a))
		case l.Attempt.Type <= job.Reduce: // an attempt of a dropped job occupies at least one slot
			m.die(t, l.Attempt, load{typ: l.Attempt.Type, slot: l.Attempt.Type, width: 1})
		case l.Attempt.Type <= job.Cleanup:
			m.die(t, l.Attempt, load{typ: l.Attempt.Type, slot: job.Map, width: 1})
		}
	}
}

// hearAttempt processes one line of a report, which is about attempt a. It ignores the line if a is
// nil or an earlier line has ended it.
func (m *Machine) hearAttempt(a *attempt, r *heartbeat.AttemptReport) {
	if a == nil || a.over() {
		return
	}
	j, k := m.task(r.Attempt.Task)
	j.lead(k, r.Attempt.Type, -1)
	a.view.Phase, a.view.Progress = r.Phase, min(max(0, r.Progress), million)
	j.lead(k, r.Attempt.Type, +1)
	a.view.ShuffleDone, a.view.SortDone = r.ShuffleDone, r.SortDone
	if r.Range.Length > 0 {
		a.more().inHand = r.Range
	}
	if r.Status != a.status {
		a.more().status = clip(r.Status)
	}
	if r.Counters != nil {
		a.keepCounters(r.Counters)
	}
	switch r.State {
	case job.AttemptAssigned, job.AttemptRunning:
		a.view.State = job.AttemptRunning
	case job.AttemptSucceeded:
		if a.tests() {
			m.passTest(a)
			break
		}
		if r.Manifest != nil {
			a.more().manifest = r.Manifest
		}
		m.finishAttempt(a, job.AttemptSucceeded, failure.Unknown, clip(r.Text))
	case job.AttemptFailed, job.AttemptKilled:
		m.finishAttempt(a, r.State, r.Kind, clip(r.Text))
	default:
		return
	}
	if r.State.Terminal() {
		m.settleTask(j, k)
		m.settleJob(j)
	}
}

// missing kills running attempts that the tracker's report no longer lists. This happens only if
// something is wrong. If missing did not remove their orders, the tracker would start the same
// attempts again.
func (m *Machine) missing(t *tracker, r *heartbeat.Report) {
	for i := 0; i < len(t.run); i++ {
		a := t.run[i]
		if a.seen == r.Seq || a.view.State != job.AttemptRunning {
			continue
		}
		m.finishAttempt(a, job.AttemptKilled, failure.Node, "the tracker no longer reports the attempt")
		j, k := m.task(a.view.ID.Task)
		m.settleTask(j, k)
		m.settleJob(j)
		i--
	}
}

// refusal records that a tracker cannot read a job's files and kills the job's attempts there. The
// machine never runs the job on that tracker again.
func (m *Machine) refusal(t *tracker, r *heartbeat.Refusal) {
	j := m.jobs.Get(r.Job)
	if j == nil || j.view.State.Terminal() {
		return
	}
	text := clip(r.Text)
	if b := j.blameOf(t.who); b == nil || !b.refused {
		e := m.fact(event.TrackerBlacklisted)
		e.Job, e.Tracker, e.Kind, e.Text = r.Job, t.view.Handle, failure.NotFound, text
		m.emit(e)
	}
	for i := 0; i < len(t.run); i++ {
		if a := t.run[i]; a.view.ID.Job == r.Job {
			m.kill(a, failure.NotFound, text)
			i--
		}
	}
	m.settleJob(j)
}

// fetchFailed counts a reducer's notice that it cannot fetch a map's output. The map fails after
// enough notices (Hadoop: JobInProgress.fetchFailureNotification).
func (m *Machine) fetchFailed(t *tracker, f *heartbeat.FetchFailure) {
	j, k, a := m.attempt(f.Map)
	_, _, reduce := m.attempt(f.Reduce)
	if a == nil || reduce == nil || f.Map.Type != job.Map || f.Reduce.Type != job.Reduce || f.Map.Job != f.Reduce.Job {
		return
	}
	if reduce.over() || reduce.view.Tracker != t.view.Handle || k.winner != f.Map.N {
		return
	}
	p := k.inTrouble()
	p.notices++
	enough := int64(p.notices)*million >= m.cfg.FetchFraction*int64(j.view.Running[job.Reduce])
	if p.notices < m.cfg.FetchNotices || !enough {
		return
	}
	m.reopen(k, job.AttemptFailed, failure.IO, "Too many fetch-failures")
	m.blacklistForJob(j, a)
	m.settleTask(j, k)
	m.settleJob(j)
}

// die counts an attempt that a tracker is still running but must kill.
func (m *Machine) die(t *tracker, id job.Attempt, l load) {
	j := m.jobs.Get(id.Job)
	t.dying = append(t.dying, dead{id, l, j})
	m.use(t, l, +1)
	if j != nil {
		j.dying++
	}
}

// clearDying releases the resources of a tracker's dying attempts. sift then adds the attempts that
// the current report still lists.
func (m *Machine) clearDying(t *tracker) {
	for _, d := range t.dying {
		m.use(t, d.load, -1)
		if d.job != nil {
			d.job.dying--
		}
	}
	t.dying = t.dying[:0]
}

func hasJob(t *tracker, seq int32) bool { return ordered.Contains(t.jobs, seq) }
