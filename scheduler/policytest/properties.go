package policytest

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/scheduler"
)

// legal: no launch beyond the room that a tracker has, in slots of either kind, wide tasks or containers; none of a task that
// does not wait, none for a job at its limit; a refused one changes nothing.
func legal(g game) { g.build(true).playAll() }

// places: with nothing else going on, waiting work does not stay beside free room. No task fails in these cases: where one that
// did may not run again is the machine's to say, and a policy that spreads its load may count on a tracker that is barred.
func places(g game) {
	g.script = slices.DeleteFunc(slices.Clone(g.script), func(s step) bool { return s.what == fails })
	c := g.build(false)
	c.playAll()
	c.calm()
	for range g.o.Rounds {
		c.round()
	}
	for _, seq := range c.m.Jobs() {
		for k := range job.TaskType(2) {
			if h := c.roomFor(c.m.Job(seq), k); h != 0 {
				t := c.m.Tracker(h)
				g.failf("%d tasks of type %v of job %d wait though tracker %d has room (slots %v, used %v; memory %d, used %d), after %d beats of all trackers",
					c.m.Job(seq).Pending[k], k, seq, h, t.Slots, t.Used, t.Memory, t.UsedMemory, g.o.Rounds)
			}
		}
	}
}

// roomFor gives a tracker that has room for a task that a job wants, 0 = none.
func (c *cluster) roomFor(j *scheduler.Job, k job.TaskType) int32 {
	if !j.Wants(k) {
		return 0
	}
	for _, h := range c.m.Trackers() {
		t := c.m.Tracker(h)
		room := t.Free(k) >= j.Width[k]
		if usesContainers(c.inner) {
			room = t.Memory-t.UsedMemory >= j.Spec.Memory(k)
		}
		if room && c.mayPick(j, k, h) && (c.o.Fits == nil || c.o.Fits(c.m, j, k, t)) {
			return h
		}
	}
	return 0
}

// ends: every job ends when all tasks succeed.
func ends(g game) {
	c := g.build(false)
	c.playAll()
	c.finish()
}

// loses: the policy forgets everything at any moment, or a new value takes its place.
func loses(g game) {
	c := g.build(true)
	for i, s := range g.script {
		c.play(s)
		switch (i + int(g.seed)) % 5 {
		case 0:
			c.inner = g.o.New()
			c.m.SetPolicy(&watched{c: c, inner: c.inner})
		case 1:
			c.m.Policy().Reset(c.m)
		}
	}
	c.finish()
}

// changes: at any moment another policy takes over, of the same kind or of another, and what is new may inherit from the old.
func changes(g game) {
	c := g.build(false)
	for i, s := range g.script {
		c.play(s)
		if (i+int(g.seed))%4 != 0 {
			continue
		}
		c.inner = g.o.New()
		if i%3 == 0 {
			c.step(&jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: &stranger{}})
			c.round()
		}
		c.step(&jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: c.inner})
		if g.o.Speculator != nil {
			c.step(&jobtracker.Input{Kind: jobtracker.InSetSpeculator, Policy: g.o.Speculator()})
		}
	}
	c.finish()
}

// deterministic: the same inputs give the same facts. Go walks maps in another order each time and puts values at other
// addresses, so a policy that lets either decide is found out here.
func deterministic(g game) {
	first := g.hashOf(nil)
	for range 2 {
		if g.hashOf(nil) != first {
			g.failf("the same inputs gave other facts")
		}
	}
}

// rebuilt: an index kept up to date is one built anew.
func rebuilt(g game) {
	kept := g.hashOf(nil)
	anew := g.hashOf(func(c *cluster, _ *jobtracker.Input) {
		old := c.inner
		c.inner = g.o.New()
		c.m.SetPolicy(c.inner)
		if g.o.Inherits {
			c.inner.(scheduler.Heir).Inherit(c.m, old)
		}
	})
	if kept != anew {
		g.failf("an index kept up to date decides otherwise than one built anew")
	}
}

// hashOf plays a case and sums up all its facts. before is called before each input.
func (g game) hashOf(before func(*cluster, *jobtracker.Input)) string {
	g.before = before
	c := g.build(false)
	c.playAll()
	return c.hash.String()
}

