package jobtracker

import (
	"errors"
	"fmt"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// maxSlots is the maximum number of slots per type that a tracker can report.
const maxSlots = 10_000

// maxNames is the maximum number of tracker names that the machine remembers, unless twice
// Config.MaxTrackers is larger.
const maxNames = 200_000

func validSlots(s [2]int32) [2]int32 {
	for k := range s {
		s[k] = min(max(0, s[k]), maxSlots)
	}
	return s
}

// liveByName returns the live tracker whose name has the number who, or nil if there is none.
func (m *Machine) liveByName(who int32) *tracker {
	t := m.trackers.Get(m.names[who].handle)
	if t == nil || t.lost {
		return nil
	}
	return t
}

func (m *Machine) register(in *Input) {
	r := in.Register
	if r == nil || r.Name == "" || r.Host == "" {
		m.refuse(in, failure.New(failure.Usage, "register", "", errors.New("a tracker needs a name and a host")))
		return
	}
	if slices.Contains(m.excluded, r.Host) {
		m.refuse(in, failure.New(failure.Permission, "register", r.Name, errors.New("the host is excluded")).
			Fix("remove it from the file named by mapreduce.jobtracker.hosts.exclude.filename and run -refreshNodes"))
		return
	}
	id, known := m.nameIDs[r.Name]
	if known && !m.succeeds(in, &m.names[id], r) {
		return
	}
	if !known && m.cfg.MaxTrackers > 0 && len(m.names) >= max(maxNames, 2*m.cfg.MaxTrackers) {
		m.refuse(in, failure.New(failure.Limit, "register", r.Name,
			fmt.Errorf("%d trackers with other names have registered", len(m.names))).
			Fix("restart the JobTracker, which forgets the names of trackers that have left"))
		return
	}
	if m.cfg.MaxTrackers > 0 && len(m.live) >= m.cfg.MaxTrackers {
		m.refuse(in, failure.New(failure.Limit, "register", r.Name, errors.New("the tracker limit is reached")).
			Fix("raise howdah.jobtracker.trackers.maximum"))
		return
	}
	e := m.fact(event.TrackerJoined)
	e.Tracker = m.lastID + 1
	e.Name, e.Host, e.Rack, e.Addr = r.Name, r.Host, r.Rack, r.Addr
	e.Incarnation, e.Slots, e.Memory, e.VCores = r.Incarnation, validSlots(r.Slots), max(0, r.Memory), max(0, r.VCores)
	m.emit(e)
	m.reply(in, Output{Tracker: e.Tracker})
}

// succeeds reports whether a registration creates a new tracker, given what is known about its
// name. If so, succeeds has marked any live tracker with that name as lost. If not, it has already
// sent the reply.
func (m *Machine) succeeds(in *Input, known *machineName, r *Register) bool {
	old := m.trackers.Get(known.handle)
	if old != nil && old.lost {
		old = nil
	}
	if old != nil && r.Incarnation == old.incarnation {
		if s := validSlots(r.Slots); r.Addr != old.addr || s != old.slots {
			m.changeTracker(old, s, r.Addr)
		}
		m.heard(old)
		m.reply(in, Output{Tracker: old.view.Handle})
		return false
	}
	if r.Incarnation <= known.incarnation {
		m.refuse(in, failure.New(failure.Stale, "register", r.Name,
			errors.New("this incarnation has expired or was replaced by a newer one")).
			Fix("register with a greater incarnation"))
		return false
	}
	if old != nil {
		m.loseTracker(old, "the tracker restarted")
	}
	return true
}

func (m *Machine) changeTracker(t *tracker, slots [2]int32, addr string) {
	if slots[0] > t.slots[0] || slots[1] > t.slots[1] {
		m.grew = true
	}
	e := m.fact(event.TrackerChanged)
	e.Tracker, e.Slots, e.Addr = t.view.Handle, slots, addr
	m.emit(e)
}

func (m *Machine) leave(in *Input) {
	if t := m.trackers.Get(in.Tracker); t != nil && !t.lost {
		drained := t.drained > 0
		m.loseTracker(t, "the tracker left")
		if drained { // the drain is over, so the next tracker with this name gets work
			m.setDrain(t.who, DrainOff, "the drained tracker has left")
		}
	}
	m.reply(in, Output{})
}

// excludeHosts sets the excluded hosts and marks their live trackers as lost. register rejects new
// trackers on these hosts.
func (m *Machine) excludeHosts(hosts []string) {
	m.excluded = append(m.excluded[:0], hosts...)
	for _, h := range slices.Clone(m.live) {
		if t := m.trackers.Get(h); slices.Contains(m.excluded, t.view.Host) {
			m.loseTracker(t, "the host is excluded")
		}
	}
}

// loseTracker marks a tracker as lost. Its attempts count as killed, not failed, and their tasks
// wait again.
func (m *Machine) loseTracker(t *tracker, why string) {
	e := m.fact(event.TrackerLost)
	e.Tracker, e.Text = t.view.Handle, why
	m.emit(e)
	m.settleLost(t)
	for _, seq := range append(slices.Clone(m.running), m.chores...) {
		if j := m.jobs.Get(seq); len(j.blamed) > 0 { // all remaining trackers may have refused the job
			m.settleJob(j)
		}
	}
	m.finishEnding()
}

// settleLost handles the consequences of a lost tracker. It kills the tracker's attempts and
// reopens finished maps whose output a reduce still needs. Finished reduces, and maps of jobs
// without reduces, remain finished because the tracker does not hold their output.
func (m *Machine) settleLost(t *tracker) {
	why := "Lost task tracker: " + t.view.Name
	for _, a := range slices.Clone(t.run) {
		m.finishAttempt(a, job.AttemptKilled, failure.Node, why)
	}
	m.reopenAllOn(t, why)
	m.forgetTracker(t)
}

// reopenAllOn reopens the finished maps of a tracker if a reduce still needs their output.
func (m *Machine) reopenAllOn(t *tracker, why string) {
	for _, seq := range slices.Clone(t.jobs) {
		j := m.jobs.Get(seq)
		if j == nil {
			continue
		}
		m.reopenLost(j, t, why)
		m.settleJob(j)
	}
}

func (m *Machine) reopenLost(j *jobState, t *tracker, why string) {
	if !j.needsMapOutput() {
		return
	}
	for i := range j.tasks[job.Map] {
		if j.holds(t, i) {
			m.reopen(j.expand(job.Map, i), job.AttemptKilled, failure.Node, why)
		}
	}
}

// reopen returns a finished map to the pending tasks because its output is lost.
func (m *Machine) reopen(k *task, how job.AttemptState, kind failure.Kind, why string) {
	a := k.attempts()[k.winner]
	e := m.fact(event.TaskReopened)
	e.Job, e.Attempt, e.Tracker = a.view.ID.Job, a.view.ID, a.view.Tracker
	e.State, e.Kind, e.Text = how, kind, why
	m.emit(e)
}
