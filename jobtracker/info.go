package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// What drivers and pages read. Pointers and slices are the machine's own: read-only and valid until the next Step.

// Completion is one entry of a job's append-only list of map outputs, by which reducers learn what to fetch. An entry with
// Obsolete takes the earlier one of the same attempt back. Attempt -1 = the map failed for good within the job's
// failures.maxpercent and has no output.
type Completion struct {
	Map      int32
	Attempt  int32
	Tracker  int32
	Obsolete bool
}

// TaskEvent is one entry of a job's append-only list of ended attempts (Hadoop's task completion events).
type TaskEvent struct {
	Attempt job.Attempt
	Tracker int32
	Status  string // SUCCEEDED, FAILED, KILLED, OBSOLETE, TIPFAILED
	Millis  int64  // how long the attempt ran
}

// JobInfo is a job with what only drivers and pages need.
type JobInfo struct {
	*scheduler.Job
	Finish   int64 // milliseconds since the epoch, 0 = not over
	Kind     failure.Kind
	Text     string   // why it failed or was killed
	Waiting  [2]int32 // tasks without an attempt, slow start or not
	Progress [2]int32 // of maps and reduces, millionths
}

// AttemptInfo is an attempt with what only drivers and pages need.
type AttemptInfo struct {
	*scheduler.Attempt
	Finish      int64 // 0 = it runs
	ShuffleDone int64
	SortDone    int64
	Kind        failure.Kind
	Text        string
	Status      string
	Counters    *job.Counters // as last reported; nil = none yet
	Manifest    []job.OutputFile
	Winner      bool
	CPU, Memory int32         // limits, as in Limit
	Changes     []LimitChange // of the limits, the latest last
}

// TrackerInfo is a tracker with what only drivers and pages need.
type TrackerInfo struct {
	*scheduler.Tracker
	Addr        string
	Incarnation int64
	Joined      int64
	LastBeat    int64
	Live        bool
	Unheard     bool   // known from before a restart of the JobTracker and not heard since
	Lost        string // why it was given up
	LostAt      int64
	Blacklisted string // why all jobs avoid it; "" = they do not
	Unhealthy   string
	Run         int // attempts it shall run
	Dying       int // attempts it shall not run and still has
}

// ClusterID is the identifier inside job ids.
func (m *Machine) ClusterID() string { return m.cluster }

// Restarts counts the starts of a JobTracker on this journal before the present one.
func (m *Machine) Restarts() int64 { return max(0, m.starts-1) }

// Policy is the scheduler in place.
func (m *Machine) Policy() scheduler.Policy { return m.policy }

// AllJobs lists all known jobs by number, finished ones too.
func (m *Machine) AllJobs() []int32 { return m.order }

// LastJob is the highest job number ever used.
func (m *Machine) LastJob() int32 { return m.used.last() }

// UsedJobs counts the job numbers that were ever used.
func (m *Machine) UsedJobs() int64 {
	n := int64(0)
	for _, r := range m.used.ranges {
		n += int64(r[1]-r[0]) + 1
	}
	return n
}

// WasUsed tells whether a job number was ever used.
func (m *Machine) WasUsed(seq int32) bool { return m.used.has(seq) }

// JobByKey gives the job that was submitted with a key, 0 = none.
func (m *Machine) JobByKey(key string) int32 { return m.keys[key] }

// JobInfo tells about a job; ok is false if it is unknown or retired.
func (m *Machine) JobInfo(seq int32) (info JobInfo, ok bool) {
	j := m.jobs[seq]
	if j == nil {
		return JobInfo{}, false
	}
	return JobInfo{Job: &j.view, Finish: j.finish, Kind: j.kind, Text: j.text, Waiting: j.pending,
		Progress: [2]int32{j.progress(job.Map), j.progress(job.Reduce)}}, true
}

