// Package policytest is the conformance suite for scheduling policies. It runs a policy in the
// JobTracker's machine with random clusters and random jobs, and checks these guarantees:
//
//   - Every attempt that starts is legal. Orders that the machine rejects are not failures.
//   - No task waits for more than Options.Rounds heartbeats of all trackers while a tracker has room
//     for it, unless Options.Idles is set.
//   - Every job ends, even if the policy loses its state or other policies take over.
//   - No job starves, unless Options.Starves is set.
//   - The same inputs lead to the same decisions.
//   - A policy that keeps its state makes the same decisions as one that walks over all jobs before
//     each decision, unless Options.Forgets is set.
package policytest

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// Options describes a policy's guarantees beyond the common ones, and its jobs and trackers. New is
// required. Run also requires either Patience or Starves.
type Options struct {
	// New returns a new policy.
	New func() scheduler.Policy
	// Speculator returns a speculator to run together with the policy; nil means none.
	Speculator func() scheduler.Policy

	// Rounds limits how long a task may wait while a tracker has room, in heartbeats of all
	// trackers; 0 means 20.
	Rounds int
	// Idles explains why slots may stay free while tasks wait. "" means that the policy is
	// work-conserving. In either case, every job must end.
	Idles string
	// Fits reports whether the policy's own rules permit one more task of type k on a tracker with
	// enough slots and memory. Examples are limits of pools, limits of users, and cores. nil means
	// always.
	Fits func(v scheduler.View, j *scheduler.Job, k job.TaskType, t *scheduler.Tracker) bool
	// Patience limits how long a job may wait between two of its launches, in heartbeats of all
	// trackers. The limit applies to a full cluster with 8 jobs and 12 slots of each kind, or 24 if
	// some tasks need two. Every task ends after one heartbeat, and a new job arrives for every job
	// that ends. 0 means that the policy has no such limit, and Starves explains why.
	Patience int
	// Starves explains why a job may wait forever while new jobs arrive, such as "by priority" or
	// "by deadline".
	Starves string
	// Rebuild rebuilds in place what a policy knows about jobs, attempts, and trackers, by a walk over
	// the View. It must keep what the View does not contain. It may return an error that says what was
	// wrong. nil means that the suite replaces the policy by a new one, which inherits from it if it
	// is a scheduler.Heir.
	Rebuild func(v scheduler.View, p scheduler.Policy) error
	// Forgets explains why a rebuilt policy may make different decisions, such as "it has learned".
	// "" means that its decisions are the same.
	Forgets string
	// Surveys explains why a heartbeat may look at every waiting job, such as "all shares change when
	// a job ends". "" means that it never does. Only Growth uses this option.
	Surveys string
	// Check checks the policy's own invariants after every step; nil means none.
	Check func(v scheduler.View, p scheduler.Policy) error

	// Job adapts a random job to the policy. For example, it can set a pool, a deadline, or a
	// profile. r is the only permitted source of randomness. Use Set to add settings. They can be
	// in any order. nil means no change.
	Job func(r *rand.Rand, s *job.Spec)
	// Tracker adapts a registering tracker to the policy. For example, it can set the tracker's
	// memory or cores. nil means no change.
	Tracker func(r *rand.Rand, g *jobtracker.Register)
	// Machine changes the machine's settings. nil means the defaults, with slots of 1 GiB and tasks
	// of up to 2 GiB in every third case.
	Machine func(c *jobtracker.Config)
	// Beat is the interval between heartbeats of a tracker, in milliseconds; 0 means 3000.
	Beat int64
	// Slots is the number of slots of each kind on the one tracker that can run every task; 0 means
	// 1. The number is at least 2 in cases with tasks that need two slots.
	Slots int32
	// Cases is the number of random clusters for each property; 0 means 300.
	Cases int
	// Limit is the number of heartbeats of all trackers within which all jobs must end if their
	// tasks end immediately; 0 means 300.
	Limit int
}

func (o Options) withDefaults() Options {
	o.Rounds = cmp.Or(o.Rounds, 20)
	o.Beat = cmp.Or(o.Beat, 3000)
	o.Slots = cmp.Or(o.Slots, 1)
	o.Cases = cmp.Or(o.Cases, 300)
	o.Limit = cmp.Or(o.Limit, 300)
	return o
}

// Run tests each property of a policy in Options.Cases random cases.
func Run(t *testing.T, o Options) {
	o = o.withDefaults()
	if (o.Patience > 0) == (o.Starves != "") {
		t.Error("set Patience, or explain in Starves why the policy cannot promise it")
	}
	o.check(t, "legal", legal)
	if o.Idles == "" {
		o.check(t, "places what fits", places)
	}
	o.check(t, "everything ends", ends)
	o.check(t, "state may be lost", loses)
	o.check(t, "deterministic", deterministic)
	o.check(t, "replay", replays)
	if o.Patience > 0 {
		o.check(t, "no job starves", starves)
	}
	if o.Forgets == "" {
		o.check(t, "walks over all jobs", walks)
	}
}
