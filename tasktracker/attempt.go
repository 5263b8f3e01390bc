package tasktracker

import (
	"fmt"
	"slices"
	"sort"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// stage is how far an attempt is on this tracker.
type stage uint8

const (
	waiting stage = iota // for its job's files, a free place or a child
	running              // a child has it
	dying                // its child was told to stop; it holds its place until the child is gone
	over                 // it ended and is reported until the JobTracker drops it
	numStages
)

var stageNames = [numStages]string{"waiting", "running", "dying", "over"}

// attempt is one attempt that the JobTracker wants, or wanted until a process of it is gone.
type attempt struct {
	id       job.Attempt
	stage    stage
	wanted   bool // in the last Desired.Run
	child    int32
	deadline int64 // of the task timeout, 0 = none

	// report holds what will be told. Of a dying attempt State, Kind and Text are its outcome already.
	report   AttemptReport
	counters job.Counters
	// version counts changes of the counters; sent and acked are the version in the last beat and in the last answered one.
	version, sent, acked uint32
}

// endedBefore explains an attempt that is desired again after it had been dropped.
const endedBefore = "ended on this TaskTracker before"

// tell describes the attempt for a beat.
func (a *attempt) tell(full bool) AttemptReport {
	r := a.report
	r.Attempt = a.id
	if a.stage == running || a.stage == dying {
		// The outcome counts once the last process is gone: before that the slot is not free.
		r.State, r.Kind, r.Text = job.AttemptRunning, 0, ""
	}
	if full || a.version != a.acked {
		r.Counters = &a.counters
	}
	a.sent = a.version
	return r
}

// end makes an attempt's outcome known. What was decided first stays.
func (m *Machine) end(a *attempt, s job.AttemptState, k failure.Kind, text string) {
	a.judge(s, k, text)
	a.stage = over
	a.child = 0
	a.deadline = 0
	m.urgent = true
	m.ended.count(&a.report)
}

// outcome is the state of an attempt that ended for such a reason. What its node did to it is no failure of the task.
func outcome(k failure.Kind) job.AttemptState {
	if k == failure.Node {
		return job.AttemptKilled
	}
	return job.AttemptFailed
}

// judge decides the outcome unless it has been decided.
func (a *attempt) judge(s job.AttemptState, k failure.Kind, text string) {
	if !a.report.State.Terminal() {
		a.report.State = s
		a.report.Kind = k
		a.report.Text = cut(text, MaxText)
	}
}

// drop lets go of an attempt that is not wanted.
func (m *Machine) drop(a *attempt) {
	switch a.stage {
	case running:
		// Should it be desired again before its processes are gone, this is what the JobTracker hears.
		m.abort(a, job.AttemptKilled, failure.Killed, endedBefore)
	case waiting, over:
		m.forget(a)
	}
}

// forget removes the attempt and remembers that it was here: it must not start a second time.
func (m *Machine) forget(a *attempt) {
	m.attempts = slices.DeleteFunc(m.attempts, func(b *attempt) bool { return a == b })
	delete(m.byID, a.id)
	m.job(a.id.Job).gone[a.id] = struct{}{}
}

// abort has a running attempt killed; the outcome is told when its processes are gone.
func (m *Machine) abort(a *attempt, s job.AttemptState, k failure.Kind, text string) {
	a.judge(s, k, text)
	a.stage = dying
	a.deadline = 0
	m.stop(m.child(a.child))
}

// timeOut gives up an attempt that was silent for too long. The text is Hadoop's.
func (m *Machine) timeOut(a *attempt) {
	seconds := m.job(a.id.Job).info.Timeout / 1000
	m.abort(a, job.AttemptFailed, failure.Timeout, fmt.Sprintf("Task %s failed to report status for %d seconds. Killing!", a.id.ID(m.cluster), seconds))
}

// shed gives up the youngest running attempt, so that the node gets air. It is not the attempt's fault.
func (m *Machine) shed(why string) {
	for i := len(m.attempts) - 1; i >= 0; i-- {
		if a := m.attempts[i]; a.stage == running {
			m.abort(a, job.AttemptKilled, failure.DiskFull, why)
			return
		}
	}
	m.ignore("no attempt runs")
}

// childGone ends an attempt whose process is gone without having said how the attempt went.
func (m *Machine) childGone(a *attempt, k failure.Kind, text string) {
	m.emit(Output{Kind: OutClean, Attempt: a.id})
	if a.wanted {
		m.end(a, outcome(k), k, text)
		return
	}
	m.ended.count(&a.report)
	m.forget(a)
	m.urgent = true // its slot is free again
}

// startAttempts gives waiting attempts a child as far as there is room, and has the files of their jobs fetched.
func (m *Machine) startAttempts() {
	free := m.capacity() - m.busy()
	for _, a := range m.attempts {
		if a.stage != waiting {
			continue
		}
		j := m.job(a.id.Job)
		switch j.stage {
		case unknown:
			j.stage = localising
			m.emit(Output{Kind: OutLocalise, Job: j.seq})
		case ready:
			if free > 0 {
				free--
				m.launch(a, j)
			}
		case refused:
			m.end(a, job.AttemptKilled, failure.Node, j.text)
		}
	}
}

func (m *Machine) launch(a *attempt, j *jobState) {
	c := m.takeChild(j)
	c.stage = busy
	c.job = j.seq
	c.attempt = a.id
	c.tasks++
	c.deadline = 0
	a.stage = running
	a.child = c.handle
	a.deadline = m.silence(j)
	m.emit(Output{Kind: OutLaunch, Child: c.handle, Attempt: a.id})
}

// silence gives the time at which an attempt of the job that is silent from now on is failed.
func (m *Machine) silence(j *jobState) int64 {
	if j.info.Timeout <= 0 {
		return 0
	}
	return m.now + j.info.Timeout
}

// progress takes over what a child says.
func (m *Machine) progress(a *attempt, p *Progress) {
	if p == nil {
		return
	}
	r := &a.report
	r.Phase = p.Phase
	r.Progress = min(max(p.Millionths, r.Progress), 1_000_000)
	r.Status = cut(p.Status, MaxStatus)
	r.ShuffleDone = p.ShuffleDone
	r.SortDone = p.SortDone
	for _, b := range p.Builtin {
		if b.ID < job.NumCounters {
			a.counters.Builtin[b.ID] = b.Value
		}
	}
	for i := range p.User {
		setUser(&a.counters, &p.User[i])
	}
	if len(p.Builtin) > 0 || len(p.User) > 0 {
		a.version++
	}
	if p.Alive {
		a.deadline = m.silence(m.job(a.id.Job))
	}
}

// setUser sets a counter of the job's own; counters above the limit are dropped.
func setUser(c *job.Counters, u *job.UserCounter) {
	i := sort.Search(len(c.User), func(i int) bool {
		o := &c.User[i]
		return o.Group > u.Group || o.Group == u.Group && o.Name >= u.Name
	})
	if i < len(c.User) && c.User[i].Group == u.Group && c.User[i].Name == u.Name {
		c.User[i].Value = u.Value
		return
	}
	if len(c.User) < MaxUserCounters {
		c.User = slices.Insert(c.User, i, *u)
	}
}
