package policytest

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/inputlog"
	"github.com/howdah/howdah/scheduler"
)

// legal checks that all launches are legal. No launch exceeds the room of a tracker, for slots of
// either kind, wide tasks, and containers. Every launch by the policy is for a job that has a pending
// task of the type and is below its limit. A rejected launch changes nothing, and every kill has a
// reason.
func legal(g game) {
	g.wrap = watch
	g.build().playAll()
}

// places checks that no task stays pending for Options.Rounds heartbeats of all trackers while a
// tracker has room and no other event occurs. No task fails in these cases. The machine decides
// where a failed task may run again, and a policy that spreads its load could count on a tracker
// that the machine excludes.
func places(g game) {
	g.script = slices.DeleteFunc(slices.Clone(g.script), func(s step) bool { return s.what == fails })
	c := g.build()
	c.playAll()
	c.calm()
	for range g.o.Rounds {
		c.round()
	}
	for _, seq := range c.m.Jobs() {
		for k := range job.TaskType(2) {
			if h := c.roomFor(c.m.Job(seq), k); h != 0 {
				t := c.m.Tracker(h)
				g.failf("%d tasks of type %v of job %d wait although tracker %d has room (slots %v, used %v; memory %d, used %d), "+
					"after %d beats of all trackers",
					c.m.Job(seq).Pending[k], k, seq, h, t.Slots, t.Used, t.Memory, t.UsedMemory, g.o.Rounds)
			}
		}
	}
}

// roomFor returns a tracker with room for a task of type k that the job wants, or 0 if there is
// none.
func (c *cluster) roomFor(j *scheduler.Job, k job.TaskType) int32 {
	if !j.Wants(k) {
		return 0
	}
	for _, h := range c.m.Trackers() {
		t := c.m.Tracker(h)
		room := t.Free(k) >= j.Width[k]
		if scheduler.UsesContainers(c.m.Policy()) {
			room = t.Memory-t.UsedMemory >= j.Spec.Memory(k)
		}
		if room && c.mayPick(j, k, h) && (c.o.Fits == nil || c.o.Fits(c.m, j, k, t)) {
			return h
		}
	}
	return 0
}

// ends checks that every job ends if all tasks succeed after the script.
func ends(g game) {
	c := g.build()
	c.playAll()
	c.finish()
}

// loses checks that every job ends even if the policy loses its state at any moment, or a new
// instance replaces the policy.
func loses(g game) {
	g.wrap = watch
	c := g.build()
	for i, s := range g.script {
		c.play(s)
		switch (i + int(g.seed)) % 5 {
		case 0:
			c.m.SetPolicy(c.fresh())
		case 1:
			c.m.Policy().Reset(c.m)
		}
	}
	c.finish()
}

// deterministic checks that the same inputs lead to the same facts. Map iteration order and
// addresses differ between runs, so three runs usually reveal a policy that depends on them.
func deterministic(g game) {
	first := g.factsOf()
	for range 2 {
		g.same("the same inputs produced different facts", "first run", first, "second run", g.factsOf())
	}
}

// factsOf plays a case and returns the journal of its facts.
func (g game) factsOf() []byte {
	g.keep = true
	c := g.build()
	c.playAll()
	return c.journal
}

// replays checks that recorded inputs lead a second machine to the same facts, and that the facts
// alone lead to the same state.
func replays(g game) {
	inputs := []byte{}
	g.keep = true
	g.before = func(c *cluster, in *jobtracker.Input) { inputs = c.must(inputlog.AppendRecord(inputs, in)) }
	c := g.build()
	c.playAll()
	g.same("recorded inputs produced different facts", "live", c.journal, "recorded", g.decideAgain(c, inputs))
	d := history.NewDecoder(bytes.NewReader(c.journal))
	m := g.machine(g.o.New())
	var e event.Event
	err := d.Next(&e)
	for ; err == nil; err = d.Next(&e) {
		if err := m.Apply(&e); err != nil {
			g.failf("%v", err)
		}
		e = event.Event{} // the machine now owns the memory of the last event
	}
	if !errors.Is(err, io.EOF) {
		g.failf("%v", err)
	}
	if !bytes.Equal(c.snapshot(m), c.snapshot(c.m)) {
		g.failf("the journal produced a different state")
	}
}

// decideAgain passes recorded inputs to a new machine and returns the journal of its facts. An error
// fails the case.
func (g game) decideAgain(c *cluster, inputs []byte) []byte {
	journal := history.AppendHeader(nil)
	m := g.machine(g.o.New())
	add := func(out []jobtracker.Output) {
		for _, o := range out {
			if o.Kind == jobtracker.OutFact {
				journal = c.must(history.AppendRecord(journal, o.Event))
			}
		}
	}
	add(m.Recovered(begin, nil))
	file := append(c.must(inputlog.AppendStart(nil, &inputlog.Start{})), inputs...)
	d, _, err := inputlog.NewDecoder(bytes.NewReader(file))
	for err == nil {
		var in jobtracker.Input
		if err = d.Next(&in); err == nil {
			switch { // a driver creates policies again
			case in.Kind == jobtracker.InSetSpeculator:
				in.Policy = g.o.Speculator()
			case in.Kind == jobtracker.InSetPolicy && in.Setup.Name == another:
				in.Policy = &stranger{}
			case in.Kind == jobtracker.InSetPolicy:
				in.Policy = g.o.New()
			}
			add(m.Step(&in, nil))
		}
	}
	if !errors.Is(err, io.EOF) {
		g.failf("%v", err)
	}
	return journal
}

// snapshot returns the machine's durable state without times, because the machine's own clock sets
// some of them.
func (c *cluster) snapshot(m *jobtracker.Machine) []byte {
	var b []byte
	m.Snapshot(func(e *event.Event) {
		f := *e
		f.Time = 0
		b = c.must(history.AppendRecord(b, &f))
	})
	return b
}

// starves checks that no job starves. With more work than room, every job that could run a task
// must launch one at least every Options.Patience heartbeats of all trackers.
func starves(g game) {
	const jobs = 8
	each := int32(3)
	if g.wide {
		each = 6
	}
	g.slots = [][2]int32{{each, each}, {each, each}, {each, each}, {each, each}}
	c := g.build()
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

// couldRun reports whether some tracker, if it were idle, could run a task that the job wants. It
// ignores the policy's own limits, because a job at such a limit still waits.
func (c *cluster) couldRun(seq int32) bool {
	j := c.m.Job(seq)
	for k := range job.TaskType(2) {
		for _, h := range c.m.Trackers() {
			t := c.m.Tracker(h)
			room := t.Slots[k] >= j.Width[k]
			if scheduler.UsesContainers(c.m.Policy()) {
				room = t.Memory >= j.Spec.Memory(k)
			}
			if room && j.Wants(k) && c.mayPick(j, k, h) {
				return true
			}
		}
	}
	return false
}

// mayPick reports whether the job has a task that is permitted to run on the tracker.
func (c *cluster) mayPick(j *scheduler.Job, k job.TaskType, tracker int32) bool {
	if k == job.Reduce {
		_, ok := c.m.PickReduce(j.Seq, tracker)
		return ok
	}
	_, _, ok := c.m.PickMap(j.Seq, tracker, job.OffSwitch)
	return ok
}
