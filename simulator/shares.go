package simulator

import (
	"errors"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
)

// Shares makes the tasks on a node contend for its CPU and memory. A task that gets less than its
// demand takes longer than in the trace. Without Shares, a task needs only its slot. Shares does
// not support plans in which trackers come or go.
type Shares struct {
	Capacity orchestrator.Vector // capacity of each node for tasks
	// Memory is the memory of a slot in MiB. It is a task's share of the node's memory unless
	// Demand.Granted, Known, or an orchestrator sets another share. 0 means that the slots divide
	// the node's memory equally. All tasks start with the same CPU weight.
	Memory int64
	// Demand returns the resources that a task would use without contention.
	Demand func(jobName string, t job.Task) Demand
	// Cap makes the CPU weight a limit, so that a virtual machine cannot use the CPU time that
	// another virtual machine leaves idle.
	Cap bool
	// Orchestrator moves shares while tasks run; nil means no orchestrator.
	Orchestrator *orchestrator.Config
	// Watch makes the orchestrator decide without applying its decisions.
	Watch bool
	// Known grants tasks the memory that they need, up to the node's capacity. It shows the best
	// result achievable with perfect knowledge of memory demands. An orchestrator has to estimate
	// them.
	Known bool
	// Sample, if not nil, receives the total resource usage of all tasks at every sample. The
	// orchestrator's configuration sets the interval; without an orchestrator, it is 5 s.
	Sample func(now int64, used orchestrator.Vector)
	// Decided, if not nil, receives the decisions of each orchestrator round that makes any. It
	// must not retain d.
	Decided func(now int64, d []orchestrator.Decision)
}

// Demand is the resource usage of a task without contention.
type Demand struct {
	CPU    int64 // in thousandths of a core; 0 means negligible
	Memory int64 // in MiB, at its maximum
	// Granted is the memory in MiB at launch; 0 means the memory of a slot.
	Granted int64
	// Grown is the progress in millionths at which the task reaches Memory. Up to that point, its
	// memory usage grows linearly from a tenth of Memory. 0 means that the task uses Memory from
	// the start.
	Grown int64
	// Thrash is the additional run time of a task that gets none of its memory demand, in
	// millionths of its normal run time. Such a task spills, collects garbage, or pages.
	Thrash int64
	// Burn is the portion of the additional run time, in millionths, that is spent on CPU work
	// (garbage collection) instead of waiting (paging).
	Burn int64
}

const defaultSample = 5000

func (s *Shares) validate(c *Config) error {
	bad := func(why string) error { return failure.New(failure.Config, "simulate", "shares", errors.New(why)) }
	switch {
	case s == nil:
		return nil
	case s.Demand == nil:
		return bad("no demands are set")
	case s.Capacity[orchestrator.CPU] <= 0 || s.Capacity[orchestrator.Memory] <= 0 || s.Memory < 0:
		return bad("want CPU and memory to be more than 0")
	case c.Plan != nil && c.Plan.faulty():
		return bad("the plan adds or removes nodes, but contention needs fixed nodes")
	case s.Known && s.Orchestrator != nil:
		return bad("an orchestrator has no effect if all demands are known")
	case s.Orchestrator != nil:
		return s.Orchestrator.Validate()
	}
	return nil
}

// shares is the state of contention in a run.
type shares struct {
	*Shares
	every     int64 // ms between samples
	next      int64 // next sample
	initial   orchestrator.Vector
	global    *orchestrator.Global // nil if the run has no orchestrator
	decisions []orchestrator.Decision
	limits    []heartbeat.Limit
	advice    []heartbeat.Advice
	samples   []orchestrator.Sample
}

// begin returns the state of contention at the start of a simulation, or nil if tasks do not
// contend. The engine's clock must be set.
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
			w.add(n)
		}
	}
	return w
}

// add starts the node's local orchestrator, if any.
func (w *shares) add(n *node) {
	if w != nil && w.global != nil {
		n.local = orchestrator.NewLocal(*w.Orchestrator, w.Capacity)
	}
}

// gone forgets a node whose tracker stops.
func (w *shares) gone(n *node) {
	if w != nil && w.global != nil {
		w.global.Gone(n.report.Tracker)
	}
}

// restarted replaces the global orchestrator after a restart of the JobTracker, which loses it.
func (w *shares) restarted(now int64) {
	if w != nil && w.global != nil {
		w.global = orchestrator.NewGlobal(*w.Orchestrator, now)
	}
}

// due returns the time of the next sample or decision, or never if tasks do not contend.
func (w *shares) due() int64 {
	switch {
	case w == nil:
		return never
	case w.global == nil:
		return w.next
	}
	return min(w.next, w.global.NextDeadline())
}

// act samples all nodes, or runs a round of the orchestrator.
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
		w.limits = orchestrator.Limits(w.decisions, w.limits[:0], e.m.Limits)
		e.step(inLimits, &jobtracker.Input{Kind: jobtracker.InLimits, Limits: w.limits, Millis: 3 * w.Orchestrator.Epoch})
	}
}

// sample recomputes the resource usage of the node's tasks, reports it to the node's local
// orchestrator, if any, and returns the total.
func (w *shares) sample(e *engine, n *node) (used orchestrator.Vector) {
	n.changed(e)
	w.samples = w.samples[:0]
	for _, t := range n.tasks {
		for r, u := range t.share.use {
			used[r] += u
		}
		w.samples = append(w.samples, orchestrator.Sample{Attempt: t.id, Start: t.share.start,
			Progress:  t.share.progress(e.now, t.end),
			CPUMillis: int64(t.share.cpuMillis), Memory: t.share.use[orchestrator.Memory], Allocation: t.share.has})
	}
	if n.local != nil {
		n.local.Observe(e.now, w.samples)
		n.dirty = true
	}
	return used
}

// beat exchanges messages between the node's local orchestrator and the global orchestrator, if
// any. It then resets the tasks' shares to their initial values and applies the limits of the
// response.
func (w *shares) beat(e *engine, n *node, limits []heartbeat.Limit) {
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

// waits reports whether any of the job's tasks of type t is waiting for a slot.
func (e *engine) waits(seq int32, t job.TaskType) bool {
	j := e.m.Job(seq)
	return j != nil && t <= job.Reduce && j.Pending[t] > 0
}
