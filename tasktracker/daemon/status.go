package daemon

import (
	"maps"

	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/tasktracker"
)

// Status is the data of a TaskTracker's page.
type Status struct {
	tasktracker.View
	JobIDs map[int32]string // text form of each localized job's ID, by the job's number
	PIDs   map[int32]int    // process ID of each child, by handle; 0 means none
	// Shares is what the orchestrator measured of each running attempt. It is nil without an
	// orchestrator.
	Shares map[job.Attempt]*trend.Recorder
}

// Status returns a copy of the TaskTracker's current state. It waits for the owner goroutine. It
// returns false if that goroutine has ended.
func (d *Daemon) Status() (Status, bool) {
	s := Status{JobIDs: map[int32]string{}, PIDs: map[int32]int{}}
	ok := d.ask(func() {
		s.View = d.machine.View()
		if d.local != nil {
			s.Shares = maps.Clone(d.local.records)
		}
		for seq, j := range d.jobs {
			if j.localized() {
				s.JobIDs[seq] = j.id
			}
		}
		for handle, c := range d.children {
			s.PIDs[handle] = c.pid()
		}
	})
	return s, ok
}

// localized reports whether localizing the job's files has ended, either in success or in failure.
func (j *localJob) localized() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// pid returns the process ID, or 0 if there is no process.
func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tree == nil {
		return 0
	}
	return c.tree.Pid()
}
