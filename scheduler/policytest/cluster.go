package policytest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
)

// begin is the start time of a cluster, in milliseconds since the Unix epoch.
const begin = 1_000_000_000

// A cluster is a machine with the policy under test and simulated trackers.
type cluster struct {
	game
	rng      *rand.Rand // source of random properties of trackers
	m        *jobtracker.Machine
	books    books
	now      int64
	trackers []*tracker
	journal  []byte // all facts, if the game keeps them
}

// A tracker simulates a TaskTracker.
type tracker struct {
	register jobtracker.Register
	report   heartbeat.Report
	run      []job.Attempt // attempts that the machine has ordered
	done     []job.Attempt // attempts in run that have succeeded, for the next report
	failed   []job.Attempt // attempts in run that have failed, for the next report
}

// build builds the cluster of a case.
func (g game) build() *cluster {
	c := &cluster{game: g, rng: rand.New(rand.NewPCG(g.seed, 2)), books: newBooks(), now: begin,
		journal: history.AppendHeader(nil)}
	c.m = g.machine(c.fresh())
	c.take(c.m.Recovered(c.now, nil))
	for i, slots := range g.slots {
		tt := &tracker{register: jobtracker.Register{Name: fmt.Sprint("tt", i), Host: fmt.Sprint("h", i%4),
			Rack: fmt.Sprint("/r", i%2), Slots: slots}}
		if g.o.Tracker != nil {
			g.o.Tracker(c.rng, &tt.register)
		}
		c.trackers = append(c.trackers, tt)
		c.join(tt)
	}
	return c
}

// fresh returns a new policy under test, in the wrapper of the game.
func (c *cluster) fresh() scheduler.Policy {
	if c.wrap == nil {
		return c.o.New()
	}
	return c.wrap(c, c.o.New())
}

// policy returns the policy that is in use, without the wrapper of the game.
func (c *cluster) policy() scheduler.Policy { return unwrap(c.m.Policy()) }

// machine returns a machine with the settings from the options.
func (g game) machine(p scheduler.Policy) *jobtracker.Machine {
	cfg := jobtracker.DefaultConfig()
	if g.wide {
		cfg.SlotMemory = [2]int32{1024, 1024}
	}
	if g.o.Machine != nil {
		g.o.Machine(&cfg)
	}
	m, err := jobtracker.New(cfg, p)
	if err != nil {
		g.failf("%v", err)
	}
	if g.o.Speculator != nil {
		m.SetSpeculator(g.o.Speculator())
	}
	return m
}

func (c *cluster) join(tt *tracker) {
	tt.register.Incarnation++
	tt.run, tt.done, tt.failed = nil, nil, nil
	r := tt.register
	o := c.step(&jobtracker.Input{Kind: jobtracker.InRegister, Register: &r})
	tt.report = heartbeat.Report{Tracker: o.Tracker, Incarnation: r.Incarnation, Slots: r.Slots}
}

func (c *cluster) step(in *jobtracker.Input) jobtracker.Output {
	in.Now, in.Req = c.now, 1
	if c.before != nil {
		c.before(c, in)
	}
	reply := c.take(c.m.Step(in, nil))
	if _, other := c.policy().(*stranger); c.o.Check != nil && !other {
		if err := c.o.Check(c.m, c.policy()); err != nil {
			c.failf("%v", err)
		}
	}
	return reply
}

// take processes the outputs of a step and returns the reply. Commits and aborts succeed
// immediately.
func (c *cluster) take(out []jobtracker.Output) (reply jobtracker.Output) {
	var ends []jobtracker.Input
	for _, o := range out {
		switch o.Kind {
		case jobtracker.OutFact:
			if c.keep {
				c.journal = c.must(history.AppendRecord(c.journal, o.Event))
			}
			c.books.take(c, o.Event)
		case jobtracker.OutReply:
			reply = o
			if o.Desired != nil {
				d := *o.Desired
				d.Run = slices.Clone(d.Run)
				reply.Desired = &d
			}
		case jobtracker.OutCommit:
			ends = append(ends, jobtracker.Input{Kind: jobtracker.InCommitDone, Job: o.Job})
		case jobtracker.OutAbort:
			ends = append(ends, jobtracker.Input{Kind: jobtracker.InAbortDone, Job: o.Job})
		}
	}
	for i := range ends {
		c.step(&ends[i])
	}
	if err := c.m.Err(); err != nil {
		c.failf("the machine: %v", err)
	}
	return reply
}

func (c *cluster) must(b []byte, err error) []byte {
	if err != nil {
		c.failf("%v", err)
	}
	return b
}

// beat sends the tracker's heartbeat and executes the orders in the reply.
func (c *cluster) beat(tt *tracker) {
	r := &tt.report
	r.Seq++
	r.Attempts = r.Attempts[:0]
	for _, id := range tt.run {
		a := heartbeat.AttemptReport{Attempt: id, State: job.AttemptRunning, Progress: c.books.progress(id, c.now)}
		switch {
		case slices.Contains(tt.done, id):
			a.State = job.AttemptSucceeded
		case slices.Contains(tt.failed, id):
			a.State = job.AttemptFailed
		}
		r.Attempts = append(r.Attempts, a)
	}
	c.books.reported(r)
	d := c.step(&jobtracker.Input{Kind: jobtracker.InBeat, Report: r}).Desired
	if d.Register {
		c.join(tt)
		return
	}
	tt.run, tt.done, tt.failed = d.Run, nil, nil
}

