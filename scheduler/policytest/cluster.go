package policytest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// shape is a cluster before it runs.
type shape struct{ slots [][2]int32 }

func drawShape(t *rapid.T) shape {
	var s shape
	for range rapid.IntRange(1, 5).Draw(t, "trackers") {
		s.slots = append(s.slots, [2]int32{rapid.Int32Range(0, 3).Draw(t, "map slots"), rapid.Int32Range(0, 3).Draw(t, "reduce slots")})
	}
	s.slots = append(s.slots, [2]int32{1, 1}) // some tracker can run everything
	return s
}

// cluster is a machine with the policy under test and model trackers that do as they are told.
type cluster struct {
	t        *rapid.T
	m        *jobtracker.Machine
	hash     *history.Hash
	now      int64
	trackers []*tracker
}

type tracker struct {
	report jobtracker.Report
	name   string
	host   string
	rack   string
	inc    int64
	run    []job.Attempt
	done   []job.Attempt
}

func newCluster(t *rapid.T, p scheduler.Policy) *cluster { return drawShape(t).build(t, p) }

func (s shape) build(t *rapid.T, p scheduler.Policy) *cluster {
	m, err := jobtracker.New(jobtracker.DefaultConfig(), p)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, m: m, hash: history.NewHash(), now: 1_000_000}
	c.take(m.Recovered(c.now, nil))
	for i, slots := range s.slots {
		tt := &tracker{name: fmt.Sprint("tt", i), host: fmt.Sprint("h", i%4), rack: fmt.Sprint("/r", i%2)}
		tt.report.Slots = slots
		c.trackers = append(c.trackers, tt)
		c.join(tt)
	}
	return c
}

func (c *cluster) join(tt *tracker) {
	tt.inc++
	tt.run, tt.done = nil, nil
	o := c.step(&jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: tt.name, Host: tt.host, Rack: tt.rack, Incarnation: tt.inc, Slots: tt.report.Slots}})
	tt.report = jobtracker.Report{Tracker: o.Tracker, Incarnation: tt.inc, Slots: tt.report.Slots}
}

func (c *cluster) step(in *jobtracker.Input) jobtracker.Output {
	in.Now, in.Req = c.now, 1
	return c.take(c.m.Step(in, nil))
}

// take reads what a step decided; commits and clean-ups succeed at once.
func (c *cluster) take(out []jobtracker.Output) (reply jobtracker.Output) {
	var ends []jobtracker.Input
	for _, o := range out {
		switch o.Kind {
		case jobtracker.OutFact:
			c.hash.Add(o.Event)
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
		c.t.Fatalf("the machine: %v", err)
	}
	return reply
}

// beat reports what a tracker has and takes its orders.
func (c *cluster) beat(tt *tracker) {
	r := &tt.report
	r.Seq++
	r.Attempts = r.Attempts[:0]
	for _, id := range tt.run {
		s := job.AttemptRunning
		if slices.Contains(tt.done, id) {
			s = job.AttemptSucceeded
		}
		r.Attempts = append(r.Attempts, jobtracker.AttemptReport{Attempt: id, State: s})
	}
	d := c.step(&jobtracker.Input{Kind: jobtracker.InBeat, Report: r}).Desired
	if d.Register {
		c.join(tt)
		return
	}
	tt.run, tt.done = d.Run, nil
}

func (c *cluster) beatAll() {
	for _, tt := range c.trackers {
		c.now += 10
		c.beat(tt)
	}
	if at := c.m.NextDeadline(); at > 0 && at <= c.now {
		c.step(&jobtracker.Input{Kind: jobtracker.InTick})
	}
}

// free gives a live tracker with a free slot, 0 = none.
func (c *cluster) free(k job.TaskType) int32 {
	for _, h := range c.m.Trackers() {
		if c.m.Tracker(h).Free(k) > 0 {
			return h
		}
	}
	return 0
}

// finish lets all tasks succeed until every job has ended.
func (c *cluster) finish() {
	const rounds = 300
	for range rounds {
		if len(c.m.Jobs()) == 0 {
			return
		}
		for _, tt := range c.trackers {
			tt.done = tt.run
		}
		c.beatAll()
	}
	c.t.Fatalf("jobs %v have not ended after %d rounds", c.m.Jobs(), rounds)
}

// step is one event of a script: what happens and to whom, as numbers that fit any state.
type step struct {
	what, who int
	spec      *job.Spec
}

func drawScript(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(drawStep), 0, 40).Draw(t, "script")
}

func drawStep(t *rapid.T) step {
	s := step{what: rapid.IntRange(0, 9).Draw(t, "what"), who: rapid.IntRange(0, 1000).Draw(t, "who")}
	if s.what == 0 {
		s.spec = drawSpec(t)
	}
	return s
}

func drawSpec(t *rapid.T) *job.Spec {
	s := &job.Spec{Name: "job", User: "u", MapAttempts: 4, ReduceAttempts: 4, Reduces: rapid.Int32Range(0, 4).Draw(t, "reduces"),
		Priority: job.Priority(rapid.IntRange(-2, 2).Draw(t, "priority")), SlowStart: rapid.SampledFrom([]int32{0, 50_000, 1_000_000}).Draw(t, "slow start"),
		MapLimit: rapid.Int32Range(0, 3).Draw(t, "map limit"), ReduceLimit: rapid.Int32Range(0, 3).Draw(t, "reduce limit")}
	for range rapid.IntRange(0, 6).Draw(t, "maps") {
		hosts := rapid.SliceOfN(rapid.SampledFrom([]string{"h0", "h1", "h2", "h3", "far"}), 0, 3).Draw(t, "hosts")
		s.Splits = append(s.Splits, job.SplitMeta{Hosts: hosts, Length: int64(rapid.IntRange(0, 3).Draw(t, "length"))})
	}
	return s
}

// play carries one step out. Nothing fails here: on which tracker a task may not run again is the machine's to say, and its
// own tests check that.
func (c *cluster) play(s step) {
	c.now += int64(s.who % 50)
	tt := c.trackers[s.who%len(c.trackers)]
	seqs := c.m.AllJobs()
	pick := func() int32 {
		if len(seqs) == 0 {
			return 0
		}
		return seqs[s.who%len(seqs)]
	}
	switch s.what {
	case 0:
		c.step(&jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s.spec})
	case 1, 2, 3:
		c.beat(tt)
	case 4, 5, 6:
		if len(tt.run) > 0 {
			tt.done = append(tt.done, tt.run[s.who%len(tt.run)])
		}
		c.beat(tt)
	case 7:
		c.step(&jobtracker.Input{Kind: jobtracker.InSetPriority, Job: pick(), Priority: job.Priority(s.who%5 - 2)})
	case 8:
		if len(tt.run) > 0 {
			c.step(&jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: tt.run[s.who%len(tt.run)]})
		} else if s.who%3 == 0 {
			c.step(&jobtracker.Input{Kind: jobtracker.InKillJob, Job: pick()})
		}
	case 9:
		if s.who%4 == 0 {
			c.step(&jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: tt.report.Tracker})
			c.join(tt)
		} else {
			tt.report.Slots[s.who%2] = int32(s.who % 4)
			c.beat(tt)
		}
	}
}
