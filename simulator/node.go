package simulator

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/tasktracker"
)

// node is a node of the simulated cluster with its TaskTracker.
type node struct {
	index int
	name  string
	host  string
	rack  string
	inc   int64
	up    bool

	due   int64 // time of the node's next event
	place int   // index in wakeups

	report   heartbeat.Report
	local    *orchestrator.Local
	slots    [2]int32 // slots without other load on the node
	tasks    []*task  // in launch order
	spare    []*task  // tasks for reuse
	speed    int64    // speed of its tasks, in millionths of the recorded speed
	own      int64    // speed without other load on the node
	interval int64    // heartbeat interval from the last response
	beatAt   int64    // time of the next heartbeat according to the interval
	heard    int64    // time when the last heartbeat or registration was sent
	ends     int64    // time at which its next attempt ends
	change   int64    // time at which one of its attempts next has something to report
	dirty    bool     // the next heartbeat must be sent
	topology int64    // the engine's topology at the last heartbeat
	called   bool     // the node has not yet reacted to news from the JobTracker

	rearrange bool // the JobTracker may have the tasks in a different order

	// The following fields are used in runs with tracker faults.
	tt    *tasktracker.Machine // the real state machine; nil if the node itself is the stub
	ttOut []tasktracker.Output
	queue []tasktracker.Input // next inputs of tt
}

func (e *engine) newNode(i int) *node {
	n := &node{index: i, slots: e.cfg.Slots, ends: never, change: never, due: never, dirty: true}
	n.own = e.plan.speed(i)
	n.speed = n.own
	n.host, n.rack = fmt.Sprintf("node%04d", i+1), "/default-rack"
	if k := len(e.cfg.Nodes); k > 0 {
		n.host, n.rack = e.cfg.Nodes[i%k].Host, e.cfg.Nodes[i%k].Rack
	}
	// Several TaskTrackers may share a host, as in a minicluster. Their ports must differ, because
	// a TaskTracker that registers under an existing name replaces the earlier one.
	n.name = fmt.Sprintf("tracker_%s:%d", n.host, 50060+e.onHost[n.host])
	e.onHost[n.host]++
	n.report.Slots = n.slots
	return n
}

const million = 1_000_000

// start starts the tracker and registers it as a new tracker.
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
	n.report = heartbeat.Report{Tracker: r.Tracker, Incarnation: n.inc, Slots: n.report.Slots,
		OtherLoad: n.report.OtherLoad, Attempts: n.report.Attempts[:0]}
	n.interval = e.startInterval()
	n.dirty, n.heard = true, e.now
}

func (e *engine) register(n *node) reply {
	delete(e.byHandle, n.report.Tracker)
	r := e.step(inRegister, &jobtracker.Input{Kind: jobtracker.InRegister, Req: 1, Register: &jobtracker.Register{
		Name: n.name, Host: n.host, Rack: n.rack, Addr: n.name, Incarnation: n.inc, Slots: n.report.Slots,
		Memory: e.cfg.Memory, VCores: e.cfg.VCores}})
	if r.Err == nil {
		e.byHandle[r.Tracker] = n
		n.report.Tracker = r.Tracker
	}
	return r
}

// stop stops the tracker and all its attempts.
func (n *node) stop(e *engine) {
	n.up, n.tt, n.called = false, nil, false
	delete(e.byHandle, n.report.Tracker)
	e.shares.gone(n)
	for _, t := range n.tasks {
		n.drop(e, t)
	}
	n.tasks = n.tasks[:0]
	n.ends, n.change, n.due = never, never, never
}

// wake processes the node's due event. It sends a heartbeat, or skips a heartbeat that would change
// nothing. In a simulation with real TaskTrackers, it wakes the state machine of the node's
// TaskTracker.
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

// plan computes the time of the node's next event.
func (n *node) plan(e *engine) {
	n.due = n.beatAt
	if e.cfg.WaitForWork {
		n.due = max(e.now, min(n.due, n.ends))
	}
	if n.called {
		n.due = e.now
	}
}

// idle reports whether the node may skip a heartbeat. The node must have nothing to report or
// receive, its tracker must not be close to expiry, and Config.KeepIdleBeats must not be set.
func (n *node) idle(e *engine) bool {
	return !n.dirty && n.topology == e.topology && !e.cfg.KeepIdleBeats && e.now < n.change &&
		(e.blind || len(n.tasks) == 0) && e.now-n.heard < e.mcfg.Expiry/2-n.interval && !e.m.Asks(n.report.Tracker)
}

// blind reports whether none of the policies and the speculator reads the progress of running
// attempts.
func blind(c *Config) bool {
	all := []scheduler.Policy{c.Policy, c.Speculator}
	for _, s := range c.Switches {
		all = append(all, s.Policy)
	}
	for _, p := range all {
		if p == nil {
			continue
		}
		if i, ok := p.(scheduler.ProgressIgnorer); !ok || !i.IgnoresProgress() {
			return false
		}
	}
	return true
}

// beat reports the node's attempts and applies the desired state from the response.
func (n *node) beat(e *engine) {
	r := &n.report
	r.Seq++
	r.Attempts = r.Attempts[:0]
	for _, t := range n.tasks {
		r.Attempts = append(r.Attempts, t.tell(e.now))
	}
	e.in = jobtracker.Input{Kind: jobtracker.InBeat, Req: 1, Report: r}
	n.dirty, n.topology = false, e.topology
	n.heard = e.now
	d := e.step(inBeat, &e.in).Desired
	if d.Register { // the JobTracker declared the silent tracker lost
		n.stop(e)
		n.start(e)
		n.beatAt = e.now
		return
	}
	n.interval = max(1, d.Interval)
	n.beatAt = e.now + n.interval
	n.want(e, d.Run, d.Limits)
}

// want replaces the tracker's attempts with those in the response. Both lists are in launch order.
// An attempt that does not match the next entry of run is therefore dropped, and the entries of run
// after the last match are new.
func (n *node) want(e *engine, run []job.Attempt, limits []heartbeat.Limit) {
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
		if !t.over(e.now) { // killed; the next report omits the attempt
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
		e.fail(failure.New(failure.Internal, "simulate", "",
			fmt.Errorf("an attempt belongs to job %d, which has ended", id.Job)))
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

// changed recomputes the times at which the node's next attempt ends and at which an attempt next
// has something to report. It reschedules the node if necessary.
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

// news handles a notification from the JobTracker to the tracker.
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
