package tasktracker

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// childStage is the stage of a child process.
type childStage uint8

const (
	starting childStage = iota // starting, not assigned to a job
	idle                       // ready to work, not assigned to a job: warm, or between two jobs
	busy                       // running an attempt
	kept                       // assigned to a job, waiting for its next attempt
	leaving                    // asked to exit
	halting                    // ordered to stop immediately
	killed                     // killed, but not yet gone
	numChildStages
)

var childStageNames = [numChildStages]string{"starting", "idle", "busy", "kept", "leaving", "halting", "killed"}

// child is one process. The machine never reuses handles.
type child struct {
	handle   int32
	stage    childStage
	up       bool        // has sent Ready
	job      int32       // job to which the child is assigned; 0 means none
	attempt  job.Attempt // its last attempt
	tasks    int32       // number of the job's attempts assigned so far
	deadline int64       // time of the next escalation; see escalate

	// These fields describe the jobs that the child has worked for.
	class  string  // JobInfo.Class of the last job; "" for a warm child
	served []int32 // the earlier jobs, in order; a job to which the child returned appears again
	memory int64   // most memory in bytes that it occupied at the end of an attempt
}

// maxShared is the memory in bytes that a child may occupy and still work for another job. A child
// that has grown costs more memory than a new child costs CPU time.
const maxShared = 64 << 20

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

// takeChild returns a child for an attempt of j. It prefers a child that j keeps. If the
// TaskTracker's own program contains the job, its next choices are a child whose last job was j, a
// child that has worked for a job of the same class, a warm child, and a warm child that is still
// starting. Otherwise, takeChild starts a new child.
func (m *Machine) takeChild(j *jobState) *child {
	var best *child
	for _, c := range m.children {
		if c.stage == kept && c.job == j.seq {
			return c
		}
		if c.suits(j) && (best == nil || best.readiness(j) < c.readiness(j)) {
			best = c
		}
	}
	if best == nil {
		return m.spawn(j.seq)
	}
	if best.warm() {
		m.warmAt = m.now + m.conf.WarmDelay
	}
	return best
}

// warm reports whether c was started in advance and has not worked for any job.
func (c *child) warm() bool { return (c.stage == starting || c.stage == idle) && c.class == "" }

// suits reports whether c is not assigned to a job and may work for j. A child does not return to a
// job that sets TasksPerChild, so it runs no more of the job's tasks.
func (c *child) suits(j *jobState) bool {
	if c.warm() {
		return j.info.OwnProgram
	}
	return c.stage == idle && c.class == j.info.Class &&
		(j.info.TasksPerChild == 0 || !slices.Contains(c.served, j.seq))
}

// readiness compares children that suit job j. A larger value is better.
func (c *child) readiness(j *jobState) int {
	switch {
	case c.stage == starting:
		return 0
	case c.warm():
		return 1
	case c.served[len(c.served)-1] == j.seq: // it has the job's settings and log files
		return 3
	}
	return 2
}

// lacksWarm reports whether there are fewer warm children than configured. It returns false while
// the machine stops or drains, because it needs no more warm children then.
func (m *Machine) lacksWarm() bool {
	if m.stopping || m.draining {
		return false
	}
	n := int32(0)
	for _, c := range m.children {
		if c.warm() {
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

// onChild handles a child's message or exit.
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
		m.ignore("the child is already up")
		return
	}
	c.up = true
	if c.stage == starting {
		c.stage = idle
		m.warmFails = 0
	}
}

// onAttempt handles a busy child's message about its attempt.
func (m *Machine) onAttempt(c *child, a *attempt, in *Input) {
	m.progress(a, in.Progress)
	switch in.Kind {
	case InInHand:
		a.report.Range = in.Range
		a.deadline = m.silence(m.job(a.id.Job)) // in skipping mode, each record counts as progress
	case InFetchFailed:
		m.fetchFailed(heartbeat.FetchFailure{Reduce: a.id, Map: in.Map})
	case InDone:
		a.report.Manifest = slices.Clone(in.Files)
		a.report.Progress = 1_000_000
		m.emit(Output{Kind: OutClean, Attempt: a.id, Keep: a.id.Type == job.Map})
		m.end(a, job.AttemptSucceeded, 0, "")
		c.memory = max(c.memory, a.counters.Builtin[job.PhysicalMemoryBytes])
		m.release(c)
	case InFailed:
		m.emit(Output{Kind: OutClean, Attempt: a.id})
		m.end(a, outcome(in.Failure), in.Failure, in.Text)
		m.leave(c)
	}
}

func (m *Machine) fetchFailed(f heartbeat.FetchFailure) {
	m.urgent = true
	if len(m.fetch) < MaxFetch && !slices.Contains(m.fetch, f) {
		m.fetch = append(m.fetch, f)
	}
}

// release keeps a child for other tasks of its job, or, if the child has run its maximum number of
// tasks, for any job that it may share.
func (m *Machine) release(c *child) {
	if n := m.job(c.job).info.TasksPerChild; n >= 0 && c.tasks >= n {
		m.share(c)
		return
	}
	c.stage = kept
	c.deadline = m.now + m.conf.IdleExit
}

// share makes a child that no longer works for its job available to other jobs of the same class. If
// the child may not work for other jobs, share asks it to exit.
func (m *Machine) share(c *child) {
	c.served = append(c.served, c.job)
	if m.stopping || c.class == "" || len(c.served) >= int(m.conf.JobsPerChild) || c.memory > maxShared ||
		m.shared() >= m.capacity() {
		m.leave(c)
		return
	}
	c.stage, c.job, c.tasks = idle, 0, 0
	c.deadline = m.now + m.conf.IdleExit
}

// shared returns the number of children that wait for another job.
func (m *Machine) shared() int32 {
	n := int32(0)
	for _, c := range m.children {
		if c.stage == idle && !c.warm() {
			n++
		}
	}
	return n
}

// leave asks a child to exit and sets the deadline for killing it.
func (m *Machine) leave(c *child) {
	c.stage = leaving
	c.deadline = m.now + m.conf.KillDelay
	m.emit(Output{Kind: OutExit, Child: c.handle})
}

// stop orders a busy child to stop and sets the deadline for killing it.
func (m *Machine) stop(c *child) {
	c.stage = halting
	c.deadline = m.now + m.conf.KillDelay
	m.emit(Output{Kind: OutTerm, Child: c.handle})
}

// kill kills a child and its descendants. The machine repeats the request until the process has
// exited.
func (m *Machine) kill(c *child) {
	c.stage = killed
	c.deadline = m.now + m.conf.KillDelay
	m.emit(Output{Kind: OutKill, Child: c.handle})
}

// escalate is called when a child's deadline has passed. It asks a child that waits for work to exit
// and kills any other child.
func (m *Machine) escalate(c *child) {
	if c.stage == kept || c.stage == idle {
		m.leave(c)
		return
	}
	m.kill(c)
}

// exited removes a child, which frees the slot of its attempt.
func (m *Machine) exited(c *child, in *Input) {
	m.children = slices.DeleteFunc(m.children, func(d *child) bool { return c == d })
	if a := m.byID[c.attempt]; a != nil && a.child == c.handle {
		m.childGone(a, in.Failure, in.Text)
	}
	if c.warm() {
		m.warmDied()
	}
}

// warmDied delays the start of the next warm child after a warm child has died. The delay grows
// with each consecutive failure so that a program that cannot start does not overload the node.
func (m *Machine) warmDied() {
	m.warmAt = m.now + m.backoff(m.warmFails)
	m.warmFails++
}
