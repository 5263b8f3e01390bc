package simulator

import (
	"errors"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/orchestrator/daemon"
)

// Shares lets the tasks of a node contend for its CPU and memory: a task that does not get what it could use takes longer than
// the trace says. Without it a task has its slot, and that is all. It is not for runs with faults of trackers.
type Shares struct {
	Capacity orchestrator.Vector // of each node, for tasks
	// Memory is what a task has of the node's memory unless an orchestrator changes it: the size of its slot. 0 = an equal part
	// of the node for each slot. A task's weight of CPU is the same for all.
	Memory int64
	// Demand tells what a task would use.
	Demand func(jobName string, t job.Task) Demand
	// Cap makes the weight of CPU a limit: what one virtual machine leaves another cannot have.
	Cap bool
	// Orchestrator moves shares while tasks run; nil = they stay.
	Orchestrator *orchestrator.Config
	// Watch lets the orchestrator decide and tell nobody.
	Watch bool
	// Known gives tasks at any moment the memory that they need, as far as the node has it: what whoever knew all demands could do with
	// memory. It is for comparison with an orchestrator, which has to find out.
	Known bool
	// Sample is called at every sample (5 s without an orchestrator) with what all tasks together use; nil = nobody.
	Sample func(now int64, used orchestrator.Vector)
	// Decided is called with each round of decisions; nil = nobody. They must not be kept.
	Decided func(now int64, d []orchestrator.Decision)
}

// Demand is what a task would use if it were alone.
type Demand struct {
	CPU    int64 // thousandths of a core; 0 = as good as none
	Memory int64 // MiB, once it has grown
	// Granted is the memory (MiB) that it has at its launch; 0 = that of a slot.
	Granted int64
	// Grown is how far the task has got (millionths) when it uses all of Memory; before that its use grows evenly.
	Grown int64
	// Thrash is how many times longer a task takes in all that has none of the memory that it wants, less 1, in millionths: it
	// spills, collects garbage or pages.
	Thrash int64
	// Burn is how much of the time that this costs is CPU (garbage collection) and not waiting (paging), in millionths.
	Burn int64
}

const defaultSample = 5000

func (s *Shares) validate(c *Config) error {
	bad := func(why string) error { return failure.New(failure.Config, "simulate", "shares", errors.New(why)) }
	switch {
	case s == nil:
		return nil
	case s.Demand == nil:
		return bad("no demand is given")
	case s.Capacity[orchestrator.CPU] <= 0 || s.Capacity[orchestrator.Memory] <= 0 || s.Memory < 0:
		return bad("want CPU and memory above 0")
	case c.Plan != nil && c.Plan.faulty():
		return bad("nodes come and go by plan; contention is modelled for nodes that stay")
	case s.Known && s.Orchestrator != nil:
		return bad("where all demands are known there is nothing to orchestrate")
	case s.Orchestrator != nil:
		return s.Orchestrator.Validate()
	}
	return nil
}

// shares is the contention of a run.
type shares struct {
	*Shares
	every     int64 // between samples
	next      int64 // sample
	initial   orchestrator.Vector
	global    *orchestrator.Global // nil = nobody orchestrates
	decisions []orchestrator.Decision
	limits    []jobtracker.Limit
	advice    []orchestrator.Advice
	samples   []orchestrator.Sample
}

// begin is called when the clock is set.
func (s *Shares) begin(e *engine) *shares {
	if s == nil {
		return nil
	}
	w := &shares{Shares: s, every: defaultSample, next: e.now}
	slots := int64(max(1, e.cfg.Slots[0]+e.cfg.Slots[1]))
	w.initial = orchestrator.Vector{max(1, s.Capacity[orchestrator.CPU]/slots), s.Memory}
	if s.Memory == 0 {
		w.initial[orchestrator.Memory] = max(1, s.Capacity[orchestrator.Memory]/slots)
	}
	if c := s.Orchestrator; c != nil {
		w.every = c.Sample
		w.global = orchestrator.NewGlobal(*c, e.now)
		for _, n := range e.nodes {
			n.local = orchestrator.NewLocal(*c, s.Capacity)
		}
	}
	return w
}

// due is when something happens without any task having done anything.
func (w *shares) due() int64 {
	switch {
	case w == nil:
		return never
	case w.global == nil:
		return w.next
	}
	return min(w.next, w.global.NextDeadline())
}

// act takes a sample of all nodes, or lets the orchestrator decide.
func (w *shares) act(e *engine) {
	if w.next <= e.now {
		w.next = e.now + w.every
		var used orchestrator.Vector
		for _, n := range e.nodes {
			u := w.sample(e, n)
			for r := range u {
				used[r] += u[r]
			}
		}
		if w.Sample != nil {
			w.Sample(e.now, used)
		}
		return
	}
	w.decisions = w.global.Tick(e.now, e.waits, w.decisions[:0])
	if len(w.decisions) > 0 && w.Decided != nil {
		w.Decided(e.now, w.decisions)
	}
	if !w.Watch {
		w.limits = daemon.Limits(w.decisions, w.limits[:0], e.m.Limits)
		e.step(inLimits, &jobtracker.Input{Kind: jobtracker.InLimits, Limits: w.limits, Millis: 3 * w.Orchestrator.Epoch})
	}
}

// sample works out anew what the node's tasks get, as their memory grows, and shows it to the node's manager.
func (w *shares) sample(e *engine, n *node) (used orchestrator.Vector) {
	n.changed(e)
	w.samples = w.samples[:0]
	for _, t := range n.tasks {
		for r, u := range t.share.use {
			used[r] += u
		}
		w.samples = append(w.samples, orchestrator.Sample{Attempt: t.id, Start: t.share.start, Progress: t.share.progress(e.now, t.end),
			CPUMillis: int64(t.share.cpuMillis), Memory: t.share.use[orchestrator.Memory], Allocation: t.share.has})
	}
	if n.local != nil {
		n.local.Observe(e.now, w.samples)
		n.dirty = true
	}
	return used
}

// beat carries the managers' messages.
func (w *shares) beat(e *engine, n *node, limits []jobtracker.Limit) {
	if n.local != nil {
		w.global.Hear(e.now, n.report.Tracker, n.local.Report())
		w.advice = w.global.Advice(n.report.Tracker, w.advice[:0])
		n.local.Hear(w.advice)
	}
	for _, t := range n.tasks {
		t.share.has = w.launched(&t.share)
	}
	for _, l := range limits {
		for _, t := range n.tasks {
			if t.id == l.Attempt {
				t.share.limit(l)
			}
		}
	}
}

// waits tells whether tasks of a job wait for a slot.
func (e *engine) waits(seq int32, t job.TaskType) bool {
	j := e.m.Job(seq)
	return j != nil && t <= job.Reduce && j.Pending[t] > 0
}
