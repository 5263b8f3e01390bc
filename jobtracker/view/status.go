// Package view describes the state of a JobTracker's machine in the types of package status. Call
// its functions only between two steps of the machine. ReadJournal rebuilds a machine from a
// journal.
package view

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// Job returns the part of a job's status that follows from the facts. It returns nil if m does not
// have the job. The caller must pass the attempts to Link, but need not do that between two steps.
func Job(m *jobtracker.Machine, seq int32, q status.Query) *status.Job {
	j, ok := m.JobInfo(seq)
	if !ok {
		return nil
	}
	tasks := func(t job.TaskType) status.Tasks {
		return status.Tasks{Total: j.Tasks[t], Done: j.Finished[t], Running: j.Job.Running[t], Waiting: j.Pending[t],
			Progress: share(j.Progress[t])}
	}
	s := &status.Job{
		ID: job.ID{Cluster: m.ClusterID(), Seq: seq}, Name: j.Spec.Name, User: j.Spec.User, Queue: j.Spec.Queue,
		Priority: j.Priority, State: shown(j.State), Maps: tasks(job.Map), Reduces: tasks(job.Reduce),
		SubmitMs: j.Submit, StartMs: j.Start, FinishMs: j.Finish, DeadlineMs: j.Spec.Deadline,
		Diagnostics: j.Text, Kind: j.Kind, OutputDir: j.Spec.OutputDir, InputBytes: j.Input,
	}
	if j.Spec.StagingDir != "" { // simulated jobs have no staging directory
		s.JobFile = j.Spec.StagingDir + "/job.xml"
	}
	s.Profile, _ = j.Spec.Get(conf.JobProfile.Name)
	s.ProfileFrom, _ = j.Spec.Get(conf.JobProfileFrom.Name)
	switch {
	case q.Attempts && q.Only != nil:
		a, ok := m.AttemptInfo(job.Attempt{Task: job.Task{Job: seq, Type: q.Only.Type, Index: q.Only.Index}, N: q.Only.N})
		if ok && a.ID.ID(m.ClusterID()) == *q.Only {
			s.Attempts = []*status.Attempt{{}}
			fillAttempt(s.Attempts[0], m, &a, q.Counters)
		}
	case q.Attempts:
		var room []status.Attempt // for many attempts, because single ones would take much longer
		m.Attempts(seq, func(a jobtracker.AttemptInfo) bool {
			if len(room) == 0 {
				room = make([]status.Attempt, min(max(len(s.Attempts), 1), attemptsAtOnce))
			}
			fillAttempt(&room[0], m, &a, q.Counters)
			s.Attempts = append(s.Attempts, &room[0])
			room = room[1:]
			return true
		})
	}
	if q.Counters {
		s.Counters = m.Counters(seq, true)
	}
	if q.ByType {
		s.ByType = [2]*job.Counters{m.CountersOf(seq, job.Map), m.CountersOf(seq, job.Reduce)}
	}
	return s
}

// shown returns the state that users see for a job in state s.
func shown(s job.State) job.State {
	if s == job.Committing || s == job.Aborting {
		return job.Running
	}
	return s
}

func share(millionths int32) float32 { return float32(millionths) / 1e6 }

// AddRunning adds data about running attempts to the status of an unfinished job: the number of
// attempts in slots of the other type, and the attempts whose limits have changed.
func AddRunning(m *jobtracker.Machine, s *status.Job, scheme string) {
	if j, ok := m.JobInfo(s.ID.Seq); !ok || !j.Special {
		return // spares a look at thousands of attempts
	}
	borrowed := [2]*int32{&s.Maps.Borrowed, &s.Reduces.Borrowed}
	var buf []*scheduler.Attempt
	for t := range borrowed {
		buf = m.Running(s.ID.Seq, job.TaskType(t), buf[:0])
		for _, a := range buf {
			if a.Slot <= job.Reduce && a.Slot != a.ID.Type {
				*borrowed[t]++
			}
			if info, ok := m.LimitsOf(a.ID); ok {
				limited := &status.Attempt{}
				fillAttempt(limited, m, &info, false)
				s.Limited = append(s.Limited, limited)
			}
		}
	}
	Link(s.Limited, scheme)
}

