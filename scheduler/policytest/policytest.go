// Package policytest is the conformance suite of scheduling policies. It puts a policy into the JobTracker's machine, lets
// random clusters run random jobs on it, and checks what every policy owes: nothing illegal, no work left waiting beside a
// free slot, the same decisions again from the same inputs, and no harm when its state is lost.
package policytest

import (
	"fmt"
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

// watched checks every order of a policy before and after it is carried out.
type watched struct {
	t     *rapid.T
	inner scheduler.Policy
}

var _ scheduler.Policy = (*watched)(nil)

// Failures in a policy's own code are the policy's to report; the wrapper only passes calls on, with a plan that looks.

func (w *watched) Reset(v scheduler.View) { w.inner.Reset(v) }
func (w *watched) NextDeadline() int64    { return w.inner.NextDeadline() }
func (w *watched) plan(v scheduler.View, p scheduler.Plan) scheduler.Plan {
	return &watchedPlan{w.t, v, p}
}

type watchedPlan struct {
	t *rapid.T
	v scheduler.View
	p scheduler.Plan
}

// snapshotOf notes what an order may change.
func snapshotOf(v scheduler.View, seq, tracker int32) string {
	j, t := v.Job(seq), v.Tracker(tracker)
	if j == nil || t == nil {
		return ""
	}
	return fmt.Sprint(j.State, j.Pending, j.Running, j.Finished, t.Used, v.Cluster())
}

// Launch implements scheduler.Plan.
func (p *watchedPlan) Launch(task job.Task, tracker int32, slot job.TaskType) bool {
	j, t := p.v.Job(task.Job), p.v.Tracker(tracker)
	before := snapshotOf(p.v, task.Job, tracker)
	wants := j != nil && j.Wants(task.Type)
	free := t != nil && slot <= job.Reduce && t.Free(slot) > 0
	ok := p.p.Launch(task, tracker, slot)
	switch {
	case ok && !free:
		p.t.Fatalf("%v was launched on tracker %d, which has no free slot of kind %v", task, tracker, slot)
	case ok && !wants:
		p.t.Fatalf("%v was launched though its job wants none", task)
	case !ok && snapshotOf(p.v, task.Job, tracker) != before:
		p.t.Fatalf("the launch of %v was refused and yet changed something", task)
	case ok && t.Used[slot] > t.Slots[slot]:
		p.t.Fatalf("tracker %d uses %d of %d slots", tracker, t.Used[slot], t.Slots[slot])
	}
	return ok
}

// Kill implements scheduler.Plan.
func (p *watchedPlan) Kill(a job.Attempt, why string) bool {
	if why == "" {
		p.t.Fatalf("%v was killed without a reason", a)
	}
	return p.p.Kill(a, why)
}
