package tasktracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// This file handles the connection to the JobTracker: registration, heartbeats, and retries. At
// most one call is in flight.

func (m *Machine) onRegistered(in *Input) {
	if !m.calling || m.registered {
		m.ignore("not registering")
		return
	}
	m.calling = false
	m.registered = true
	m.tracker = in.Tracker
	m.epoch = in.Epoch
	m.cluster = in.Cluster
	m.lost = 0
	m.full = true
}

// onLost schedules the next call. The delay grows with each consecutive failure. The machine keeps
// undelivered counters, outcomes, and fetch failures.
func (m *Machine) onLost() {
	if !m.calling {
		m.ignore("no call in flight")
		return
	}
	m.calling = false
	m.nextCall = m.now + m.backoff(m.lost)
	m.lost++
}

// backoff returns the delay in ms before the next try. n is the number of consecutive failures
// before the last one.
func (m *Machine) backoff(n int32) int64 {
	const doublings = 20 // larger shifts could overflow
	return min(m.conf.Retry<<min(n, doublings), m.conf.MaxRetry)
}

func (m *Machine) onDesired(d *heartbeat.Desired) {
	if !m.calling || !m.registered || d.Seq != m.seq {
		m.ignore("answer to an old beat")
		return
	}
	m.calling = false
	m.lost = 0
	m.interval = max(d.Interval, 1)
	m.containers, m.draining = d.Containers, d.Draining
	m.nextCall = m.now + m.interval
	m.acknowledge()
	if m.conf.Shares {
		m.emit(Output{Kind: OutShares, Desired: d})
	}
	if m.stopping {
		return
	}
	if d.Register {
		m.reset()
		return
	}
	m.full = d.Full
	if d.Epoch != m.epoch {
		// The JobTracker has restarted. Its journal contains the attempts but not their progress.
		m.epoch = d.Epoch
		m.full = true
		m.urgent = true
	}
	m.want(d)
}

// acknowledge records that the JobTracker has received the last heartbeat. It marks the counters as
// delivered and drops that heartbeat's fetch failures.
func (m *Machine) acknowledge() {
	for _, a := range m.attempts {
		a.acked = a.sent
	}
	n := copy(m.fetch, m.fetch[m.fetchSent:])
	m.fetch, m.fetchSent = m.fetch[:n], 0
}

// want marks as wanted the attempts and jobs that d lists. It adds new attempts and their jobs, and
// drops attempts that d does not list.
func (m *Machine) want(d *heartbeat.Desired) {
	for _, a := range m.attempts {
		a.wanted = false
	}
	for _, j := range m.jobs {
		j.wanted = false
	}
	for _, seq := range d.Jobs {
		if j := m.job(seq); j != nil {
			j.wanted = true
		}
	}
	for i, id := range d.Run {
		offset := int64(0)
		if i < len(d.Offsets) {
			offset = d.Offsets[i]
		}
		m.wantAttempt(id, offset)
	}
	for i := len(m.attempts) - 1; i >= 0; i-- {
		if a := m.attempts[i]; !a.wanted {
			m.drop(a)
		}
	}
}

func (m *Machine) wantAttempt(id job.Attempt, offset int64) {
	j := m.job(id.Job)
	if j == nil {
		j = &jobState{seq: id.Job, gone: map[job.Attempt]struct{}{}}
		m.jobs = append(m.jobs, j)
	}
	j.wanted = true
	a := m.byID[id]
	if a == nil {
		a = &attempt{id: id, offset: offset}
		m.attempts = append(m.attempts, a)
		m.byID[id] = a
		if _, gone := j.gone[id]; gone {
			// The attempt has already ended here or was dropped. It must not start again, and the
			// next report says so.
			a.judge(job.AttemptKilled, failure.Killed, endedBefore)
			a.stage = over
			m.urgent = true
		}
	}
	a.wanted = true
}

// reset kills the processes of all jobs. The machine registers again after the last of these
// processes has exited, so no old attempt runs at the same time as its successor.
func (m *Machine) reset() {
	m.registered = false
	m.resetting = true
	m.dropAll(true)
}

// callJobTracker makes the next call if one is due and no other call is in flight.
func (m *Machine) callJobTracker() {
	if m.stopping || m.calling {
		return
	}
	if m.resetting {
		if len(m.attempts) > 0 || len(m.jobs) > 0 {
			return
		}
		m.resetting = false
		m.incarnation = max(m.incarnation+1, m.now)
		m.nextCall = m.now
	}
	due := m.now >= m.nextCall || m.urgent && m.lost == 0
	if !due {
		return
	}
	m.calling = true
	if !m.registered {
		m.emit(Output{Kind: OutRegister, Incarnation: m.incarnation})
		return
	}
	m.urgent = false
	m.emit(Output{Kind: OutBeat, Report: m.buildReport()})
}

func (m *Machine) buildReport() *heartbeat.Report {
	m.seq++
	r := &m.report
	*r = heartbeat.Report{Tracker: m.tracker, Incarnation: m.incarnation, Seq: m.seq, Full: m.full, Slots: m.slots,
		Unhealthy: m.unhealthy, Epoch: m.epoch, Attempts: r.Attempts[:0], Refused: r.Refused[:0], Fetch: m.fetch,
		OtherLoad: m.otherLoad, Unheld: m.unheld}
	if m.newShares {
		m.newShares, r.Shares = false, &m.shares
	}
	m.fetchSent = len(m.fetch)
	for _, a := range m.attempts {
		r.Attempts = append(r.Attempts, a.tell(m.full))
	}
	for _, j := range m.jobs {
		if j.stage == refused {
			r.Refused = append(r.Refused, heartbeat.Refusal{Job: j.seq, Text: j.text})
		}
	}
	return r
}