// advance advances the time by ms milliseconds and runs all ticks that are due by then.
func (c *cluster) advance(ms int64) {
	const steps = 10_000 // more than one cycle of a policy needs
	until := c.now + ms
	for n := 0; ; n++ {
		at := c.m.NextDeadline()
		if at <= 0 || at > until {
			break
		}
		if n == steps {
			c.failf("%d ticks in %d ms, and the next is due again at %d", n, ms, at)
		}
		c.now = max(c.now, at)
		c.step(&jobtracker.Input{Kind: jobtracker.InTick})
	}
	c.now = until
}

// round sends one heartbeat from every tracker, spread over Options.Beat.
func (c *cluster) round() {
	for _, tt := range c.trackers {
		c.advance(c.o.Beat / int64(len(c.trackers)))
		c.beat(tt)
	}
}

// calm restores all slots of the tracker that can run every task, and ends its drain.
func (c *cluster) calm() {
	tt := c.trackers[len(c.trackers)-1]
	tt.report.Slots = tt.register.Slots
	c.step(&jobtracker.Input{Kind: jobtracker.InDrain, Name: tt.register.Name})
}

// fails is the kind of a step in which a task fails.
const fails = 10

func (c *cluster) play(s step) {
	tt := c.trackers[s.who%len(c.trackers)]
	seq := int32(0) // a job, preferably a running one
	for _, seqs := range [][]int32{c.m.AllJobs(), c.m.Jobs()} {
		if len(seqs) > 0 {
			seq = seqs[s.who%len(seqs)]
		}
	}
	switch s.what {
	case 0, 1, 2:
		c.step(&jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s.spec})
	case 3:
		c.beat(tt)
	case 4, 5, 6, 7:
		if len(tt.run) > 0 {
			tt.done = append(tt.done, tt.run[s.who%len(tt.run)])
		}
		c.beat(tt)
	case 8:
		c.step(&jobtracker.Input{Kind: jobtracker.InSetPriority, Job: seq, Priority: job.Priority(s.who%5 - 2)})
	case 9:
		if len(tt.run) > 0 {
			c.step(&jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: tt.run[s.who%len(tt.run)]})
		}
	case fails:
		if len(tt.run) > 0 {
			tt.failed = append(tt.failed, tt.run[s.who%len(tt.run)])
		}
		c.beat(tt)
	case 11:
		tt.report.Slots[s.who%2] = int32(s.who % 4)
		c.beat(tt)
	case 12:
		c.advance(int64(s.who) * 20)
	case 13:
		c.round()
	case 14:
		c.step(&jobtracker.Input{Kind: jobtracker.InDrain, Name: tt.register.Name, Drain: jobtracker.Drain(s.who % 4),
			Text: "by chance"})
	case 15:
		c.change(s.who%3 == 0)
	case 16:
		in := &jobtracker.Input{Kind: jobtracker.InSetDeadline, Job: seq}
		if s.who%5 > 0 {
			in.Millis = c.now + int64(s.who-300)*1000
		}
		c.step(in)
	case 17:
		c.step(&jobtracker.Input{Kind: jobtracker.InKillJob, Job: seq})
	case 18:
		c.step(&jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: tt.report.Tracker})
		c.join(tt)
	case 19:
		c.move(seq, s.who)
	}
}

// move moves a job to one of the policy's pools or queues, or to a queue that is none of them.
func (c *cluster) move(seq int32, who int) {
	targets := []string{"elsewhere"}
	if g, ok := c.m.Policy().(scheduler.Grouper); ok {
		for _, x := range g.Groups(c.m, nil) {
			targets = append(targets, x.Name)
		}
	}
	in := jobtracker.Input{Kind: jobtracker.InMoveJob, Job: seq, Name: targets[who/2%len(targets)]}
	if who%2 == 0 {
		in.Text = in.Name // the name of a queue
	}
	c.step(&in)
}

// A policy's setup contains one of these names, so that a replay can create the policy again.
const (
	underTest = "under test"
	another   = "another"
)

// change installs a new policy, which can inherit from the old one. If between is set, another kind
// of policy is in use for a while before.
func (c *cluster) change(between bool) {
	if between {
		c.install(&stranger{}, another)
		c.round()
	}
	c.install(c.fresh(), underTest)
	if c.o.Speculator != nil {
		c.step(&jobtracker.Input{Kind: jobtracker.InSetSpeculator, Policy: c.o.Speculator(),
			Setup: &jobtracker.PolicySetup{Name: underTest}})
	}
}

func (c *cluster) install(p scheduler.Policy, name string) {
	c.step(&jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: p, Setup: &jobtracker.PolicySetup{Name: name}})
}

func (c *cluster) playAll() {
	for _, s := range c.script {
		c.play(s)
	}
}

// finish lets all tasks succeed until every job has ended. The case fails if that takes at least
// Options.Limit heartbeats of all trackers.
func (c *cluster) finish() {
	c.calm()
	for range c.o.Limit {
		if len(c.m.Jobs()) == 0 {
			return
		}
		for _, tt := range c.trackers {
			tt.done = tt.run
		}
		c.round()
	}
	c.failf("jobs %v have not ended after %d beats of all trackers", c.m.Jobs(), c.o.Limit)
}
