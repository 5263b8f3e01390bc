package daemon

import (
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/task"
)

// local drives MROrchestrator's Local Resource Manager: it measures attempts, beats carry the manager's messages, and limits that
// the JobTracker orders are given to control groups. A nil local does nothing.
type local struct {
	settings orchestrator.Settings
	lease    time.Duration
	start    time.Time // its monotonic reading counts
	orders   chan []*tracker.Limit

	mu      sync.Mutex
	machine *orchestrator.Local
	news    bool // since the last report

	// What follows belongs to the goroutine of orchestrate.
	seen map[job.Attempt]*limited
}

// limited is an attempt and what was done to it.
type limited struct {
	child   *child
	meter   *meter
	gauge   *cgroup.Gauge // of its group
	base    cgroup.Limits // that it began with
	last    cgroup.Reading
	holds   share // what was ordered and holds
	refused share // what was ordered last and does not hold
	ordered time.Time
	round   int // of measuring, in which it was seen last
}

// share is what the JobTracker orders; 0 = as at the launch.
type share struct{ cpu, memory int32 }

// close lets go of the kernel's files.
func (l *local) close() {
	for _, x := range l.seen {
		x.gauge.Close()
	}
}

// newLocal makes the manager; nil = there is none, or nothing that it could do.
func newLocal(s orchestrator.Settings, memory int32) *local {
	if s.Mode == orchestrator.Off || s.Mode == "" {
		return nil
	}
	l := &local{settings: s, lease: 3 * time.Duration(s.Config.Epoch) * time.Millisecond, start: time.Now(), orders: make(chan []*tracker.Limit, 1),
		seen: map[job.Attempt]*limited{}}
	l.machine = orchestrator.NewLocal(s.Config, l.capacity(memory, 0))
	return l
}

// movableMemory is the MiB that may be moved between tasks: none where nobody limits them.
func (d *Daemon) movableMemory() int32 {
	if !d.cfg.Groups.Memory {
		return 0
	}
	return d.cfg.Memory
}

// capacity is what the node has for tasks when others use so many millionths of its CPU.
func (l *local) capacity(memory, others int32) orchestrator.Vector {
	cpu := l.settings.NodeCPU
	if cpu == 0 {
		cpu = max(1, int64(runtime.NumCPU())*int64(orchestrator.Million-others)/1000)
	}
	return orchestrator.Vector{cpu, int64(memory)}
}

// halted tells whether the file is there that makes the manager stand still.
func (l *local) halted() bool {
	if l.settings.HaltLocal == "" {
		return false
	}
	_, err := os.Stat(l.settings.HaltLocal)
	return err == nil
}

// report is what a beat carries: nothing if there is nothing new. One that is lost costs the time until the next sample.
func (l *local) report() *tracker.Shares {
	if l == nil || l.halted() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.news {
		return nil
	}
	l.news = false
	const cpu, memory = orchestrator.CPU, orchestrator.Memory
	r := l.machine.Report()
	out := &tracker.Shares{Cpu: r.Capacity[cpu], Memory: r.Capacity[memory]}
	for _, t := range r.Tasks {
		out.Task = append(out.Task, &tracker.TaskShare{Attempt: toAttempt(t.Attempt), CpuUsed: t.Usage[cpu], MemoryUsed: t.Usage[memory], Cpu: t.Allocation[cpu],
			Memory: t.Allocation[memory], Elapsed: t.Elapsed, Left: t.Left, Answers: t.Answers, CpuWanted: t.Want[cpu], MemoryWanted: t.Want[memory]})
	}
	return out
}

// hear takes what the answer carries.
func (l *local) hear(d *tracker.Desired) {
	if l == nil || l.halted() {
		return
	}
	var advice []orchestrator.Advice
	for _, a := range d.GetAdvice() {
		id := a.GetAttempt()
		advice = append(advice, orchestrator.Advice{Attempt: job.Attempt{Task: job.Task{Job: id.GetJob(), Type: job.TaskType(id.GetType()), Index: id.GetIndex()}, N: id.GetN()},
			Epoch: a.Epoch, Verdict: [orchestrator.NumResources]orchestrator.Verdict{orchestrator.Verdict(a.CpuVerdict), orchestrator.Verdict(a.MemoryVerdict)},
			Mean: orchestrator.Vector{max(0, a.CpuMean), max(0, a.MemoryMean)}, Target: max(0, a.Target), Whole: a.Whole, Pressed: a.Pressed})
	}
	l.mu.Lock()
	l.machine.Hear(advice)
	l.news = l.news || len(advice) > 0
	l.mu.Unlock()
	if l.settings.Mode == orchestrator.Watch {
		return
	}
	select { // only the latest orders count
	case <-l.orders:
	default:
	}
	select {
	case l.orders <- d.GetLimit():
	default:
	}
}

// orchestrate measures and obeys until the TaskTracker ends.
func (d *Daemon) orchestrate() {
	ticker := time.NewTicker(time.Duration(d.local.settings.Config.Sample) * time.Millisecond)
	defer ticker.Stop()
	defer d.local.close()
	for round := 1; ; {
		select {
		case <-d.base.Done():
			return
		case <-ticker.C:
			if !d.local.halted() {
				d.measure(round)
			}
			round++
		case orders := <-d.local.orders:
			d.local.obey(orders, &d.cfg.Groups, d.log)
		}
	}
}

