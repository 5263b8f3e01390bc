package jobtracker

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
)

// The types and methods in this file expose the machine's state to drivers and pages. The machine
// owns the pointers and slices, which are read-only and valid until the next Step.

// Completion is an entry in a job's append-only list of map outputs. Reducers fetch the outputs in
// this list. An entry with Obsolete set revokes the earlier entry of the same attempt. Attempt is
// -1 if the map failed permanently; such a map has no output.
type Completion struct {
	Map      int32
	Attempt  int32
	Tracker  int32
	Obsolete bool
}

// TaskEvent is an entry in a job's append-only list of ended attempts (Hadoop's task completion
// events).
type TaskEvent struct {
	Attempt job.Attempt
	Tracker int32
	Status  string // SUCCEEDED, FAILED, KILLED, OBSOLETE, TIPFAILED
	Millis  int64  // duration of the attempt
}

// JobInfo is a job with additional data for drivers and pages.
type JobInfo struct {
	*scheduler.Job
	Finish   int64 // milliseconds since the epoch; 0 = unfinished
	Kind     failure.Kind
	Text     string   // why the job failed or was killed
	Waiting  [2]int32 // number of tasks without a running attempt, including reduces that wait for the slow start
	Progress [2]int32 // of the maps and of the reduces, in millionths
	Input    int64    // total size of all splits, in bytes
	// Special reports whether attempts have occupied slots of the other type or had their limits
	// changed.
	Special bool
}

// AttemptInfo is an attempt with additional data for drivers and pages.
type AttemptInfo struct {
	*scheduler.Attempt
	Finish      int64 // 0 = running
	Kind        failure.Kind
	Text        string
	Status      string
	counters    *counters
	Manifest    []job.OutputFile
	Winner      bool
	CPU, Memory int32         // limits, as in Limit
	Changes     []LimitChange // the latest changes to the limits, oldest first
}

// Counters returns a copy of the counters as last reported. nil means that the TaskTracker has not
// reported any yet.
func (a *AttemptInfo) Counters() *job.Counters {
	c := a.counters.fill(&job.Counters{})
	if c != nil {
		c.User = slices.Clone(c.User)
	}
	return c
}

// Counter returns the value of a built-in counter as last reported, or 0.
func (a *AttemptInfo) Counter(id job.CounterID) int64 { return a.counters.get(id) }

// TrackerInfo is a tracker with additional data for drivers and pages.
type TrackerInfo struct {
	*scheduler.Tracker
	Addr        string
	Incarnation int64
	Joined      int64
	LastBeat    int64
	Live        bool
	Unheard     bool   // registered before the JobTracker restarted, and has not reported since
	Lost        string // why the tracker expired or left
	LostAt      int64
	Blacklisted string // why the cluster blacklisted the tracker; "" = not blacklisted
	Unhealthy   string
	Run         int // number of attempts that the tracker must run
	Dying       int // number of attempts that the tracker must end but has not ended
}

// Serves reports whether a live tracker runs, or has run, an attempt of an unfinished job.
func (m *Machine) Serves(handle, seq int32) bool {
	t := m.trackers.Get(handle)
	return t != nil && !t.lost && hasJob(t, seq)
}

// ClusterID returns the part of each job ID that identifies the cluster.
func (m *Machine) ClusterID() string { return m.cluster }

// Restarts returns the number of times that the JobTracker has restarted on this journal.
func (m *Machine) Restarts() int64 { return max(0, m.starts-1) }

// Policy returns the active scheduling policy.
func (m *Machine) Policy() scheduler.Policy { return m.policy }

// AllJobs returns the numbers of all known jobs in ascending order, including finished jobs.
func (m *Machine) AllJobs() []int32 { return m.order }

// LastJob returns the highest job number that has been used.
func (m *Machine) LastJob() int32 { return m.used.last() }

// UsedJobs returns how many job numbers have been used.
func (m *Machine) UsedJobs() int64 {
	n := int64(0)
	for _, r := range m.used.ranges {
		n += int64(r[1]-r[0]) + 1
	}
	return n
}

// WasUsed reports whether a job number has been used.
func (m *Machine) WasUsed(seq int32) bool { return m.used.has(seq) }

// Ahead reports whether a tracker's report refers to something that the machine has not decided,
// and describes it: a handle that it has not assigned, or an attempt that it has not started. In
// that case, the journal has lost facts. Ahead ignores attempts of jobs that have ended or that the
// machine has dropped.
func (m *Machine) Ahead(r *heartbeat.Report) (what string, ahead bool) {
	if r.Tracker > m.lastID {
		return "its registration", true
	}
	for i := range r.Attempts {
		id := r.Attempts[i].Attempt
		j, t, _ := m.attempt(id)
		unknown := j == nil && !m.used.has(id.Job)
		if j != nil && !j.view.State.Terminal() {
			unknown = t == nil || int(id.N) >= len(t.attempts())
		}
		if unknown {
			return id.ID(m.cluster).String(), true
		}
	}
	return "", false
}

// JobByKey returns the number of the job that was submitted with the given key, or 0 if the machine
// has no such job.
func (m *Machine) JobByKey(key string) int32 { return m.keys[key] }

// JobInfo returns a job with its current state. ok is false if the job is unknown or retired.
func (m *Machine) JobInfo(seq int32) (info JobInfo, ok bool) {
	j := m.jobs.Get(seq)
	if j == nil {
		return JobInfo{}, false
	}
	return JobInfo{Job: &j.view, Finish: j.finish, Kind: j.kind, Text: j.text, Waiting: j.pending,
		Progress: [2]int32{j.progress(job.Map), j.progress(job.Reduce)}, Input: j.input, Special: j.special}, true
}

