// Package policytest is the conformance suite of scheduling policies. It puts a policy into the JobTracker's machine, lets
// random clusters run random jobs on it, and checks what every policy owes: nothing illegal, no work left waiting beside a
// free slot, nobody starved, the same decisions again from the same inputs, and no harm when its state is lost.
package policytest

import (
	"math/rand/v2"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// Options say what more a policy promises than every policy must, and what its jobs and trackers look like. Only New is needed.
type Options struct {
	// New builds the policy afresh.
	New func() scheduler.Policy
	// Speculator builds a rule of speculative execution that runs beside the policy; nil = none.
	Speculator func() scheduler.Policy

	// Rounds is within how many beats of all trackers waiting work must be placed while there is room for it; 0 = 20.
	Rounds int
	// Idles says why the policy may leave room free beside waiting work for as long as it likes: it is not work-conserving.
	// "" = it may not. That every job ends is checked all the same.
	Idles string
	// Fits tells whether the policy's own rules let a job have one more task of a type on a tracker, where slots and memory
	// would: limits of pools, users, cores. nil = always.
	Fits func(v scheduler.View, j *scheduler.Job, k job.TaskType, t *scheduler.Tracker) bool
	// Patience is the bound of starvation: on a full cluster with somewhat more slots than jobs, where every task ends after a
	// beat and a new job comes for every one that ends, no job waits longer than that many beats of all trackers between two of
	// its launches. 0 = no such promise; Starves says why.
	Patience int
	// Starves says why some job may wait for ever while others keep coming: by priority, by deadline.
	Starves string
	// IndexOnly: the policy's state is an index and nothing else, so one that was built anew before every input decides the same.
	IndexOnly bool
	// Inherits: so does one that was built anew and then inherited from the one before it (scheduler.Heir).
	Inherits bool
	// Check looks at the policy's own invariants after every step; nil = none.
	Check func(v scheduler.View, p scheduler.Policy) error

	// Job makes a random job one that the policy knows how to treat: pools, queues, deadlines, profiles, demands. r is the only
	// source of randomness that it may use. Set does not keep Conf sorted; use it to add settings. nil = as it is.
	Job func(r *rand.Rand, s *job.Spec)
	// Tracker does the same for a tracker that registers: memory, cores. nil = as it is.
	Tracker func(r *rand.Rand, g *jobtracker.Register)
	// Machine changes the machine's settings. nil = the defaults and, in every third case, slots of 1 GiB and tasks of up to two.
	Machine func(c *jobtracker.Config)
	// Beat is the time between two beats of a tracker in milliseconds; 0 = 3000.
	Beat int64
	// Slots is how many slots of each kind one tracker always has, so that every task fits somewhere; 0 = 1.
	Slots int32
	// Cases is how many random clusters each property is tried on; 0 = 300.
	Cases int
	// Limit is within how many beats of all trackers all jobs must end when their tasks do at once; 0 = 300.
	Limit int
}

func (o Options) withDefaults() Options {
	if o.Rounds == 0 {
		o.Rounds = 20
	}
	if o.Beat == 0 {
		o.Beat = 3000
	}
	if o.Slots == 0 {
		o.Slots = 1
	}
	if o.Cases == 0 {
		o.Cases = 300
	}
	if o.Limit == 0 {
		o.Limit = 300
	}
	return o
}

// Run checks a policy on some ten thousand random states.
func Run(t *testing.T, o Options) {
	o = o.withDefaults()
	if (o.Patience > 0) == (o.Starves != "") {
		t.Error("promise something in Patience, or say in Starves why the policy cannot")
	}
	o.check(t, "legal", legal)
	if o.Idles == "" {
		o.check(t, "places what fits", places)
	}
	o.check(t, "everything ends", ends)
	o.check(t, "state may be lost", loses)
	o.check(t, "policies change", changes)
	o.check(t, "deterministic", deterministic)
	o.check(t, "replay", replays)
	if o.Patience > 0 {
		o.check(t, "nobody starves", starves)
	}
	if o.IndexOnly || o.Inherits {
		o.check(t, "index equals rebuilt index", rebuilt)
	}
}
