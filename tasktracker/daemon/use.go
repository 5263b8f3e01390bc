package daemon

import (
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/procfs"
	"github.com/howdah/howdah/job"
)

// Use is what a running attempt has used so far, commands that it started included, and what it may use.
type Use struct {
	Attempt job.Attempt
	CPU     time.Duration
	Memory  int64 // bytes now
	// Limits are those that the kernel holds now. Without a control group there are none, and Limited is false.
	Limits  cgroup.Limits
	Limited bool
}

// Uses measures the attempts that run in processes. It waits for the owner goroutine, but reads without it.
func (d *Daemon) Uses() []Use {
	var running []*child
	d.ask(func() {
		for _, a := range d.machine.View().Attempts {
			if c, ok := d.children[a.Child].(*child); ok && a.State == job.AttemptRunning {
				running = append(running, c)
			}
		}
	})
	var table procfs.Table // read once for all that have no group
	var all []Use
	for _, c := range running {
		m, a := c.present()
		if m == nil {
			continue // not started yet
		}
		if m.group == nil && table == nil {
			table, _ = procfs.Read()
		}
		all = append(all, m.use(a, table))
	}
	return all
}

// present gives the meter of a process and the attempt that it has; nil while there is no process.
func (c *child) present() (*meter, job.Attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meter, c.attempt
}

func (m *meter) use(a job.Attempt, table procfs.Table) Use {
	u := m.now(table)
	out := Use{Attempt: a, CPU: u.cpu, Memory: u.memory}
	if m.group != nil {
		l, err := m.group.Limits()
		out.Limits, out.Limited = l, err == nil
	}
	return out
}

// limit gives an attempt other limits for some time; without another call before that is over, those that it began with hold again. It
// changes what the kernel lets the attempt have, and what its child takes: so many bytes, which may be less. Of less memory the child
// hears first, and its lease ends first: it is to be below the limit when that falls.
func (c *child) limit(m *meter, a job.Attempt, l cgroup.Limits, takes int64, lease time.Duration) error {
	held := m.group.Memory()
	moved, less := l.Memory > 0, held == 0 || l.Memory < held
	heap := grant{a, takes, lease / 4 * 3}
	if moved && less {
		c.grant(heap)
	}
	if err := m.lease(a, l, lease); err != nil {
		return err
	}
	if moved && !less {
		c.grant(heap)
	}
	return nil
}

// renew makes the limits that an attempt has by a lease last longer; false = it has none. Its child takes so many bytes.
func (c *child) renew(m *meter, a job.Attempt, takes int64, lease time.Duration) bool {
	if !m.renew(a, lease) {
		return false
	}
	if takes > 0 {
		c.grant(grant{a, takes, lease / 4 * 3})
	}
	return true
}
