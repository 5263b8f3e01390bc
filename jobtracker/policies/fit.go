package policies

import (
	"context"

	"github.com/howdah/howdah/scheduler"
)

// The JobTracker creates a policy before any TaskTracker has joined. At that time it cannot check
// whether the policy's files guarantee more than the cluster has. Like Hadoop, it accepts such
// files at startup. Once the number of slots is known, the scheduler's page and the log report the
// problem with the file and line.

// fit pairs a choice with the cluster's number of slots by type.
type fit struct {
	choice *Choice
	slots  [2]int32
}

// LookAtFit checks whether the files of the active policy fit the cluster, and records and logs a
// problem. It checks each combination of policy and numbers of slots once, when two consecutive
// calls see the same combination, and therefore not while TaskTrackers join or leave.
func (k *Keeper) LookAtFit(ctx context.Context) {
	k.changing.Lock()
	defer k.changing.Unlock()
	last, now := k.lastFit, fit{k.Present(), k.machine.Slots(ctx)}
	k.lastFit = now
	if now != last || now.slots == [2]int32{} || k.fitted(now) {
		return
	}
	problem := ""
	if len(now.choice.Files) > 0 {
		setup := scheduler.Setup{Conf: now.choice.conf, Files: now.choice.Files, Slots: now.slots}
		if _, _, err := k.Catalog.Make(now.choice.Name, setup); err != nil {
			k.Log.Warn("the scheduler's files do not fit the cluster", "scheduler", now.choice.Name, "error", err)
			problem = err.Error()
		}
	}
	k.fits(now, problem)
}

// fitted reports whether the latest check was of f.
func (k *Keeper) fitted(f fit) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fit == f
}

// fits records the problem that a check of f found; "" means no problem.
func (k *Keeper) fits(f fit, problem string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fit, k.misfit = f, problem
}
