// Package policytest is the conformance suite of scheduling policies. It puts a policy into the JobTracker's machine, lets
// random clusters run random jobs on it, and checks what every policy owes: nothing illegal, no work left waiting beside a
// free slot, the same decisions again from the same inputs, and no harm when its state is lost.
package policytest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// Options say what more a policy promises than every policy must.
type Options struct {
	// New builds the policy afresh.
	New func() scheduler.Policy
	// Rounds is within how many beats of all trackers waiting work must be placed while slots are free.
	Rounds int
	// IndexOnly: the policy's state is an index and nothing else, so one that was built anew before every input decides the same.
	IndexOnly bool
}

// Run checks a policy.
func Run(t *testing.T, o Options) {
	t.Run("legal", func(t *testing.T) { rapid.Check(t, o.legal) })
	t.Run("places what fits", func(t *testing.T) { rapid.Check(t, o.places) })
	t.Run("everything ends", func(t *testing.T) { rapid.Check(t, o.ends) })
	t.Run("state may be lost", func(t *testing.T) { rapid.Check(t, o.loses) })
	t.Run("deterministic", func(t *testing.T) { rapid.Check(t, o.deterministic) })
	if o.IndexOnly {
		t.Run("index equals rebuilt index", func(t *testing.T) { rapid.Check(t, o.rebuilt) })
	}
}

// legal: no launch beyond the free slots, none of a task that does not wait, none for a job at its limit; a refused one
// changes nothing.
func (o Options) legal(t *rapid.T) {
	c := newCluster(t, &watched{t: t, inner: o.New()})
	for _, s := range drawScript(t) {
		c.play(s)
	}
}

// places: with nothing else going on, waiting work does not stay beside a free slot.
func (o Options) places(t *rapid.T) {
	c := newCluster(t, o.New())
	for _, s := range drawScript(t) {
		c.play(s)
	}
	for range o.Rounds {
		c.beatAll()
	}
	for k := range job.TaskType(2) {
		for _, seq := range c.m.Jobs() {
			if j := c.m.Job(seq); j.Wants(k) {
				if h := c.free(k); h != 0 {
					t.Fatalf("%v of job %d wait (%d) though tracker %d has %d free slots, after %d rounds", k, seq, j.Pending[k], h, c.m.Tracker(h).Free(k), o.Rounds)
				}
			}
		}
	}
}

// ends: every job ends when all tasks succeed.
func (o Options) ends(t *rapid.T) {
	c := newCluster(t, o.New())
	for _, s := range drawScript(t) {
		c.play(s)
	}
	c.finish()
}

// loses: the policy forgets everything at any moment, or a new value takes its place.
func (o Options) loses(t *rapid.T) {
	c := newCluster(t, &watched{t: t, inner: o.New()})
	for _, s := range drawScript(t) {
		c.play(s)
		switch rapid.IntRange(0, 4).Draw(t, "lose") {
		case 0:
			c.m.SetPolicy(&watched{t: t, inner: o.New()})
		case 1:
			c.m.Policy().Reset(c.m)
		}
	}
	c.finish()
}

// deterministic: the same inputs give the same facts. Go walks maps in another order each time, so a policy that lets that
// order decide is found out here.
func (o Options) deterministic(t *rapid.T) {
	script, seed := drawScript(t), drawShape(t)
	first := o.run(t, seed, script, nil)
	for range 2 {
		if again := o.run(t, seed, script, nil); again != first {
			t.Fatalf("the same inputs gave other facts")
		}
	}
}

func (o Options) rebuilt(t *rapid.T) {
	script, seed := drawScript(t), drawShape(t)
	kept := o.run(t, seed, script, nil)
	if anew := o.run(t, seed, script, func(m *jobtracker.Machine) { m.SetPolicy(o.New()) }); anew != kept {
		t.Fatalf("an index kept up to date decides otherwise than one built anew")
	}
}

func (o Options) run(t *rapid.T, s shape, script []step, before func(*jobtracker.Machine)) string {
	c := s.build(t, o.New())
	for _, x := range script {
		if before != nil {
			before(c.m)
		}
		c.play(x)
	}
	return c.hash.String()
}
