package tasktracker

import (
	"slices"

	"github.com/howdah/howdah/job"
)

// childStage is how far a child process is.
type childStage uint8

const (
	starting childStage = iota // not up yet, bound to no job
	idle                       // up, bound to no job: warm
	busy                       // has an attempt
	kept                       // bound to a job, waits for its next attempt
	leaving                    // asked to leave
	halting                    // told to stop at once
	killed                     // killed; its exit is awaited
	numChildStages
)

var childStageNames = [numChildStages]string{"starting", "idle", "busy", "kept", "leaving", "halting", "killed"}

// child is one process. Handles are never used again.
type child struct {
	handle   int32
	stage    childStage
	up       bool        // has said Ready
	job      int32       // to which it is bound, 0 = to none
	attempt  job.Attempt // that it was given last
	tasks    int32       // attempts that it was given
	deadline int64       // what happens then depends on the stage: see escalate
}

func (m *Machine) child(handle int32) *child {
	for _, c := range m.children {
		if c.handle == handle {
			return c
		}
	}
	return nil
}

func (m *Machine) spawn(seq int32) *child {
	m.lastChild++
	c := &child{handle: m.lastChild, job: seq}
	m.children = append(m.children, c)
	m.emit(Output{Kind: OutSpawn, Child: c.handle, Job: seq})
	return c
}

// takeChild finds a child for an attempt of the job: one that worked for the job before, a warm one, a warm one that is still
// starting, or a new one.
func (m *Machine) takeChild(j *jobState) *child {
	var best *child
	for _, c := range m.children {
		if c.stage == kept && c.job == j.seq {
			return c
		}
		if !j.info.OwnProgram || c.stage != idle && c.stage != starting {
			continue
		}
		if best == nil || best.stage == starting && c.stage == idle {
			best = c
		}
	}
	if best != nil {
		m.warmAt = m.now + m.conf.WarmDelay
		return best
	}
	return m.spawn(j.seq)
}

// lacksWarm reports whether there are fewer warm children than configured.
func (m *Machine) lacksWarm() bool {
	if m.stopping || m.draining {
		return false
	}
	n := int32(0)
	for _, c := range m.children {
		if c.stage == starting || c.stage == idle {
			n++
		}
	}
	return n < m.conf.Warm
}

func (m *Machine) startWarm() {
	if m.now < m.warmAt {
		return
	}
	for m.lacksWarm() {
		m.spawn(0)
	}
}

// onChild takes what a child says.
func (m *Machine) onChild(in *Input) {
	c := m.child(in.Child)
	if c == nil {
		m.ignore("unknown child")
		return
	}
	switch {
	case in.Kind == InExited:
		m.exited(c, in)
	case in.Kind == InReady:
		m.childUp(c)
	case c.stage != busy:
		m.ignore("the child has no attempt")
	default:
		m.onAttempt(c, m.byID[c.attempt], in)
	}
}

func (m *Machine) childUp(c *child) {
	if c.up {
		m.ignore("the child is up already")
		return
	}
	c.up = true
	if c.stage == starting {
		c.stage = idle
		m.warmFails = 0
	}
}

// onAttempt takes what a busy child says of its attempt.
func (m *Machine) onAttempt(c *child, a *attempt, in *Input) {
	m.progress(a, in.Progress)
	switch in.Kind {
	case InInHand:
		a.report.Range = in.Range
		a.deadline = m.silence(m.job(a.id.Job)) // it goes from record to record
	case InFetchFailed:
		m.fetchFailed(FetchFailure{Reduce: a.id, Map: in.Map})
	case InDone:
		a.report.Manifest = slices.Clone(in.Files)
		a.report.Progress = 1_000_000
		m.emit(Output{Kind: OutClean, Attempt: a.id, Keep: a.id.Type == job.Map})
		m.end(a, job.AttemptSucceeded, 0, "")
		m.release(c)
	case InFailed:
		m.emit(Output{Kind: OutClean, Attempt: a.id})
		m.end(a, outcome(in.Failure), in.Failure, in.Text)
		m.leave(c)
	}
}

func (m *Machine) fetchFailed(f FetchFailure) {
	m.urgent = true
	if len(m.fetch) < MaxFetch && !slices.Contains(m.fetch, f) {
		m.fetch = append(m.fetch, f)
	}
}

// release keeps a child for further tasks of its job, or lets it go.
func (m *Machine) release(c *child) {
	if n := m.job(c.job).info.TasksPerChild; n >= 0 && c.tasks >= n {
		m.leave(c)
		return
	}
	c.stage = kept
	c.deadline = m.now + m.conf.IdleExit
}

// leave asks a child to leave; it is killed when it does not.
func (m *Machine) leave(c *child) {
	c.stage = leaving
	c.deadline = m.now + m.conf.KillDelay
	m.emit(Output{Kind: OutExit, Child: c.handle})
}

// stop tells a busy child to stop; it is killed when it does not.
func (m *Machine) stop(c *child) {
	c.stage = halting
	c.deadline = m.now + m.conf.KillDelay
	m.emit(Output{Kind: OutTerm, Child: c.handle})
}

// kill kills a child and its descendants. The order is repeated until the process is gone.
func (m *Machine) kill(c *child) {
	c.stage = killed
	c.deadline = m.now + m.conf.KillDelay
	m.emit(Output{Kind: OutKill, Child: c.handle})
}

// escalate acts on a child's deadline.
func (m *Machine) escalate(c *child) {
	if c.stage == kept {
		m.leave(c)
		return
	}
	m.kill(c)
}

// exited removes a child. Only now is its attempt's place free.
func (m *Machine) exited(c *child, in *Input) {
	m.children = slices.DeleteFunc(m.children, func(d *child) bool { return c == d })
	if a := m.byID[c.attempt]; a != nil && a.child == c.handle {
		m.childGone(a, in.Failure, in.Text)
	}
	if c.stage == starting || c.stage == idle {
		m.warmDied()
	}
}

// warmDied delays the next warm child, longer each time, so that a program that cannot start does not eat the machine.
func (m *Machine) warmDied() {
	m.warmAt = m.now + m.backoff(m.warmFails)
	m.warmFails++
}
