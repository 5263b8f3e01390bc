package daemon

import (
	"context"

	"github.com/howdah/howdah/scheduler"
)

// A policy is made before any TaskTracker has joined, so that nobody can tell then whether its files guarantee more than the
// cluster has. Hadoop accepts such files, and so does a start; but once the slots are known they are told of on the
// scheduler's page and in the log, with file and line.

// fit is a choice and a cluster that it was looked at for.
type fit struct {
	choice *choice
	slots  [2]int32
}

// lookAtFit looks once whether the present policy could be made anew for the cluster as it is now; last is what was there at
// the look before. While TaskTrackers come and go nothing is said.
func (d *Daemon) lookAtFit(ctx context.Context, last fit) fit {
	d.policies.changing.Lock()
	defer d.policies.changing.Unlock()
	now := fit{d.policies.present(), d.slots(ctx)}
	if now != last || now.slots == [2]int32{} || d.policies.fitted(now) {
		return now
	}
	problem := ""
	if len(now.choice.files) > 0 {
		setup := scheduler.Setup{Conf: now.choice.conf, Files: now.choice.files, Slots: now.slots}
		if _, _, err := d.policies.table.Make(now.choice.name, setup); err != nil {
			d.cfg.Log.Warn("the scheduler's files do not fit the cluster", "scheduler", now.choice.name, "error", err)
			problem = err.Error()
		}
	}
	d.policies.fits(now, problem)
	return now
}

// fitted tells whether a fit was looked at last.
func (p *policies) fitted(f fit) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fit == f
}

// fits notes what is wrong with a fit, "" = nothing.
func (p *policies) fits(f fit, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fit, p.misfit = f, problem
}
