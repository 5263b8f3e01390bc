package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

var (
	_ scheduler.View = (*Machine)(nil)
	_ scheduler.Plan = (*Machine)(nil)
)

// Now implements scheduler.View.
func (m *Machine) Now() int64 { return m.now }

// Cluster implements scheduler.View.
func (m *Machine) Cluster() scheduler.Totals { return m.totals }

// Jobs implements scheduler.View. It returns the jobs in state Running.
func (m *Machine) Jobs() []int32 { return m.running }

// Job implements scheduler.View.
func (m *Machine) Job(seq int32) *scheduler.Job {
	if j := m.jobs.Get(seq); j != nil {
		return &j.view
	}
	return nil
}

// Trackers implements scheduler.View. It returns the live trackers.
func (m *Machine) Trackers() []int32 { return m.live }

// Tracker implements scheduler.View.
func (m *Machine) Tracker(handle int32) *scheduler.Tracker {
	if t := m.trackers.Get(handle); t != nil && !t.lost {
		return &t.view
	}
	return nil
}

// Running implements scheduler.View.
func (m *Machine) Running(seq int32, typ job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	j := m.jobs.Get(seq)
	if j == nil || typ > job.Reduce {
		return buf
	}
	return append(buf, j.live[typ]...)
}

// Ended implements scheduler.View.
func (m *Machine) Ended(seq int32, typ job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	j := m.jobs.Get(seq)
	if j == nil || typ > job.Reduce {
		return buf
	}
	for i := range j.tasks[typ] {
		for _, a := range j.attempts(typ, i) {
			if a.over() {
				buf = append(buf, &a.view)
			}
		}
	}
	return buf
}

// Attempt implements scheduler.View.
func (m *Machine) Attempt(id job.Attempt) *scheduler.Attempt {
	if _, _, a := m.attempt(id); a != nil {
		return &a.view
	}
	return nil
}
