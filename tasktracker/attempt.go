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
	timedOut int64 // of a dying one: milliseconds of silence that it dies of, 0 = not wanted any more

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
		r.State = job.AttemptRunning
	}
	if full || a.version != a.acked {
		r.Counters = &a.counters
	}
	a.sent = a.version
	return r
}

// end makes the attempt's outcome known.
func (m *Machine) end(a *attempt, s job.AttemptState, text string) {
	a.stage = over
	a.child = 0
	a.deadline = 0
	a.report.State = s
	a.report.Text = cut(text, MaxText)
	m.urgent = m.urgent || m.conf.OutOfBand
}

func (m *Machine) fail(a *attempt, k failure.Kind, text string) {
	a.report.Kind = k
	m.end(a, job.AttemptFailed, text)
}

// drop lets go of an attempt that is not wanted.
func (m *Machine) drop(a *attempt) {
	switch a.stage {
	case running:
		a.stage = dying
		a.deadline = 0
		m.stop(m.child(a.child))
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

// timeOut kills an attempt that was silent for too long. The text is Hadoop's.
func (m *Machine) timeOut(a *attempt) {
	a.stage = dying
	a.deadline = 0
	a.timedOut = m.job(a.id.Job).info.Timeout
	m.stop(m.child(a.child))
}

// childGone ends an attempt whose process is gone without having said how the attempt went.
func (m *Machine) childGone(a *attempt, k failure.Kind, text string) {
	m.emit(Output{Kind: OutClean, Attempt: a.id})
	switch {
	case !a.wanted:
		m.forget(a)
	case a.timedOut > 0:
		m.fail(a, failure.Timeout, fmt.Sprintf("Task %s failed to report status for %d seconds. Killing!", a.id.ID(m.cluster), a.timedOut/1000))
	case a.stage == dying:
		a.report.Kind = failure.Killed
		m.end(a, job.AttemptKilled, endedBefore)
	default:
		m.fail(a, k, text)
	}
}

// startAttempts gives waiting attempts a child as far as there is room, and has the files of their jobs fetched.
func (m *Machine) startAttempts() {
	if m.stopping || m.resetting {
		return
	}
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
			a.report.Kind = failure.Node
			m.end(a, job.AttemptKilled, j.text)
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
