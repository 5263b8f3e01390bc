package simulator

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/tasktracker"
)

// node is a machine of the simulated cluster with its TaskTracker.
type node struct {
	index int
	name  string
	host  string
	rack  string
	inc   int64
	up    bool

	due   int64 // when it next does something
	place int   // in wakeups

	report   jobtracker.Report
	local    *orchestrator.Local
	slots    [2]int32 // when nobody else is on the node
	tasks    []*task  // by launch
	spare    []*task  // to be used again
	speed    int64    // of its tasks, in millionths of the recorded one
	own      int64    // the same without co-tenants
	interval int64    // between beats, as told last
	beatAt   int64    // next beat by the interval
	heard    int64    // last beat that was sent
	ends     int64    // when the first of its attempts ends
	change   int64    // when the first of its attempts has something to tell
	dirty    bool     // the next beat counts, whatever happens
	called   bool     // news has come that the node has not acted on

	rearrange bool // the JobTracker may know the tasks in another order

	// In runs with faults of trackers:
	tt    *tasktracker.Machine // the real one; nil = the node itself is the stub
	ttOut []tasktracker.Output
	queue []tasktracker.Input // what it hears next
}

func (e *engine) newNode(i int) *node {
	n := &node{index: i, slots: e.cfg.Slots, ends: never, change: never, due: never, dirty: true}
	n.own = e.plan.speed(i)
	n.speed = n.own
	n.host, n.rack = fmt.Sprintf("node%04d", i+1), "/default-rack"
	if k := len(e.cfg.Nodes); k > 0 {
		n.host, n.rack = e.cfg.Nodes[i%k].Host, e.cfg.Nodes[i%k].Rack
	}
	n.name = fmt.Sprintf("tracker_%s:%d", n.host, 50060+i/max(1, len(e.cfg.Nodes)))
	n.report.Slots = n.slots
	return n
}

const million = 1_000_000

// start brings the tracker up: it registers, as one that nobody knows.
func (n *node) start(e *engine) {
	if e.plan.real {
		n.startMachine(e)
		return
	}
	n.inc++
	n.up = true
	r := e.register(n)
	if r.Err != nil {
		e.fail(r.Err)
		return
	}
	n.report = jobtracker.Report{Tracker: r.Tracker, Incarnation: n.inc, Slots: n.report.Slots, OtherLoad: n.report.OtherLoad, Attempts: n.report.Attempts[:0]}
	n.interval = e.startInterval()
	n.dirty, n.heard = true, e.now
}

// register makes the tracker known to the JobTracker.
func (e *engine) register(n *node) reply {
	delete(e.byHandle, n.report.Tracker)
	r := e.step(inRegister, &jobtracker.Input{Kind: jobtracker.InRegister, Req: 1, Register: &jobtracker.Register{
		Name: n.name, Host: n.host, Rack: n.rack, Addr: n.name, Incarnation: n.inc, Slots: n.report.Slots, Memory: e.cfg.Memory, VCores: e.cfg.VCores}})
	if r.Err == nil {
		e.byHandle[r.Tracker] = n
		n.report.Tracker = r.Tracker
	}
	return r
}

// stop takes the tracker down with all that runs on it.
func (n *node) stop(e *engine) {
	n.up, n.tt, n.called = false, nil, false
	delete(e.byHandle, n.report.Tracker)
	for _, t := range n.tasks {
		n.drop(e, t)
	}
	n.tasks = n.tasks[:0]
	n.ends, n.change, n.due = never, never, never
}

// wake is called when the node is due.
func (n *node) wake(e *engine) {
	if e.plan.real {
		e.active = n
		n.wakeMachine(e)
		e.active = nil
		return
	}
	if n.idle(e) {
		e.skipped++
		n.beatAt = e.now + n.interval
		n.plan(e)
		return
	}
	n.called = false
	e.active = n
	n.beat(e)
	e.active = nil
	n.plan(e)
}

// plan works out when the node is due next.
func (n *node) plan(e *engine) {
	n.due = n.beatAt
	if e.cfg.WaitForWork {
		n.due = max(e.now, min(n.due, n.ends))
	}
	if n.called {
		n.due = e.now
	}
}

