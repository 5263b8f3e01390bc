package jobtracker

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Snapshot yields facts that rebuild the durable state in an empty machine. They can replace the
// journal. The facts preserve the order of each job's lists (Completions, TaskEvents), so that
// positions in these lists remain valid. A fact is valid until yield returns. Do not call Snapshot
// during a Step.
func (m *Machine) Snapshot(yield func(*event.Event)) {
	s := snapshot{m: m, yield: yield}
	if m.starts > 0 {
		s.put(m.now, event.Event{Type: event.Started, N: m.starts - 1, Name: m.cluster, Tracker: m.lastID})
	}
	for _, h := range m.handles {
		s.tracker(m.trackers.Get(h))
	}
	s.usedNumbers()
	for _, seq := range m.order {
		s.job(m.jobs.Get(seq))
	}
	for _, seq := range m.finished {
		j := m.jobs.Get(seq)
		s.put(j.finish, event.Event{Type: event.JobFinished, Job: seq, JobState: j.view.State, Counters: j.final,
			Text: j.text})
	}
	for _, h := range m.handles {
		if t := m.trackers.Get(h); t.lost {
			s.put(t.lostAt, event.Event{Type: event.TrackerLost, Tracker: h, Text: t.lostWhy})
		}
	}
	s.drains()
}

type snapshot struct {
	m        *Machine
	yield    func(*event.Event)
	e        event.Event
	counters job.Counters // of e
}

func (s *snapshot) put(at int64, e event.Event) {
	s.e = e
	s.e.Time = at
	s.yield(&s.e)
}

func (s *snapshot) tracker(t *tracker) {
	v := &t.view
	s.put(t.joined, event.Event{Type: event.TrackerJoined, Tracker: v.Handle, Name: v.Name, Host: v.Host, Rack: v.Rack,
		Addr: t.addr, Incarnation: t.incarnation, Slots: t.slots, Memory: t.memory, VCores: t.vcores})
	if t.blacklisted {
		s.put(t.blackAt, event.Event{Type: event.TrackerBlacklisted, Tracker: v.Handle, Text: t.blackText})
	}
}

// drains yields the names of draining trackers, including unregistered ones, and the drained
// trackers.
func (s *snapshot) drains() {
	for i := range s.m.names {
		n := &s.m.names[i]
		if n.drain == DrainOff {
			continue
		}
		e := event.Event{Type: event.TrackerDraining, Name: n.name, N: int64(n.drain), Text: n.drainWhy}
		if t := s.m.liveByName(int32(i)); t != nil {
			e.Tracker = t.view.Handle
		}
		s.put(n.drainAt, e)
	}
	for _, h := range s.m.live {
		if t := s.m.trackers.Get(h); t.drained > 0 {
			s.put(t.drained, event.Event{Type: event.TrackerDrained, Tracker: h})
		}
	}
}

// usedNumbers yields the numbers of dropped jobs as ranges. The other used numbers are in the
// submission facts of known jobs.
func (s *snapshot) usedNumbers() {
	for _, r := range s.m.used.ranges {
		lo := r[0]
		for _, seq := range s.m.order {
			if seq < r[0] || seq > r[1] {
				continue
			}
			s.usedRange(lo, seq-1)
			lo = seq + 1
		}
		s.usedRange(lo, r[1])
	}
}

func (s *snapshot) usedRange(lo, hi int32) {
	if lo <= hi {
		s.put(s.m.now, event.Event{Type: event.JobRetired, N: int64(lo), Job: hi})
	}
}

