package jobtracker

import (
	"cmp"
	"iter"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Snapshot passes facts to yield that rebuild the durable state in an empty machine. They can
// replace the journal. The facts preserve the order of each job's lists (Completions, TaskEvents), so
// that positions in these lists remain valid. A fact is valid until yield returns. Do not call
// Snapshot during a Step.
func (m *Machine) Snapshot(yield func(*event.Event)) {
	for e := range m.Freeze() {
		yield(e)
	}
}

// Freeze returns an iterator over the facts of Snapshot. The caller can call Step while the
// iteration pauses, because a snapshot of 100,000 attempts takes too long for one pause. The facts
// rebuild the state at the start of the iteration.
func (m *Machine) Freeze() iter.Seq[*event.Event] {
	return func(yield func(*event.Event) bool) {
		before, jobs, after := m.freeze()
		for i := range before {
			if !yield(&before[i]) {
				return
			}
		}
		s := snapshot{yield: yield}
		for i := range jobs {
			if s.job(&jobs[i]); s.stopped {
				return
			}
		}
		for i := range after {
			if !yield(&after[i]) {
				return
			}
		}
	}
}

// facts are facts of the state at the start of a snapshot.
type facts []event.Event

func (f *facts) put(at int64, e event.Event) {
	e.Time = at
	*f = append(*f, e)
}

// freeze returns the facts that precede those of the jobs, the jobs, and the facts that follow.
func (m *Machine) freeze() (before facts, jobs []frozenJob, after facts) {
	if m.starts > 0 {
		before.put(m.now, event.Event{Type: event.Started, N: m.starts - 1, Name: m.cluster, Tracker: m.lastID})
	}
	for _, h := range m.handles {
		before.tracker(m.trackers.Get(h))
	}
	m.usedNumbers(&before)
	for _, seq := range m.order {
		jobs = append(jobs, m.freezeJob(m.jobs.Get(seq)))
	}
	for _, seq := range m.finished {
		j := m.jobs.Get(seq)
		after.put(j.finish, event.Event{Type: event.JobFinished, Job: seq, JobState: j.view.State, Counters: j.final,
			Text: j.text})
	}
	for _, h := range m.handles {
		if t := m.trackers.Get(h); t.lost {
			after.put(t.lostAt, event.Event{Type: event.TrackerLost, Tracker: h, Text: t.lostWhy})
		}
	}
	m.drains(&after)
	return before, jobs, after
}

func (f *facts) tracker(t *tracker) {
	v := &t.view
	f.put(t.joined, event.Event{Type: event.TrackerJoined, Tracker: v.Handle, Name: v.Name, Host: v.Host, Rack: v.Rack,
		Addr: t.addr, Incarnation: t.incarnation, Slots: t.slots, Memory: t.memory, VCores: t.vcores})
	if t.blacklisted {
		f.put(t.blackAt, event.Event{Type: event.TrackerBlacklisted, Tracker: v.Handle, Text: t.blackText})
	}
}

// drains adds the names of draining trackers, including unregistered ones, and the drained
// trackers.
func (m *Machine) drains(f *facts) {
	for i := range m.names {
		n := &m.names[i]
		if n.drain == DrainOff {
			continue
		}
		e := event.Event{Type: event.TrackerDraining, Name: n.name, N: int64(n.drain), Text: n.drainWhy}
		if t := m.liveByName(int32(i)); t != nil {
			e.Tracker = t.view.Handle
		}
		f.put(n.drainAt, e)
	}
	for _, h := range m.live {
		if t := m.trackers.Get(h); t.drained > 0 {
			f.put(t.drained, event.Event{Type: event.TrackerDrained, Tracker: h})
		}
	}
}

// usedNumbers adds the numbers of dropped jobs as ranges. The other used numbers are in the
// submission facts of known jobs.
func (m *Machine) usedNumbers(f *facts) {
	add := func(lo, hi int32) {
		if lo <= hi {
			f.put(m.now, event.Event{Type: event.JobRetired, N: int64(lo), Job: hi})
		}
	}
	for _, r := range m.used.ranges {
		lo := r[0]
		for _, seq := range m.order {
			if seq < r[0] || seq > r[1] {
				continue
			}
			add(lo, seq-1)
			lo = seq + 1
		}
		add(lo, r[1])
	}
}

// frozenJob is a job with what its attempts do not keep about the start of the snapshot.
type frozenJob struct {
	*jobState
	before, after facts // of the job itself
	log           []logEntry
	fresh         map[job.Attempt]bool  // attempts that started after the last entry of log
	marks         map[job.Attempt]facts // grants and limits of running attempts
}

func (m *Machine) freezeJob(j *jobState) frozenJob {
	f := frozenJob{jobState: j, log: slices.Clone(j.log), fresh: map[job.Attempt]bool{}, marks: map[job.Attempt]facts{}}
	v := &j.view
	f.before.put(v.Submit, event.Event{Type: event.JobSubmitted, Job: v.Seq, Spec: j.submitted})
	if v.Start > 0 {
		f.before.put(v.Start, event.Event{Type: event.JobStarted, Job: v.Seq})
	}
	if v.Priority != v.Spec.Priority {
		f.before.put(m.now, event.Event{Type: event.JobPriorityChanged, Job: v.Seq, Priority: v.Priority})
	}
	if v.Spec != j.submitted {
		f.before.put(m.now, event.Event{Type: event.JobMoved, Job: v.Seq, Name: v.Spec.Queue, Text: explicitPool(v.Spec)})
	}
	for typ := range j.tasks {
		if typ <= int(job.Reduce) {
			for _, a := range j.live[typ] {
				m.freezeAttempt(&f, a.ID)
			}
			continue
		}
		for i := range j.tasks[typ] { // the setup and the cleanup, which have no list of running attempts
			for _, a := range j.attempts(job.TaskType(typ), i) {
				m.freezeAttempt(&f, a.view.ID)
			}
		}
	}
	for i := range j.blamed {
		f.after.blame(v.Seq, &j.blamed[i])
	}
	if j.killWanted {
		f.after.put(j.killAt, event.Event{Type: event.JobKillRequested, Job: v.Seq, Text: j.killText})
	}
	if j.commitAt > 0 {
		f.after.put(j.commitAt, event.Event{Type: event.JobCommitting, Job: v.Seq})
	}
	if j.abortAt > 0 {
		f.after.put(j.abortAt, event.Event{Type: event.JobAborting, Job: v.Seq, JobState: j.endState, Kind: j.kind,
			Text: j.text})
	}
	return f
}

// freezeAttempt records what later steps can change about an attempt, if it is running.
func (m *Machine) freezeAttempt(f *frozenJob, id job.Attempt) {
	_, k, a := m.attempt(id)
	if a.over() {
		return
	}
	if int(a.born) == len(f.log) {
		f.fresh[id] = true
	}
	var marks facts
	if k.granted == id.N+1 {
		marks.put(a.view.Start, event.Event{Type: event.CommitGranted, Job: id.Job, Attempt: id})
	}
	if a.limited() {
		marks.put(a.view.Start, event.Event{Type: event.LimitsChanged, Job: id.Job, Attempt: id, Tracker: a.view.Tracker,
			VCores: a.cpu, Memory: a.memory})
	}
	if marks != nil {
		f.marks[id] = marks
	}
}

// snapshot yields the facts of jobs.
type snapshot struct {
	yield    func(*event.Event) bool
	stopped  bool // yield has returned false
	e        event.Event
	counters job.Counters // of e
}

func (s *snapshot) put(at int64, e event.Event) {
	s.e = e
	s.e.Time = at
	s.stopped = s.stopped || !s.yield(&s.e)
}

func (s *snapshot) all(list facts) {
	for i := range list {
		s.put(list[i].Time, list[i])
	}
}

func (s *snapshot) job(f *frozenJob) {
	s.all(f.before)
	started := f.byBirth()
	for i := 0; i < len(f.log) && !s.stopped; i++ {
		started = s.starts(f, started, int32(i))
		s.entry(f.entryOf(&f.log[i]))
	}
	s.starts(f, started, int32(len(f.log)))
	s.all(f.after)
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

// byBirth returns the attempts at the start of the snapshot ordered by born, the length of the job's
// log when an attempt started.
func (f *frozenJob) byBirth() []*attempt {
	var all []*attempt
	for typ := range f.tasks {
		for i := range f.tasks[typ] {
			for _, a := range f.attempts(job.TaskType(typ), i) {
				if int(a.born) < len(f.log) || f.fresh[a.view.ID] {
					all = append(all, a)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *attempt) int { return cmp.Compare(a.born, b.born) })
	return all
}

// starts yields facts about the attempts in started that began before entry at of the log. These are
// their starts and, for running attempts, their grants and limits. starts returns the remaining
// attempts. started must be in the order of byBirth.
func (s *snapshot) starts(f *frozenJob, started []*attempt, at int32) []*attempt {
	for len(started) > 0 && started[0].born <= at && !s.stopped {
		a := started[0]
		started = started[1:]
		s.put(a.view.Start, event.Event{Type: event.AttemptStarted, Job: a.view.ID.Job, Attempt: a.view.ID,
			Tracker: a.view.Tracker, Slot: a.view.Slot, N: slotsOf(a), Locality: a.view.Locality})
		s.all(f.marks[a.view.ID])
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

func (f *facts) blame(seq int32, b *blame) {
	if b.listed {
		f.put(b.listedAt, event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: b.tracker, Kind: failure.Node,
			Text: b.text})
	}
	if b.refused {
		f.put(b.refusedAt, event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: b.tracker, Kind: failure.NotFound,
			Text: b.refusal})
	}
}