// running is an attempt in a control group.
type running struct {
	attempt  job.Attempt
	progress int32
	child    *child
	meter    *meter
	since    time.Time     // when it began
	base     cgroup.Limits // that it began with
}

// measure takes a sample of every attempt in a control group: of others nothing can be changed.
func (d *Daemon) measure(round int) {
	var told []running
	d.ask(func() {
		for _, a := range d.machine.View().Attempts {
			if c, ok := d.children[a.Child].(*child); ok && a.State == job.AttemptRunning {
				told = append(told, running{attempt: a.Attempt, progress: a.Progress, child: c})
			}
		}
	})
	all := told[:0]
	for _, r := range told {
		if r.meter, _ = r.child.present(); r.meter == nil || r.meter.group == nil {
			continue
		}
		var begun bool
		if r.since, r.base, begun = r.meter.began(r.attempt); begun {
			all = append(all, r)
		}
	}
	d.local.observe(round, all, d.movableMemory(), d.otherLoad.Load(), d.cfg.Memory)
}

// millis gives a time as samples have it. It only goes forward.
func (l *local) millis(t time.Time) int64 { return t.Sub(l.start).Milliseconds() + l.start.UnixMilli() }

// observe reads the groups of what runs. Whoever cannot be measured takes no part.
func (l *local) observe(round int, all []running, movable, others, node int32) {
	now := l.millis(time.Now())
	samples := make([]orchestrator.Sample, 0, len(all))
	for _, r := range all {
		x := l.seen[r.attempt]
		if x == nil {
			gauge, err := r.meter.group.Gauge()
			if err != nil {
				continue
			}
			x = &limited{child: r.child, meter: r.meter, gauge: gauge, base: r.base}
			l.seen[r.attempt] = x
		}
		x.round = round
		u, err := x.gauge.Read()
		if err != nil {
			continue
		}
		x.last = u
		samples = append(samples, orchestrator.Sample{Attempt: r.attempt, Start: l.millis(r.since), Progress: int64(r.progress), CPUMillis: u.CPU.Milliseconds(),
			Memory: needed(u) >> 20, Allocation: allocation(u, node)})
	}
	for a, x := range l.seen {
		if x.round != round {
			x.gauge.Close()
			delete(l.seen, a)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.machine.Resize(l.capacity(movable, others))
	l.machine.Observe(now, samples)
	l.news = true
}

// needed is the memory of an attempt that must not be taken away: what it uses, and what the garbage collector of its child leaves
// free. A child collects its garbage more and more often rather than press against its limit any harder.
func needed(u cgroup.Reading) int64 {
	n := u.Memory + task.HeapReserve
	if u.Limit > 0 {
		n = min(n, u.Limit)
	}
	return n
}

// grain is what one of a control group's weight stands for, in thousandths of a core: a task of one core has cgroup.DefaultWeight.
const grain = 1000 / cgroup.DefaultWeight

func allocation(u cgroup.Reading, node int32) orchestrator.Vector {
	memory := u.Limit >> 20
	if memory == 0 {
		memory = int64(node)
	}
	return orchestrator.Vector{u.Weight * grain, memory}
}

// obey makes limits what the JobTracker wants them to be. They are leases, renewed when half of their time is over.
func (l *local) obey(orders []*tracker.Limit, g *GroupConfig, log *slog.Logger) {
	wanted := make(map[job.Attempt]*tracker.Limit, len(orders))
	for _, o := range orders {
		id := o.GetAttempt()
		wanted[job.Attempt{Task: job.Task{Job: id.GetJob(), Type: job.TaskType(id.GetType()), Index: id.GetIndex()}, N: id.GetN()}] = o
	}
	for a, x := range l.seen {
		o := share{wanted[a].GetCpu(), wanted[a].GetMemory()}
		if o == x.holds && (o == share{} || time.Since(x.ordered) < l.lease/2) {
			continue
		}
		want := x.limits(o, g)
		if o == x.holds && x.last.Weight == want.Weight && x.last.Limit == want.Memory && x.child.renew(x.meter, a, want, l.lease) {
			x.ordered = time.Now()
			continue
		}
		switch err := x.child.limit(x.meter, a, want, l.lease); {
		case err == nil:
			x.holds, x.refused, x.ordered = o, share{}, time.Now()
		case errors.Is(err, errOver): // the next sample is without it
		case o != x.refused: // said once and tried again with the next beat: a task may use less then
			x.refused = o
			log.Warn("a limit that the orchestrator ordered does not hold", "attempt", a, "err", err)
		}
	}
}

// limits are those that the attempt began with, but for what was ordered. Where memory is not limited it stays so.
func (x *limited) limits(o share, g *GroupConfig) cgroup.Limits {
	l := x.base
	if o.cpu > 0 {
		l.Weight = min(max(1, int64(o.cpu)/grain), cgroup.MaxWeight)
		if g.StrictCPU {
			l.Quota = min(max(cgroup.MinQuota, int64(o.cpu)), cgroup.MaxQuota)
		}
	}
	if o.memory > 0 && l.Memory > 0 {
		l.Memory = max(cgroup.MinMemory, int64(o.memory)<<20)
		if g.SoftShare > 0 {
			l.SoftMemory = max(cgroup.MinMemory, l.Memory/100*g.SoftShare)
		}
	}
	return l
}