// idle tells whether a beat would change nothing: nothing to say, nothing to get, and no need to be heard of just now.
func (n *node) idle(e *engine) bool {
	return !n.dirty && !e.cfg.KeepIdleBeats && e.now < n.change && (e.blind || len(n.tasks) == 0) &&
		e.now-n.heard < e.mcfg.Expiry/2-n.interval && !e.m.Asks(n.report.Tracker)
}

// blind tells whether neither the policy nor the speculator looks at the progress of running attempts.
func blind(c *Config) bool {
	for _, p := range []scheduler.Policy{c.Policy, c.Speculator} {
		if p == nil {
			continue
		}
		if i, ok := p.(scheduler.ProgressIgnorer); !ok || !i.IgnoresProgress() {
			return false
		}
	}
	return true
}

// beat reports what runs here and takes over what should.
func (n *node) beat(e *engine) {
	r := &n.report
	r.Seq++
	r.Attempts = r.Attempts[:0]
	for _, t := range n.tasks {
		r.Attempts = append(r.Attempts, t.tell(e.now))
	}
	e.in = jobtracker.Input{Kind: jobtracker.InBeat, Req: 1, Report: r}
	n.dirty = false
	n.heard = e.now
	d := e.step(inBeat, &e.in).Desired
	if d.Register { // given up while it was silent
		n.stop(e)
		n.start(e)
		n.beatAt = e.now
		return
	}
	n.interval = max(1, d.Interval)
	n.beatAt = e.now + n.interval
	n.want(e, d.Run, d.Limits)
}

// want makes the tracker's attempts those of the answer. Both are in order of launch, so what is not next in run is dropped,
// and what is left of run at the end is new.
func (n *node) want(e *engine, run []job.Attempt, limits []jobtracker.Limit) {
	if n.rearrange {
		n.arrange(run)
	}
	keep := n.tasks[:0]
	for _, t := range n.tasks {
		if len(run) > 0 && run[0] == t.id {
			run = run[1:]
			keep = append(keep, t)
			continue
		}
		if !t.over(e.now) { // killed: it is gone from the next report
			n.dirty = true
		}
		n.drop(e, t)
	}
	n.tasks = keep
	for _, id := range run {
		n.launch(e, id)
		n.dirty = true
	}
	if e.shares != nil {
		e.shares.beat(e, n, limits)
	}
	n.changed(e)
}

func (n *node) drop(e *engine, t *task) {
	e.busy--
	if t.filler {
		if j := e.jobs[t.id.Job]; j != nil {
			j.forget(t)
		}
	}
	*t = task{}
	n.spare = append(n.spare, t)
}

func (n *node) launch(e *engine, id job.Attempt) {
	j := e.jobs[id.Job]
	if j == nil {
		e.fail(failure.New(failure.Internal, "simulate", "", fmt.Errorf("an attempt of job %d, which is over", id.Job)))
		return
	}
	var t *task
	if k := len(n.spare); k > 0 {
		t, n.spare = n.spare[k-1], n.spare[:k-1]
	} else {
		t = &task{}
	}
	e.busy++
	t.begin(e, n, j, id)
	e.lasts(t)
	n.tasks = append(n.tasks, t)
}

// changed works out anew when something happens here.
func (n *node) changed(e *engine) {
	e.shares.rates(e, n)
	n.ends, n.change = never, never
	if n.tt != nil && n != e.active {
		n.planMachine(e)
		e.wakeups.fix(n)
	}
	for _, t := range n.tasks {
		n.ends = min(n.ends, t.end)
		n.change = min(n.change, t.news(e.now))
	}
	if n.tt == nil && e.cfg.WaitForWork && n.ends < n.due && n != e.active {
		n.due = max(e.now, n.ends)
		e.wakeups.fix(n)
	}
}

// news: the JobTracker has something for the tracker.
func (n *node) news(e *engine) {
	n.dirty = true
	if !e.cfg.WaitForWork || !n.up {
		return
	}
	n.called = true
	if n != e.active {
		n.due = e.now
		e.wakeups.fix(n)
	}
}