func (s *snapshot) job(j *jobState) {
	v := &j.view
	s.put(v.Submit, event.Event{Type: event.JobSubmitted, Job: v.Seq, Spec: v.Spec})
	if v.Start > 0 {
		s.put(v.Start, event.Event{Type: event.JobStarted, Job: v.Seq})
	}
	if v.Priority != v.Spec.Priority {
		s.put(s.m.now, event.Event{Type: event.JobPriorityChanged, Job: v.Seq, Priority: v.Priority})
	}
	started := attemptsByBirth(j)
	for i := range j.log {
		started = s.starts(started, int32(i))
		s.entry(j.entry(i))
	}
	s.starts(started, int32(len(j.log)))
	for i := range j.blamed {
		s.blame(v.Seq, &j.blamed[i])
	}
	if j.killWanted {
		s.put(j.killAt, event.Event{Type: event.JobKillRequested, Job: v.Seq, Text: j.killText})
	}
	if j.commitAt > 0 {
		s.put(j.commitAt, event.Event{Type: event.JobCommitting, Job: v.Seq})
	}
	if j.abortAt > 0 {
		s.put(j.abortAt, event.Event{Type: event.JobAborting, Job: v.Seq, JobState: j.endState, Kind: j.kind, Text: j.text})
	}
}

// entry yields the facts for an entry of the job's log.
func (s *snapshot) entry(l entry) {
	a := l.attempt
	e := event.Event{Job: a.view.ID.Job, Attempt: a.view.ID, Tracker: a.view.Tracker, State: l.state, Kind: l.kind,
		Text: l.text}
	e.Type = event.TaskReopened
	if !l.reopened {
		e.Type = event.AttemptFinished
		e.Counters, e.Manifest = a.counters.fill(&s.counters), a.manifest
		e.ShuffleDone, e.SortDone = a.view.ShuffleDone, a.view.SortDone
		e.Range = l.inHand
		if l.passed {
			e.N = 1
		}
	}
	s.put(l.at(), e)
	if l.taskEnd != job.TaskPending {
		s.put(l.taskEndedAt(), event.Event{Type: event.TaskFinished, Job: a.view.ID.Job, Attempt: a.view.ID,
			Tracker: a.view.Tracker, TaskState: l.taskEnd})
	}
}

// attemptsByBirth returns a job's attempts ordered by born, the length of the job's log when an
// attempt started.
func attemptsByBirth(j *jobState) []*attempt {
	var all []*attempt
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			all = append(all, j.attempts(job.TaskType(typ), i)...)
		}
	}
	slices.SortStableFunc(all, func(a, b *attempt) int { return cmp.Compare(a.born, b.born) })
	return all
}

// starts yields facts about the attempts in started that began before log[at] was added. These are
// their starts and, for running attempts, their grants and limits. starts returns the remaining
// attempts. started must be in the order of attemptsByBirth.
func (s *snapshot) starts(started []*attempt, at int32) []*attempt {
	for len(started) > 0 && started[0].born <= at {
		a := started[0]
		started = started[1:]
		s.put(a.view.Start, event.Event{Type: event.AttemptStarted, Job: a.view.ID.Job, Attempt: a.view.ID,
			Tracker: a.view.Tracker, Slot: a.view.Slot, N: slotsOf(a), Locality: a.view.Locality})
		if a.over() {
			continue
		}
		if _, k := s.m.task(a.view.ID.Task); k.granted == a.view.ID.N+1 {
			s.put(a.view.Start, event.Event{Type: event.CommitGranted, Job: a.view.ID.Job, Attempt: a.view.ID})
		}
		if a.limited() {
			s.put(a.view.Start, event.Event{Type: event.LimitsChanged, Job: a.view.ID.Job, Attempt: a.view.ID,
				Tracker: a.view.Tracker, VCores: a.cpu, Memory: a.memory})
		}
	}
	return started
}

// slotsOf returns the number of slots to record in a fact. A fact records the number only if it
// exceeds one.
func slotsOf(a *attempt) int64 {
	if a.view.Width > 1 {
		return int64(a.view.Width)
	}
	return 0
}

func (s *snapshot) blame(seq int32, b *blame) {
	if b.listed {
		s.put(b.listedAt, event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: b.tracker, Kind: failure.Node,
			Text: b.text})
	}
	if b.refused {
		s.put(b.refusedAt, event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: b.tracker, Kind: failure.NotFound,
			Text: b.refusal})
	}
}
