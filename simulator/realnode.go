package simulator

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/tasktracker"
)

// This file drives the real TaskTracker's machine on a node. Its children are imagined: they are up at once, run an attempt for
// as long as the trace and the plan say, and are gone at once when they are told to leave.

// startMachine begins with a fresh tracker; its first step registers.
func (n *node) startMachine(e *engine) {
	n.inc = max(n.inc+1, e.now)
	n.tt = tasktracker.New(tasktracker.Config{Slots: n.report.Slots, Incarnation: n.inc, KillDelay: 5000, IdleExit: 1000, Retry: 1000, MaxRetry: 60_000})
	n.up = true
	n.feed(e, tasktracker.Input{Kind: tasktracker.InTick})
}

func (n *node) setSlots(e *engine) {
	n.feed(e, tasktracker.Input{Kind: tasktracker.InSlots, Slots: n.report.Slots})
	n.planMachine(e)
}

// wakeMachine feeds what has happened since: ends, news, progress, time.
func (n *node) wakeMachine(e *engine) {
	if n.tt == nil {
		n.startMachine(e)
		n.planMachine(e)
		return
	}
	for i := 0; i < len(n.tasks); {
		if t := n.tasks[i]; t.over(e.now) && !t.told {
			n.endChild(e, t)
			i = 0 // the list may have changed
			continue
		}
		i++
	}
	for _, t := range n.tasks {
		if !t.told {
			n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InProgress, Child: t.child, Progress: t.progress(e.now)})
		}
	}
	if n.called {
		n.called = false
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InNews})
	}
	n.feed(e, tasktracker.Input{Kind: tasktracker.InTick})
	n.planMachine(e)
}

// planMachine works out when the node is due next.
func (n *node) planMachine(e *engine) {
	if n.tt == nil {
		return
	}
	n.due = never
	if at := n.tt.NextDeadline(); at > 0 {
		n.due = max(at, e.now)
	}
	for _, t := range n.tasks {
		if !t.told && t.end != never {
			n.due = min(n.due, max(t.end, e.now))
		}
	}
	if n.called {
		n.due = e.now
	}
}

// endChild lets the child of an attempt say how it went.
func (n *node) endChild(e *engine, t *task) {
	t.told = true
	in := tasktracker.Input{Kind: tasktracker.InDone, Child: t.child, Progress: t.progress(e.now)}
	if t.fails {
		in.Kind, in.Failure, in.Text = tasktracker.InFailed, failure.Failed, t.failure
	}
	n.feed(e, in)
}

// progress is what a child would say.
func (t *task) progress(now int64) *tasktracker.Progress {
	r := t.tell(now)
	return &tasktracker.Progress{Phase: r.Phase, Millionths: r.Progress, ShuffleDone: r.ShuffleDone, SortDone: r.SortDone, Alive: true}
}

// feed steps the tracker with an input and with all that follows from it.
func (n *node) feed(e *engine, in tasktracker.Input) {
	n.queue = append(n.queue, in)
	for len(n.queue) > 0 && n.tt != nil && e.err == nil {
		next := n.queue[0]
		n.queue = n.queue[1:]
		next.Now = e.now
		n.ttOut = n.tt.Step(&next, n.ttOut[:0])
		for i := range n.ttOut {
			n.carryOut(e, &n.ttOut[i])
		}
	}
	n.queue = n.queue[:0]
}

func (n *node) carryOut(e *engine, o *tasktracker.Output) {
	switch o.Kind {
	case tasktracker.OutRegister:
		n.inc = o.Incarnation
		n.registerMachine(e)
	case tasktracker.OutBeat:
		n.beatMachine(e, o.Report)
	case tasktracker.OutLocalise:
		info := tasktracker.JobInfo{OwnProgram: true}
		if j := e.m.Job(o.Job); j != nil {
			info.Timeout = j.Spec.TaskTimeout
		}
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InJobReady, Job: o.Job, JobInfo: info})
	case tasktracker.OutSpawn:
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InReady, Child: o.Child})
	case tasktracker.OutLaunch:
		n.launchChild(e, o.Attempt, o.Child)
	case tasktracker.OutExit, tasktracker.OutTerm, tasktracker.OutKill:
		n.dropChild(e, o.Child)
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InExited, Child: o.Child, Failure: failure.Killed})
	}
}

func (n *node) registerMachine(e *engine) {
	r := e.register(n)
	if r.Err != nil {
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InLost, Text: r.Err.Error()})
		return
	}
	n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InRegistered, Tracker: r.Tracker, Epoch: 1, Cluster: e.mcfg.Cluster})
}

// beatMachine carries a beat to the JobTracker and the answer back.
func (n *node) beatMachine(e *engine, r *tasktracker.Report) {
	o := &n.report
	*o = jobtracker.Report{Tracker: r.Tracker, Incarnation: r.Incarnation, Seq: r.Seq, Full: r.Full, Slots: r.Slots, Unhealthy: r.Unhealthy,
		OtherLoad: o.OtherLoad, Attempts: o.Attempts[:0]}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		o.Attempts = append(o.Attempts, jobtracker.AttemptReport{Attempt: a.Attempt, State: a.State, Phase: a.Phase, Progress: a.Progress,
			ShuffleDone: a.ShuffleDone, SortDone: a.SortDone, Kind: a.Kind, Text: a.Text, Status: a.Status, Manifest: a.Manifest})
	}
	d := e.step(inBeat, &jobtracker.Input{Kind: jobtracker.InBeat, Req: 1, Report: o}).Desired
	n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InDesired, Desired: &tasktracker.Desired{Seq: d.Seq, Run: append([]job.Attempt(nil), d.Run...),
		Jobs: append([]int32(nil), d.Jobs...), Interval: d.Interval, Full: d.Full, Register: d.Register, Epoch: 1}})
}

func (n *node) launchChild(e *engine, id job.Attempt, child int32) {
	if e.jobs[id.Job] == nil { // over, and the tracker does not know it yet
		return
	}
	n.launch(e, id)
	n.tasks[len(n.tasks)-1].child = child
}

func (n *node) dropChild(e *engine, child int32) {
	for i, t := range n.tasks {
		if t.child == child {
			n.tasks = append(n.tasks[:i], n.tasks[i+1:]...)
			n.drop(e, t)
			return
		}
	}
}
