package tasktracker

import (
	"fmt"
	"slices"
	"sort"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// stage is the stage of an attempt on this tracker.
type stage uint8

const (
	waiting stage = iota // waiting for its job's files or a free slot
	running              // in a child
	dying                // its child was ordered to stop or was killed; its slot is occupied until the child is gone
	over                 // ended; the tracker reports it until the JobTracker drops it
	numStages
)

var stageNames = [numStages]string{"waiting", "running", "dying", "over"}

// attempt is an attempt that the JobTracker wants this tracker to run, or one whose process has not
// yet exited.
type attempt struct {
	id       job.Attempt
	offset   int64 // as in heartbeat.Desired.Offsets
	stage    stage
	wanted   bool // part of the last Desired.Run
	child    int32
	deadline int64 // deadline of the task timeout; 0 means none

	// report is the attempt's part of the next heartbeat. For a dying attempt, State, Kind, and
	// Text already contain the outcome, although tell does not report it yet.
	report   heartbeat.AttemptReport
	counters job.Counters
	names    int // total length of the names and groups of user-defined counters, in bytes
	// version counts changes to the counters. sent is the version in the last heartbeat, and acked
	// is the version in the last acknowledged heartbeat.
	version, sent, acked uint32
}

// endedBefore is the failure text of an attempt that the JobTracker drops and later asks for again.
// Such an attempt does not run again.
const endedBefore = "already ended on this TaskTracker"

// tell returns the attempt's report for a heartbeat. If full is set, the report contains all
// counters even if they have not changed.
func (a *attempt) tell(full bool) heartbeat.AttemptReport {
	r := a.report
	r.Attempt = a.id
	if a.stage == running || a.stage == dying {
		// The outcome takes effect only after the last process has exited, because the slot is
		// occupied until then.
		r.State, r.Kind, r.Text = job.AttemptRunning, 0, ""
	}
	if full || a.version != a.acked {
		r.Counters = &a.counters
	}
	a.sent = a.version
	return r
}

// end moves the attempt to stage over and sets the outcome unless one is already set.
func (m *Machine) end(a *attempt, s job.AttemptState, k failure.Kind, text string) {
	a.judge(s, k, text)
	a.stage = over
	a.child = 0
	a.deadline = 0
	m.urgent = true
	m.ended.count(&a.report)
}

// outcome returns the final state of an attempt that ended with a failure of kind k. If the node
// caused the failure, the attempt counts as killed, not as failed.
func outcome(k failure.Kind) job.AttemptState {
	if k == failure.Node {
		return job.AttemptKilled
	}
	return job.AttemptFailed
}

// judge sets the outcome unless one is already set.
func (a *attempt) judge(s job.AttemptState, k failure.Kind, text string) {
	if !a.report.State.Terminal() {
		a.report.State = s
		a.report.Kind = k
		a.report.Text = cut(text, MaxText)
	}
}

// drop ends or forgets an attempt that the JobTracker no longer wants. It has no effect on a dying
// attempt.
func (m *Machine) drop(a *attempt) {
	switch a.stage {
	case running:
		// The tracker reports this outcome if the JobTracker asks for the attempt again before the
		// attempt's processes have exited.
		m.abort(a, job.AttemptKilled, failure.Killed, endedBefore)
	case waiting, over:
		m.forget(a)
	}
}

// forget removes the attempt but keeps its ID so that it cannot start a second time.
func (m *Machine) forget(a *attempt) {
	m.attempts = slices.DeleteFunc(m.attempts, func(b *attempt) bool { return a == b })
	delete(m.byID, a.id)
	m.job(a.id.Job).gone[a.id] = struct{}{}
}

// abort orders the child of a running attempt to stop and sets the attempt's outcome. The tracker
// reports the outcome once the attempt's processes have exited.
func (m *Machine) abort(a *attempt, s job.AttemptState, k failure.Kind, text string) {
	a.judge(s, k, text)
	a.stage = dying
	a.deadline = 0
	m.stop(m.child(a.child))
}

// timeOut ends an attempt that has reported no progress for too long. The failure text is the same
// as Hadoop's.
func (m *Machine) timeOut(a *attempt) {
	seconds := m.job(a.id.Job).info.Timeout / 1000
	m.abort(a, job.AttemptFailed, failure.Timeout, fmt.Sprintf("Task %s failed to report status for %d seconds. Killing!",
		a.id.ID(m.cluster), seconds))
}

// shed kills the youngest running attempt to free resources on the node. The attempt does not count
// as failed.
func (m *Machine) shed(why string) {
	for i := len(m.attempts) - 1; i >= 0; i-- {
		if a := m.attempts[i]; a.stage == running {
			m.abort(a, job.AttemptKilled, failure.DiskFull, why)
			return
		}
	}
	m.ignore("no attempt runs")
}

// childGone ends an attempt whose process exited before the attempt was over. It removes the
// attempt if the JobTracker no longer wants it.
func (m *Machine) childGone(a *attempt, k failure.Kind, text string) {
	m.emit(Output{Kind: OutClean, Attempt: a.id})
	if a.wanted {
		m.end(a, outcome(k), k, text)
		return
	}
	m.ended.count(&a.report)
	m.forget(a)
	m.urgent = true // the slot is free again
}

// startAttempts assigns children to waiting attempts while slots are free and requests the files of
// their jobs. It ends attempts of jobs that this node cannot run.
func (m *Machine) startAttempts() {
	free := m.capacity() - m.busy()
	for _, a := range m.attempts {
		if a.stage != waiting {
			continue
		}
		j := m.job(a.id.Job)
		switch j.stage {
		case unknown:
			j.stage = localizing
			m.emit(Output{Kind: OutLocalize, Job: j.seq})
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
	c.job, c.class = j.seq, j.info.Class
	c.attempt = a.id
	c.tasks++
	c.deadline = 0
	a.stage = running
	a.child = c.handle
	a.deadline = m.silence(j)
	m.emit(Output{Kind: OutLaunch, Child: c.handle, Attempt: a.id, Offset: a.offset})
}

// silence returns the time at which an attempt of j times out if it makes no progress from now on.
// 0 means never.
func (m *Machine) silence(j *jobState) int64 {
	if j.info.Timeout <= 0 {
		return 0
	}
	return m.now + j.info.Timeout
}

// progress applies p, a child's progress message about attempt a. A nil p changes nothing.
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
		a.setUser(&p.User[i])
	}
	if len(p.Builtin) > 0 || len(p.User) > 0 {
		a.version++
	}
	if p.Alive {
		a.deadline = m.silence(m.job(a.id.Job))
	}
}

// setUser sets a user-defined counter. It drops new counters beyond MaxUserCounters and MaxCounterNames.
func (a *attempt) setUser(u *job.UserCounter) {
	c := &a.counters
	i := sort.Search(len(c.User), func(i int) bool {
		o := &c.User[i]
		return o.Group > u.Group || o.Group == u.Group && o.Name >= u.Name
	})
	if i < len(c.User) && c.User[i].Group == u.Group && c.User[i].Name == u.Name {
		c.User[i].Value = u.Value
		return
	}
	if n := len(u.Group) + len(u.Name); len(c.User) < MaxUserCounters && a.names+n <= MaxCounterNames {
		c.User = slices.Insert(c.User, i, *u)
		a.names += n
	}
}
