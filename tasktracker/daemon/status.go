package daemon

import (
	"github.com/howdah/howdah/tasktracker"
)

// Status is what a TaskTracker's page shows.
type Status struct {
	tasktracker.View
	JobIDs map[int32]string // the text form of each job's id, as far as it is known
	PIDs   map[int32]int    // process of each child
}

// Status copies what the TaskTracker does now. It waits for the owner goroutine and is false if there is none any more.
func (d *Daemon) Status() (Status, bool) {
	s := Status{JobIDs: map[int32]string{}, PIDs: map[int32]int{}}
	ok := d.ask(func() {
		s.View = d.machine.View()
		for seq, j := range d.jobs {
			if j.localised() {
				s.JobIDs[seq] = j.id
			}
		}
		for handle, c := range d.children {
			s.PIDs[handle] = c.pid()
		}
	})
	return s, ok
}

// localised reports whether the job's files have come, or have failed to.
func (j *localJob) localised() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// pid gives the process id, 0 while there is none.
func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tree == nil {
		return 0
	}
	return c.tree.Pid()
}