// progress returns the mean progress of the job's tasks of type typ, in millionths. Permanently
// failed tasks count as complete, unless the job has failed or was killed. Then, only successful
// tasks count, as in the history of Hadoop 3 (Hadoop 1 shows 100% for such jobs). A job without
// tasks of this type has no progress before it commits, and full progress from then on unless it
// fails.
func (j *jobState) progress(typ job.TaskType) int32 {
	n := int64(j.view.Tasks[typ])
	if n == 0 {
		if j.view.State == job.Succeeded || j.view.State == job.Committing {
			return million
		}
		return 0
	}
	done := int64(j.view.Finished[typ])
	if s := j.view.State; s != job.Failed && s != job.Killed {
		done += int64(j.view.Failed[typ])
	}
	return int32((done*million + j.leading[typ]) / n)
}

// Counters returns the sum of the job's own counters and those of its successful attempts. If
// running is set, it includes those of each running task's most advanced attempt. For a finished
// job it returns the final values. It returns nil for an unknown job.
func (m *Machine) Counters(seq int32, running bool) *job.Counters {
	j := m.jobs.Get(seq)
	if j == nil {
		return nil
	}
	if j.final != nil {
		return j.final
	}
	c := &job.Counters{}
	j.total(c, running)
	return c
}

// CountersOf returns the part of Counters that belongs to the tasks of one type, with those of running
// tasks. It returns nil for an unknown job, and for an old one whose tasks have no counters anymore.
func (m *Machine) CountersOf(seq int32, t job.TaskType) *job.Counters {
	j, c := m.jobs.Get(seq), &job.Counters{}
	if j == nil || !j.totalOf(c, t, true) {
		return nil
	}
	return c
}

func (a *attempt) info(k *task) AttemptInfo {
	return AttemptInfo{Attempt: &a.view, Finish: a.view.Finish, Kind: a.kind, Text: a.text, Status: a.status,
		counters: a.counters, Manifest: a.manifest, Winner: k.winner == a.view.ID.N, CPU: a.cpu, Memory: a.memory,
		Changes: a.changes}
}

// Attempts calls f for every attempt of a job until f returns false. The order is by type (maps
// first), index, and attempt number.
func (m *Machine) Attempts(seq int32, f func(AttemptInfo) bool) {
	j := m.jobs.Get(seq)
	if j == nil {
		return
	}
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			k := &j.tasks[typ][i]
			for _, a := range j.attempts(job.TaskType(typ), i) {
				if !f(a.info(k)) {
					return
				}
			}
		}
	}
}

// AttemptInfo returns what the machine knows about an attempt, and whether the attempt exists.
func (m *Machine) AttemptInfo(id job.Attempt) (AttemptInfo, bool) {
	_, k, a := m.attempt(id)
	if a == nil {
		return AttemptInfo{}, false
	}
	return a.info(k), true
}

// Winners calls f for the successful attempt of each finished task of type typ, Map or Reduce,
// ordered by index.
func (m *Machine) Winners(seq int32, typ job.TaskType, f func(AttemptInfo)) {
	j := m.jobs.Get(seq)
	if j == nil || typ > job.Reduce {
		return
	}
	for i := range j.tasks[typ] {
		if k := &j.tasks[typ][i]; k.winner >= 0 {
			f(j.attempts(typ, i)[k.winner].info(k))
		}
	}
}

// Completions returns a job's append-only list of map outputs. It returns nil if the job is unknown
// or the list is empty.
func (m *Machine) Completions(seq int32) []Completion {
	if j := m.jobs.Get(seq); j != nil {
		return j.outputs
	}
	return nil
}

// TaskEvents appends to buf at most n of the job's task completion events, starting with event
// number from.
func (m *Machine) TaskEvents(seq int32, from, n int, buf []TaskEvent) []TaskEvent {
	j := m.jobs.Get(seq)
	if j == nil || from < 0 {
		return buf
	}
	for i := from; i < len(j.log) && i-from < n; i++ {
		l := j.entry(i)
		status := l.state.String()
		switch {
		case l.taskEnd == job.TaskFailed:
			status = "TIPFAILED"
		case l.reopened:
			status = "OBSOLETE"
		}
		buf = append(buf, TaskEvent{Attempt: l.attempt.view.ID, Tracker: l.attempt.view.Tracker, Status: status,
			Millis: l.attempt.view.Finish - l.attempt.view.Start})
	}
	return buf
}

// TrackerName returns the name and the address of a tracker, live or lost. For an unknown tracker,
// both are "".
func (m *Machine) TrackerName(handle int32) (name, addr string) {
	if t := m.trackers.Get(handle); t != nil {
		return t.view.Name, t.addr
	}
	return "", ""
}

// TrackerInfo returns the state of a tracker, live or lost, and reports whether the machine knows
// the tracker.
func (m *Machine) TrackerInfo(handle int32) (TrackerInfo, bool) {
	t := m.trackers.Get(handle)
	if t == nil {
		return TrackerInfo{}, false
	}
	return TrackerInfo{Tracker: &t.view, Addr: t.addr, Incarnation: t.incarnation, Joined: t.joined, LastBeat: t.lastBeat,
		Live: !t.lost, Unheard: t.unheard && !t.lost,
		Lost: t.lostWhy, LostAt: t.lostAt, Blacklisted: t.blackText, Unhealthy: t.unhealthy, Run: len(t.run),
		Dying: len(t.dying)}, true
}