// attemptsAtOnce is the maximum number of attempts for which Job allocates memory at once.
const attemptsAtOnce = 1000

func fillAttempt(s *status.Attempt, m *jobtracker.Machine, a *jobtracker.AttemptInfo, withCounters bool) {
	*s = status.Attempt{
		ID: a.ID.ID(m.ClusterID()), State: a.State, Slot: a.Slot, StartMs: a.Start, FinishMs: a.Finish,
		Progress: share(a.Progress), Phase: a.Phase, Diagnostics: a.Text, Locality: a.Locality, Status: a.Status,
		Kind: a.Kind, ShuffleMs: a.ShuffleDone, SortMs: a.SortDone, CPULimit: a.CPU, MemoryLimit: a.Memory,
	}
	s.Tracker, s.LogURL = m.TrackerName(a.Tracker) // until Link
	for _, c := range a.Changes {
		s.Limits = append(s.Limits, status.LimitChange{AtMs: c.Time, CPU: c.CPU, Memory: c.Memory, Why: c.Why})
	}
	if s.ID.Type <= job.Reduce {
		s.ShuffleBytes = a.Counter(job.ShuffleCounter(s.ID.Type))
	}
	if withCounters {
		s.Counters = a.Counters()
	}
}

// Link sets the URLs of the attempts' logs. This is not part of Job, because it takes several
// milliseconds for a job with 10,000 attempts, during which the machine would not step.
func Link(attempts []*status.Attempt, scheme string) {
	for _, a := range attempts {
		if a.LogURL != "" {
			a.LogURL = scheme + "://" + a.LogURL + "/tasklog?attemptid=" + a.ID.String()
		}
	}
}

// Events returns at most n of a job's completion events, starting with event number from. known
// reports whether m has the job.
func Events(m *jobtracker.Machine, seq int32, from, n int, scheme string) (out []status.Event, known bool) {
	if m.Job(seq) == nil {
		return nil, false
	}
	for i, e := range m.TaskEvents(seq, from, n, nil) {
		x := status.Event{Number: int32(from + i), Attempt: e.Attempt.ID(m.ClusterID()), State: status.EventState(e.Status),
			RunMs: e.Millis}
		if t, ok := m.TrackerInfo(e.Tracker); ok {
			x.TrackerURL = scheme + "://" + t.Addr
		}
		out = append(out, x)
	}
	return out, true
}

// Tracker returns the status of a TaskTracker.
func Tracker(m *jobtracker.Machine, t *jobtracker.TrackerInfo) status.Tracker {
	s := status.Tracker{Name: t.Name, Host: t.Host, Rack: t.Rack, Addr: t.Addr, LastBeatMs: t.LastBeat,
		Blacklisted: t.Blacklisted != "", Why: t.Blacklisted, OtherLoad: share(t.OtherLoad),
		Maps:    status.Slots{Total: t.Slots[job.Map], Used: t.Used[job.Map]},
		Reduces: status.Slots{Total: t.Slots[job.Reduce], Used: t.Used[job.Reduce]},
		Memory:  status.Slots{Total: t.Memory, Used: t.UsedMemory},
		VCores:  status.Slots{Total: t.VCores, Used: t.UsedVCores}}
	if s.Why == "" {
		s.Why = t.Unhealthy
	}
	if d := m.DrainInfo(t.Handle); d.How != jobtracker.DrainOff {
		s.Drain = &status.Drain{How: status.DrainMode(d.How.String()), Why: d.Why, SinceMs: d.Since, DoneMs: d.Done,
			Attempts: int32(t.Run + t.Dying), Outputs: int32(d.Outputs)}
	}
	return s
}
