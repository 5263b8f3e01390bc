package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// Limit says what a running attempt may use from now on.
type Limit struct {
	Attempt job.Attempt
	CPU     int32 // thousandths of a core: its weight among the attempts of the tracker; 0 = as at its launch
	Memory  int32 // MiB; 0 = as at its launch
	Why     string
}

// LimitChange is a change of an attempt's limits, for those who look at it.
type LimitChange struct {
	Time        int64 // milliseconds since the epoch
	CPU, Memory int32 // as in Limit
	Why         string
}

// maxChanges bounds the changes that are kept of an attempt: the latest. The journal has all.
const maxChanges = 64

// limit takes the decisions of a resource orchestrator: facts first, then orders like all others. Decisions on attempts that do
// not run any more are late, not wrong. They are leases: unless another InLimits comes in time all limits are lifted, so that an
// orchestrator that dies leaves nothing behind.
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
		m.liftLimits("the orchestrator has ended")
	}
	m.reply(in, Output{})
}

// unheldMillis is how long limits that could not be lifted are good when there is no orchestrator: then they are lifted again.
const unheldMillis = 10_000

// unheld takes the word of a tracker that it could not make an attempt's limits what was ordered: then what holds is the fact, for
// everybody who looks and for the orchestrator, which decides anew from there. An answer to an older order is late.
func (m *Machine) unheld(t *tracker, u *Unheld) {
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
	m.tell(m.trackers[a.view.Tracker])
}

// liftLimits gives every attempt back what it had when it was launched.
func (m *Machine) liftLimits(why string) {
	for _, h := range m.live {
		for _, a := range m.trackers[h].run {
			if a.limited() {
				m.limitAttempt(a, 0, 0, why)
			}
		}
	}
}

// limitsExpire lifts the limits when nobody has renewed them.
func (m *Machine) limitsExpire() {
	if m.limitsUntil > 0 && m.limitsUntil <= m.now {
		m.limitsUntil = 0
		m.liftLimits("the orchestrator has not been heard of in time")
	}
}

func (a *attempt) limited() bool { return a.cpu > 0 || a.memory > 0 }

func (m *Machine) applyLimits(e *event.Event) error {
	_, _, a := m.attempt(e.Attempt)
	switch {
	case a == nil || e.Job != e.Attempt.Job:
		return refused(e, "no such attempt")
	case a.over():
		return refused(e, "the attempt is over")
	case e.VCores < 0 || e.Memory < 0:
		return refused(e, "%dm and %d MiB are no limits", e.VCores, e.Memory)
	}
	a.cpu, a.memory = e.VCores, e.Memory
	if len(a.changes) >= maxChanges {
		a.changes = append(a.changes[:0], a.changes[1:]...)
	}
	a.changes = append(a.changes, LimitChange{Time: e.Time, CPU: e.VCores, Memory: e.Memory, Why: e.Text})
	return nil
}

// Limits tells what a running attempt may use, 0 = as at its launch.
func (m *Machine) Limits(id job.Attempt) (cpu, memory int32) {
	if _, _, a := m.attempt(id); a != nil && !a.over() {
		return a.cpu, a.memory
	}
	return 0, 0
}

// LimitsOf tells all of a running attempt that has or had limits; false = it never had any.
func (m *Machine) LimitsOf(id job.Attempt) (AttemptInfo, bool) {
	_, k, a := m.attempt(id)
	if a == nil || a.over() || len(a.changes) == 0 {
		return AttemptInfo{}, false
	}
	return a.info(k), true
}