// replays: recorded inputs lead a second machine to the same facts, and the facts alone to the same state.
func replays(g game) {
	inputs := []byte{}
	g.before = func(c *cluster, in *jobtracker.Input) { inputs = c.must(inputlog.AppendRecord(inputs, in)) }
	c := g.build(false)
	for i, s := range g.script {
		c.play(s)
		if (i+int(g.seed))%11 == 0 {
			c.inner = g.o.New()
			c.step(&jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: c.inner, Setup: &jobtracker.PolicySetup{Name: "afresh"}})
		}
	}
	if g.decideAgain(c, inputs) != c.hash.String() {
		g.failf("recorded inputs gave other facts")
	}
	d := history.NewDecoder(bytes.NewReader(c.journal))
	m := g.machine(g.o.New())
	var e event.Event
	err := d.Next(&e)
	for ; err == nil; err = d.Next(&e) {
		if err := m.Apply(&e); err != nil {
			g.failf("%v", err)
		}
		e = event.Event{} // what the last one pointed to is the machine's now
	}
	if !errors.Is(err, io.EOF) {
		g.failf("%v", err)
	}
	if !bytes.Equal(c.snapshot(m), c.snapshot(c.m)) {
		g.failf("the journal gave another state")
	}
}

// decideAgain feeds recorded inputs to a new machine and sums up its facts.
func (g game) decideAgain(c *cluster, inputs []byte) string {
	hash := history.NewHash()
	m := g.machine(g.o.New())
	add := func(out []jobtracker.Output) {
		for _, o := range out {
			if o.Kind == jobtracker.OutFact {
				hash.Add(o.Event)
			}
		}
	}
	add(m.Recovered(begin, nil))
	file := append(c.must(inputlog.AppendStart(nil, &inputlog.Start{})), inputs...)
	d, _, err := inputlog.NewDecoder(bytes.NewReader(file))
	for err == nil {
		var in jobtracker.Input
		if err = d.Next(&in); err == nil {
			if in.Setup != nil { // as a driver makes it again
				in.Policy = g.o.New()
			}
			add(m.Step(&in, nil))
		}
	}
	if !errors.Is(err, io.EOF) {
		g.failf("%v", err)
	}
	return hash.String()
}

// snapshot writes a machine's durable state, without times: those of some facts are the machine's own.
func (c *cluster) snapshot(m *jobtracker.Machine) []byte {
	var b []byte
	m.Snapshot(func(e *event.Event) {
		f := *e
		f.Time = 0
		b = c.must(history.AppendRecord(b, &f))
	})
	return b
}

// starves: with more work than room, every job that could have something gets something, within the policy's patience.
func starves(g game) {
	const jobs = 8
	each := int32(3)
	if g.wide {
		each = 6
	}
	g.slots = [][2]int32{{each, each}, {each, each}, {each, each}, {each, each}}
	c := g.build(false)
	waited, before := map[int32]int{}, map[int32]int{}
	r := rand.New(rand.NewPCG(g.seed, 3))
	for range 40 + 2*g.o.Patience {
		for len(c.m.Jobs()) < jobs {
			s := g.spec(r)
			for range 3 {
				s.Splits = append(s.Splits, s.Splits...)
			}
			c.step(&jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s})
		}
		for _, tt := range c.trackers {
			tt.done = tt.run
		}
		c.round()
		for _, seq := range c.m.Jobs() {
			waited[seq]++
			if n := c.books.launches[seq]; n > before[seq] || !c.couldRun(seq) {
				waited[seq], before[seq] = 0, n
			}
			if waited[seq] > g.o.Patience {
				g.failf("job %d has waited for %d beats of all trackers, while %v ran", seq, waited[seq], c.m.Jobs())
			}
		}
	}
}

// couldRun tells whether some tracker, were it free, could run a task that a job wants. Limits of the policy do not count: a
// job that they keep waiting waits.
func (c *cluster) couldRun(seq int32) bool {
	j := c.m.Job(seq)
	for k := range job.TaskType(2) {
		for _, h := range c.m.Trackers() {
			t := c.m.Tracker(h)
			room := t.Slots[k] >= j.Width[k]
			if usesContainers(c.inner) {
				room = t.Memory >= j.Spec.Memory(k)
			}
			if room && j.Wants(k) && c.mayPick(j, k, h) {
				return true
			}
		}
	}
	return false
}

// mayPick tells whether a job has a task that may run on a tracker.
func (c *cluster) mayPick(j *scheduler.Job, k job.TaskType, tracker int32) bool {
	if k == job.Reduce {
		_, ok := c.m.PickReduce(j.Seq, tracker)
		return ok
	}
	_, _, ok := c.m.PickMap(j.Seq, tracker, job.OffSwitch)
	return ok
}
