package simulator

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/tasktracker"
)

// This file drives the real TaskTracker's state machine on a node. The child processes are
// simulated. They start immediately, run an attempt for the time that the trace and the plan
// specify, and exit immediately when asked to.

// startMachine starts a new tracker and runs its first step, which registers the tracker.
func (n *node) startMachine(e *engine) {
	n.inc = max(n.inc+1, e.now)
	n.tt = tasktracker.New(tasktracker.Config{Slots: n.report.Slots, Incarnation: n.inc, KillDelay: 5000, IdleExit: 1000,
		Retry: 1000, MaxRetry: 60_000})
	n.up = true
	n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InLoad, OtherLoad: n.report.OtherLoad})
	n.feed(e, tasktracker.Input{Kind: tasktracker.InTick})
}

func (n *node) setSlots(e *engine) {
	n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InLoad, OtherLoad: n.report.OtherLoad})
	n.feed(e, tasktracker.Input{Kind: tasktracker.InSlots, Slots: n.report.Slots})
	n.planMachine(e)
}

// wakeMachine passes all events since the previous call to the tracker: ended attempts, progress,
// news, and time. It starts a tracker that has not been started.
func (n *node) wakeMachine(e *engine) {
	if n.tt == nil {
		n.startMachine(e)
		n.planMachine(e)
		return
	}
	for i := 0; i < len(n.tasks); {
		if t := n.tasks[i]; t.over(e.now) && !t.told {
			n.endChild(e, t)
			i = 0 // endChild may have changed the list
			continue
		}
		i++
	}
	for _, t := range n.tasks {
		if !t.told {
			n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InProgress, Child: t.child,
				Progress: t.progress(e.now)})
		}
	}
	if n.called {
		n.called = false
		n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InNews})
	}
	n.feed(e, tasktracker.Input{Kind: tasktracker.InTick})
	n.planMachine(e)
}

// planMachine computes the time of the node's next event.
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

// endChild reports the end of the attempt to the tracker, as the attempt's child process would.
func (n *node) endChild(e *engine, t *task) {
	t.told = true
	in := tasktracker.Input{Kind: tasktracker.InDone, Child: t.child, Progress: t.progress(e.now)}
	if t.fails {
		in.Kind, in.Failure, in.Text = tasktracker.InFailed, failure.Failed, t.failure
	}
	n.feed(e, in)
}

// progress returns the progress report of the attempt's child process.
func (t *task) progress(now int64) *tasktracker.Progress {
	r := t.tell(now)
	return &tasktracker.Progress{Phase: r.Phase, Millionths: r.Progress, ShuffleDone: r.ShuffleDone, SortDone: r.SortDone,
		Alive: true}
}

// feed passes the queued inputs to the tracker, then in, and then all inputs that result from the
// tracker's outputs.
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
	case tasktracker.OutLocalize:
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
	n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InRegistered, Tracker: r.Tracker, Epoch: e.m.Restarts(),
		Cluster: e.mcfg.Cluster})
}

// beatMachine sends a heartbeat to the JobTracker and passes the response to the tracker. It copies
// the response because the JobTracker's machine reuses the value.
func (n *node) beatMachine(e *engine, r *heartbeat.Report) {
	d := *e.step(inBeat, &jobtracker.Input{Kind: jobtracker.InBeat, Req: 1, Report: r}).Desired
	d.Run, d.Jobs, d.Limits = slices.Clone(d.Run), slices.Clone(d.Jobs), slices.Clone(d.Limits)
	n.queue = append(n.queue, tasktracker.Input{Kind: tasktracker.InDesired, Desired: &d})
}

func (n *node) launchChild(e *engine, id job.Attempt, child int32) {
	if e.jobs[id.Job] == nil { // the job has ended, but the tracker has not received that news yet
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