// progress is the mean over the tasks of a type, in millionths; a job without such tasks is at 0 until it has succeeded.
func (j *jobState) progress(typ job.TaskType) int32 {
	n := int64(j.view.Tasks[typ])
	if n == 0 || j.view.State == job.Succeeded {
		if j.view.State == job.Succeeded || j.view.State == job.Committing {
			return million
		}
		return 0
	}
	sum := int64(j.view.Finished[typ]+j.view.Failed[typ]) * million
	if j.view.Running[typ] > 0 {
		for i := range j.tasks[typ] {
			if k := &j.tasks[typ][i]; k.live > 0 {
				sum += int64(k.leader().view.Progress)
			}
		}
	}
	return int32(sum / n)
}

// Counters sums a job's counters: its own, and those of its winning attempts; with running those of running attempts too.
// Losers do not count. A job that is over gives what its end has fixed. nil = unknown job.
func (m *Machine) Counters(seq int32, running bool) *job.Counters {
	j := m.jobs[seq]
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

func (a *attempt) info(k *task) AttemptInfo {
	return AttemptInfo{Attempt: &a.view, Finish: a.end, ShuffleDone: a.shuffleDone, SortDone: a.sortDone, Kind: a.kind, Text: a.text,
		Status: a.status, Counters: a.counters, Manifest: a.manifest, Winner: k.winner == a.view.ID.N, CPU: a.cpu, Memory: a.memory, Changes: a.changes}
}

// Attempts calls f for every attempt of a job, maps first, by index and number, until f returns false.
func (m *Machine) Attempts(seq int32, f func(AttemptInfo) bool) {
	j := m.jobs[seq]
	if j == nil {
		return
	}
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			k := &j.tasks[typ][i]
			for _, a := range k.attempts {
				if !f(a.info(k)) {
					return
				}
			}
		}
	}
}

// Winners calls f for each winning attempt of a type by index: what a job commit publishes.
func (m *Machine) Winners(seq int32, typ job.TaskType, f func(AttemptInfo)) {
	j := m.jobs[seq]
	if j == nil || typ > job.Reduce {
		return
	}
	for i := range j.tasks[typ] {
		if k := &j.tasks[typ][i]; k.winner >= 0 {
			f(k.attempts[k.winner].info(k))
		}
	}
}

// Completions gives a job's list of map outputs; it only grows. nil = unknown job or none yet.
func (m *Machine) Completions(seq int32) []Completion {
	if j := m.jobs[seq]; j != nil {
		return j.outputs
	}
	return nil
}

// TaskEvents appends the job's task completion events from a number on to buf, at most n of them.
func (m *Machine) TaskEvents(seq int32, from, n int, buf []TaskEvent) []TaskEvent {
	j := m.jobs[seq]
	if j == nil || from < 0 || from > len(j.log) {
		return buf
	}
	for _, l := range j.log[from:min(len(j.log), from+max(0, n))] {
		status := l.state.String()
		switch {
		case l.taskEnd == job.TaskFailed:
			status = "TIPFAILED"
		case l.reopened:
			status = "OBSOLETE"
		}
		buf = append(buf, TaskEvent{Attempt: l.attempt.view.ID, Tracker: l.attempt.view.Tracker, Status: status, Millis: l.attempt.end - l.attempt.view.Start})
	}
	return buf
}

// TrackerInfo tells about a tracker, live or lost.
func (m *Machine) TrackerInfo(handle int32) (TrackerInfo, bool) {
	t := m.trackers[handle]
	if t == nil {
		return TrackerInfo{}, false
	}
	return TrackerInfo{Tracker: &t.view, Addr: t.addr, Incarnation: t.incarnation, Joined: t.joined, LastBeat: t.lastBeat, Live: !t.lost, Unheard: t.unheard && !t.lost,
		Lost: t.lostWhy, LostAt: t.lostAt, Blacklisted: t.blackText, Unhealthy: t.unhealthy, Run: len(t.run), Dying: len(t.dying)}, true
}
