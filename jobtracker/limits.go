package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
)

// LimitChange is a change to an attempt's limits, for pages and clients.
type LimitChange struct {
	Time        int64 // milliseconds since the epoch
	CPU, Memory int32 // as in Limit
	Why         string
}

// maxChanges is the maximum number of changes kept in memory per attempt. The machine drops the
// oldest.
const maxChanges = 64

// limit applies the decisions of a resource orchestrator, except those for attempts that have
// ended. The limits are leases. If no InLimits renews them in time, the machine lifts all of them,
// so that a crashed orchestrator leaves no limits behind.
func (m *Machine) limit(in *Input) {
	m.limitsUntil = 0
	if in.Millis > 0 {
		m.limitsUntil = m.now + in.Millis
	}
	for i := range in.Limits {
		l := &in.Limits[i]
		_, _, a := m.attempt(l.Attempt)
		if a == nil || a.over() || l.CPU < 0 || l.Memory < 0 || a.cpu == l.CPU && a.memory == l.Memory {
			continue
		}
		m.limitAttempt(a, l.CPU, l.Memory, clip(l.Why))
	}
	if m.limitsUntil == 0 {
		m.liftLimits("the orchestrator stopped")
	}
	m.reply(in, Output{})
}

// unheldMillis is how long the machine waits before it tries again to lift limits that a tracker
// could not lift. It applies only without an active orchestrator.
const unheldMillis = 10_000

// unheld processes a tracker's report that it could not set an attempt's limits as ordered. It
// records the actual limits, so that the orchestrator's next decision starts from them. It ignores
// a report about an outdated order.
func (m *Machine) unheld(t *tracker, u *heartbeat.Unheld) {
	_, _, a := m.attempt(u.Attempt)
	if a == nil || a.over() || a.view.Tracker != t.view.Handle || a.cpu != u.CPU || a.memory != u.Memory ||
		u.HeldCPU < 0 || u.HeldMemory < 0 || u.HeldCPU == a.cpu && u.HeldMemory == a.memory {
		return
	}
	m.limitAttempt(a, u.HeldCPU, u.HeldMemory, clip(u.Why))
	if m.limitsUntil == 0 && a.limited() {
		m.limitsUntil = m.now + unheldMillis
	}
}

func (m *Machine) limitAttempt(a *attempt, cpu, memory int32, why string) {
	e := m.fact(event.LimitsChanged)
	e.Job, e.Attempt, e.Tracker = a.view.ID.Job, a.view.ID, a.view.Tracker
	e.VCores, e.Memory, e.Text = cpu, memory, why
	m.emit(e)
	m.tell(m.trackers.Get(a.view.Tracker))
}

// liftLimits resets the limits of every attempt to those at its launch.
func (m *Machine) liftLimits(why string) {
	for _, h := range m.live {
		for _, a := range m.trackers.Get(h).run {
			if a.limited() {
				m.limitAttempt(a, 0, 0, why)
			}
		}
	}
}

// limitsExpire lifts all limits if the orchestrator did not renew them in time.
func (m *Machine) limitsExpire() {
	if m.limitsUntil > 0 && m.limitsUntil <= m.now {
		m.limitsUntil = 0
		m.liftLimits("the orchestrator did not renew the limits in time")
	}
}

func (a *attempt) limited() bool { return a.cpu > 0 || a.memory > 0 }

func (m *Machine) applyLimits(e *event.Event) error {
	j, _, a := m.attempt(e.Attempt)
	switch {
	case a == nil || e.Job != e.Attempt.Job:
		return refused(e, "no such attempt")
	case a.over():
		return refused(e, "the attempt has ended")
	case e.VCores < 0 || e.Memory < 0:
		return refused(e, "%dm and %d MiB are not valid limits", e.VCores, e.Memory)
	}
	j.special = true
	d := a.more()
	d.cpu, d.memory = e.VCores, e.Memory
	if len(d.changes) >= maxChanges {
		d.changes = append(d.changes[:0], d.changes[1:]...)
	}
	d.changes = append(d.changes, LimitChange{Time: e.Time, CPU: e.VCores, Memory: e.Memory, Why: e.Text})
	return nil
}

// Limits returns the limits of a running attempt; 0 means the same as at its launch.
func (m *Machine) Limits(id job.Attempt) (cpu, memory int32) {
	if _, _, a := m.attempt(id); a != nil && !a.over() {
		return a.cpu, a.memory
	}
	return 0, 0
}

// LimitsOf returns a running attempt with its current and earlier limits. It returns false if the
// attempt is not running or its limits never changed.
func (m *Machine) LimitsOf(id job.Attempt) (AttemptInfo, bool) {
	_, k, a := m.attempt(id)
	if a == nil || a.over() || len(a.changes) == 0 {
		return AttemptInfo{}, false
	}
	return a.info(k), true
}
