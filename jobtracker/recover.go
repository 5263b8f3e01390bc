package jobtracker

import (
	"slices"

	"github.com/howdah/howdah/job/event"
)

// Recovered completes the recovery. Call it once after the replay of the journal, or at the start
// without a journal. It makes the decisions that a crash may have prevented and requests commits
// and cleanups again. Trackers then have RecoveryGrace to return and report their attempts.
func (m *Machine) Recovered(now int64, out []Output) []Output {
	m.begin(now, out)
	m.policy.Reset(m)
	if m.speculator != nil {
		m.speculator.Reset(m)
	}
	e := m.fact(event.Started)
	e.N, e.Name, e.Tracker = m.starts, m.cluster, m.lastID
	m.emit(e)
	for _, h := range m.live {
		t := m.trackers.Get(h)
		t.lastBeat = m.now - m.cfg.Expiry + m.cfg.RecoveryGrace
		t.unheard, t.needFull = true, true
		m.unheard = append(m.unheard, t)
		for _, a := range t.run {
			a.assigned = m.now
			m.watch(a)
		}
	}
	m.liftLimits("the JobTracker was restarted")
	for _, seq := range m.ending {
		m.jobs.Get(seq).endAfter = m.now + m.cfg.EndWait
	}
	for _, h := range slices.Clone(m.handles) {
		if t := m.trackers.Get(h); t.lost {
			m.settleLost(t)
		}
	}
	for _, seq := range slices.Clone(m.order) {
		m.settleAll(m.jobs.Get(seq))
	}
	m.takeBackSlots() // the active policy can differ from the policy before the restart
	for _, h := range slices.Clone(m.live) {
		m.settleDrain(m.trackers.Get(h))
	}
	return m.end()
}

func (m *Machine) settleAll(j *jobState) {
	if j.view.State.Terminal() {
		return
	}
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			m.settleTask(j, &j.tasks[typ][i])
		}
	}
	for _, h := range m.handles {
		if t := m.trackers.Get(h); t.lost {
			m.reopenLost(j, t, "Lost task tracker: "+t.view.Name)
		}
	}
	m.settleJob(j)
}
