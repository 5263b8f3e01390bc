package daemon

import (
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job"
)

// Use contains a running attempt's limits and its resource usage so far, including the commands
// that it started.
type Use struct {
	Attempt job.Attempt
	CPU     time.Duration
	Memory  int64 // bytes in use now
	// Limits are the limits that the kernel currently enforces. Without a control group, Limits is
	// empty and Limited is false.
	Limits  cgroup.Limits
	Limited bool
}

// Uses returns the usage of the attempts that run in processes. It gets the list of attempts from
// the owner goroutine but measures them in the caller's goroutine.
func (d *Daemon) Uses() []Use {
	var running []*child
	d.ask(func() {
		for _, a := range d.machine.View().Attempts {
			if c, ok := d.children[a.Child].(*child); ok && a.State == job.AttemptRunning {
				running = append(running, c)
			}
		}
	})
	var all []Use
	for _, c := range running {
		m, a := c.present()
		if m == nil {
			continue // not yet started
		}
		all = append(all, m.use(a))
	}
	return all
}

// present returns a process's meter and its last attempt. The meter is nil if there is no process.
func (c *child) present() (*meter, job.Attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meter, c.attempt
}

func (m *meter) use(a job.Attempt) Use {
	u := m.now()
	out := Use{Attempt: a, CPU: u.cpu, Memory: u.memory}
	if m.group != nil {
		l, err := m.group.Limits()
		out.Limits, out.Limited = l, err == nil
	}
	return out
}

// limit changes an attempt's limits for the duration of a lease. If the lease is not renewed, the
// original limits apply again. limit also changes the child's own memory budget to takes bytes,
// which may be less than the kernel's limit. The child receives its message before the kernel's
// limit shrinks. The child's lease ends before the kernel's, so that the child can free memory in
// time.
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

// renew extends the lease of an attempt's limits. It returns false if there is no lease. takes is
// the child's memory budget in bytes; 0 means unchanged.
func (c *child) renew(m *meter, a job.Attempt, takes int64, lease time.Duration) bool {
	if !m.renew(a, lease) {
		return false
	}
	if takes > 0 {
		c.grant(grant{a, takes, lease / 4 * 3})
	}
	return true
}
