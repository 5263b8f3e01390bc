package jobtracker

import (
	"fmt"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Apply changes the durable state by one fact. Both the replay of a journal and live decisions use
// it, so the two cannot differ. It calls no policy. If the state or the transition tables do not
// permit a fact, Apply leaves the durable state unchanged and returns an error of kind Corrupt.
// During a replay, this means that the journal is damaged or belongs to another program.
func (m *Machine) Apply(e *event.Event) error {
	m.now = max(m.now, e.Time)
	switch e.Type {
	case event.Started:
		if e.N < 0 {
			return refused(e, "restart %d", e.N)
		}
		m.starts = e.N + 1
		m.lastID = max(m.lastID, e.Tracker)
		m.cluster = e.Name
		return nil
	case event.TrackerJoined:
		return m.applyJoined(e)
	case event.TrackerChanged, event.TrackerLost, event.TrackerCleared:
		return m.applyTracker(e)
	case event.TrackerBlacklisted:
		return m.applyBlacklisted(e)
	case event.TrackerDraining:
		return m.applyDraining(e)
	case event.TrackerDrained:
		return m.applyDrained(e)
	case event.JobSubmitted:
		return m.applySubmitted(e)
	case event.JobRetired:
		return m.applyRetired(e)
	case event.SchedulerChanged: // the driver sets the active policy, even after a restart
		return nil
	case event.AttemptStarted:
		return m.applyAttemptStarted(e)
	case event.AttemptFinished:
		return m.applyAttemptFinished(e)
	case event.TaskReopened:
		return m.applyReopened(e)
	case event.TaskFinished:
		return m.applyTaskFinished(e)
	case event.LimitsChanged:
		return m.applyLimits(e)
	case event.CommitGranted:
		return m.applyGranted(e)
	case event.JobStarted, event.JobPriorityChanged, event.JobDeadlineChanged, event.JobKillRequested,
		event.JobCommitting, event.JobAborting, event.JobFinished, event.JobMoved:
		return m.applyJob(e)
	}
	return refused(e, "unknown type of fact")
}

func refused(e *event.Event, format string, args ...any) error {
	on := e.Type.String()
	if e.Job != 0 {
		on = fmt.Sprintf("%s of job %d", on, e.Job)
	}
	return failure.New(failure.Corrupt, "apply", on, fmt.Errorf(format, args...))
}

func (m *Machine) applyJoined(e *event.Event) error {
	if e.Tracker <= 0 || m.trackers.Get(e.Tracker) != nil {
		return refused(e, "tracker handle %d was already used", e.Tracker)
	}
	who := m.who(e.Name)
	t := &tracker{
		view: scheduler.Tracker{Handle: e.Tracker, Name: e.Name, Host: e.Host, Rack: e.Rack, Slots: e.Slots,
			Memory: e.Memory, VCores: e.VCores},
		slots: e.Slots, memory: e.Memory, vcores: e.VCores,
		addr: e.Addr, incarnation: e.Incarnation, joined: e.Time, who: who,
		lastBeat: e.Time,
	}
	m.lastID = max(m.lastID, e.Tracker)
	m.trackers.Put(e.Tracker, t)
	m.handles = ordered.Insert(m.handles, e.Tracker)
	m.live = ordered.Insert(m.live, e.Tracker)
	m.names[who].handle, m.names[who].incarnation = e.Tracker, e.Incarnation
	m.beats.pushBack(t)
	if r, known := m.rackOf[e.Host]; !known || r != e.Rack {
		m.rackOf[e.Host] = e.Rack
		m.topology++
	}
	m.totals.Trackers++
	m.addSlots(t, +1)
	m.showSlots(t)
	return nil
}

func (m *Machine) addSlots(t *tracker, sign int32) {
	for k := range t.view.Slots {
		m.totals.Slots[k] += sign * t.view.Slots[k]
	}
	m.totals.Memory += int64(sign * t.view.Memory)
	m.totals.VCores += int64(sign * t.view.VCores)
}

func (m *Machine) applyTracker(e *event.Event) error {
	t := m.trackers.Get(e.Tracker)
	if t == nil || t.lost {
		return refused(e, "no live tracker %d", e.Tracker)
	}
	switch e.Type {
	case event.TrackerChanged:
		t.slots = e.Slots
		m.showSlots(t)
		if e.Addr != "" {
			t.addr = e.Addr
		}
	case event.TrackerCleared:
		t.blacklisted, t.blackText, t.blackAt = false, "", 0
		m.avoided = ordered.Remove(m.avoided, e.Tracker)
		m.noteRoom(t)
	case event.TrackerLost:
		m.clearDying(t)
		for k := range t.view.Used {
			m.totals.Used[k] -= t.view.Used[k]
		}
		t.lost, t.lostAt, t.lostWhy = true, e.Time, e.Text
		t.blacklisted, t.blackText, t.blackAt = false, "", 0
		m.live = ordered.Remove(m.live, e.Tracker)
		m.avoided = ordered.Remove(m.avoided, e.Tracker)
		m.beats.remove(t)
		m.totals.Trackers--
		m.addSlots(t, -1)
		t.view.Slots, t.view.Memory, t.view.VCores = t.slots, t.memory, t.vcores
		t.draining, t.drained = false, 0
		m.noteRoom(t)
		m.forgetTracker(t)
	}
	return nil
}

// forgetTracker drops a lost tracker if no known job refers to it.
func (m *Machine) forgetTracker(t *tracker) {
	if t.lost && t.refs == 0 && len(t.run) == 0 {
		m.trackers.Delete(t.view.Handle)
		m.handles = ordered.Remove(m.handles, t.view.Handle)
	}
}

func (m *Machine) applyBlacklisted(e *event.Event) error {
	t := m.trackers.Get(e.Tracker)
	if t == nil {
		return refused(e, "no tracker %d", e.Tracker)
	}
	if e.Job == 0 {
		if t.lost {
			return refused(e, "tracker %d is lost", e.Tracker)
		}
		t.blacklisted, t.blackText, t.blackAt = true, e.Text, e.Time
		m.avoided = ordered.Insert(m.avoided, e.Tracker)
		m.noteRoom(t)
		return nil
	}
	j := m.jobs.Get(e.Job)
	if j == nil {
		return refused(e, "no such job")
	}
	if b := j.blame(t); e.Kind == failure.NotFound {
		b.refused, b.refusedAt, b.refusal = true, e.Time, e.Text
	} else {
		b.listed, b.listedAt, b.text = true, e.Time, e.Text
	}
	return nil
}

func (m *Machine) applySubmitted(e *event.Event) error {
	if e.Spec == nil || e.Job <= 0 {
		return refused(e, "no specification")
	}
	if m.used.has(e.Job) {
		return refused(e, "the number was already used")
	}
	s := e.Spec
	if s.Reduces < 0 || tooManyTasks(s) {
		return refused(e, "%d reduces and %d maps", s.Reduces, len(s.Splits))
	}
	j := &jobState{submitted: s, view: scheduler.Job{Seq: e.Job, State: job.Prep, Priority: s.Priority,
		Submit: e.Time, Spec: s,
		Tasks: [2]int32{s.Tasks(job.Map), s.Tasks(job.Reduce)},
		Width: [2]int32{m.width(s, job.Map, job.Map), m.width(s, job.Reduce, job.Reduce)}}}
	for k := range j.tasks {
		j.tasks[k] = make([]task, s.Tasks(job.TaskType(k)))
		for i := range j.tasks[k] {
			j.tasks[k][i].course = &untouched
		}
	}
	j.pending = j.view.Tasks
	for i := range s.Splits {
		j.input += s.Splits[i].Length
	}
	j.pick = newPickIndex(s.Splits, m.ascending(len(s.Splits)))
	j.pick.buildRacks(m.rackOf, m.topology) // now, because a heartbeat must be fast
	m.jobs.Put(e.Job, j)
	m.order = ordered.Insert(m.order, e.Job)
	m.used.add(e.Job)
	if s.SubmitKey != "" {
		m.keys[s.SubmitKey] = e.Job
	}
	return nil
}

func (m *Machine) applyJob(e *event.Event) error {
	j := m.jobs.Get(e.Job)
	if j == nil {
		return refused(e, "no such job")
	}
	switch e.Type {
	case event.JobPriorityChanged, event.JobDeadlineChanged, event.JobMoved:
		if j.view.State.Terminal() {
			return refused(e, "the job has ended")
		}
		switch e.Type {
		case event.JobPriorityChanged:
			j.view.Priority = e.Priority
		case event.JobDeadlineChanged:
			s := *j.submitted // a copy, because others read the specification concurrently
			s.Deadline = e.N
			j.view.Spec = movedSpec(&s, j.view.Spec.Queue, explicitPool(j.view.Spec))
			j.submitted = &s
		case event.JobMoved:
			j.view.Spec = movedSpec(j.submitted, e.Name, e.Text)
		}
		return nil
	case event.JobKillRequested:
		if s := j.view.State; s != job.Running && s != job.Prep {
			return refused(e, "it is %v", s)
		}
		j.killWanted, j.killAt, j.killText = true, e.Time, e.Text
		return nil
	}
	to := e.JobState
	switch e.Type {
	case event.JobStarted:
		to = job.Running
	case event.JobCommitting:
		to = job.Committing
	case event.JobAborting:
		to = job.Aborting
	}
	if !j.view.State.CanBecome(to) {
		return refused(e, "%v cannot become %v", j.view.State, to)
	}
	if to == job.Committing && !j.done() {
		return refused(e, "tasks are unfinished")
	}
	if j.view.State == job.Aborting && to != j.endState {
		return refused(e, "the job must end as %v, not as %v", j.endState, to)
	}
	m.setJobState(j, to)
	switch to {
	case job.Running:
		j.view.Start = e.Time
	case job.Committing:
		j.commitAt, j.endAfter, j.still = e.Time, e.Time+m.cfg.EndWait, false
	case job.Aborting:
		j.endState, j.kind, j.text = e.JobState, e.Kind, e.Text
		j.abortAt, j.endAfter, j.asked, j.still = e.Time, e.Time+m.cfg.EndWait, false, false
	default:
		m.applyOver(j, e)
	}
	m.recount(j)
	return nil
}

// applyOver records the end of a job. It marks pending tasks as killed and removes the job from the
// trackers that have its files.
func (m *Machine) applyOver(j *jobState, e *event.Event) {
	j.finish, j.final = e.Time, e.Counters
	if e.Text != "" {
		j.text = e.Text
	}
	for k := range j.tasks {
		for i := range j.tasks[k] {
			k, t := job.TaskType(k), &j.tasks[k][i]
			if t.state == job.TaskPending {
				j.setTask(t, k, int32(i), job.TaskKilled)
			}
		}
	}
	j.eachTracker(func(h int32) {
		on := m.trackers.Get(h)
		on.jobs = ordered.Remove(on.jobs, j.view.Seq)
	})
	m.finished = append(m.finished, j.view.Seq)
	j.pick, j.live = pickIndex{}, [2][]*scheduler.Attempt{}
	j.dropHosts()
	j.size = j.footprint()
}

// dropHosts drops the hosts of the splits, which are needed only to pick tasks. The driver can
// still hold the specification, so dropHosts replaces it instead of changing it.
func (j *jobState) dropHosts() {
	splits := j.view.Spec.Splits
	if !slices.ContainsFunc(splits, func(s job.SplitMeta) bool { return s.Hosts != nil }) {
		return
	}
	spec := *j.view.Spec
	spec.Splits = slices.Clone(splits)
	for i := range spec.Splits {
		spec.Splits[i].Hosts = nil
	}
	j.view.Spec = &spec
}

func (m *Machine) unref(handle int32) {
	t := m.trackers.Get(handle)
	t.refs--
	m.forgetTracker(t)
}

// applyRetired drops a finished job. A fact with N > 0 does not drop a job. Instead, it marks the
// job numbers from N to Job as used. Snapshots contain such facts.
func (m *Machine) applyRetired(e *event.Event) error {
	if e.N > 0 {
		if e.N > int64(e.Job) || m.used.overlaps(int32(e.N), e.Job) {
			return refused(e, "invalid range of job numbers")
		}
		m.used.addRange(int32(e.N), e.Job)
		return nil
	}
	j := m.jobs.Get(e.Job)
	if j == nil || !j.view.State.Terminal() {
		return refused(e, "no finished job has that number")
	}
	j.eachTracker(m.unref)
	for i := range j.blamed {
		m.unref(j.blamed[i].tracker)
	}
	m.jobs.Delete(e.Job)
	m.order = ordered.Remove(m.order, e.Job)
	if i := slices.Index(m.finished, e.Job); i >= 0 {
		m.finished = slices.Delete(m.finished, i, i+1)
	}
	if k := j.view.Spec.SubmitKey; m.keys[k] == e.Job {
		delete(m.keys, k)
	}
	return nil
}
