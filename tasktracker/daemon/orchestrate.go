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
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/task"
)

// local drives MROrchestrator's Local Resource Manager: it measures attempts, beats carry the manager's messages, and limits that
// the JobTracker orders are given to control groups. A nil local does nothing.
type local struct {
	settings orchestrator.Settings
	lease    time.Duration
	start    time.Time      // its monotonic reading counts
	orders   chan []ordered // the latest, complete

	mu      sync.Mutex
	machine *orchestrator.Local
	news    bool // since the last report
	unheld  []*tracker.Unheld

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
	holds   share           // what was ordered and holds
	wanted  share           // what was ordered last
	refused *tracker.Unheld // that what was ordered last does not hold; nil = it does
	ordered time.Time
	spare   yielding
	round   int // of measuring, in which it was seen last
}

// share is what the JobTracker orders; 0 = as at the launch.
type share struct{ cpu, memory int32 }

// yielding is a child that uses more memory than it was to have. It goes on making room although the JobTracker orders what holds
// meanwhile, so that the next order finds it smaller.
type yielding struct {
	to    int64 // bytes; 0 = it need not
	until time.Time
}

// yieldMillis is how long, and a lease, a child makes room for an order to come: the JobTracker gives the same one again sooner.
const yieldMillis = 15_000

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
	l := &local{settings: s, lease: 3 * time.Duration(s.Config.Epoch) * time.Millisecond, start: time.Now(), orders: make(chan []ordered, 1),
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
	return toShares(l.machine.Report())
}

// unheldLimits is what every beat carries as long as something that was ordered does not hold.
func (l *local) unheldLimits() []*tracker.Unheld {
	if l == nil || l.halted() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unheld
}

// hear takes what the answer carries.
func (l *local) hear(d *tracker.Desired) {
	if l == nil || l.halted() {
		return
	}
	advice := fromAdvice(d.GetAdvice())
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
	case l.orders <- fromLimits(d.GetLimits()):
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
			x.last = cgroup.Reading{} // so that the next renewal asks the kernel, too
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
func (l *local) obey(orders []ordered, g *GroupConfig, log *slog.Logger) {
	for _, x := range l.seen {
		x.wanted = share{}
	}
	for i := range orders {
		if x := l.seen[orders[i].attempt]; x != nil {
			x.wanted = orders[i].share
		}
	}
	now := time.Now()
	var unheld []*tracker.Unheld
	for a, x := range l.seen {
		if x.wanted == x.holds && (x.wanted == share{} || now.Sub(x.ordered) < l.lease/2) {
			x.refused = nil
			continue
		}
		if l.enforce(a, x, g, log); x.refused != nil {
			unheld = append(unheld, x.refused)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unheld = unheld
}

// enforce brings about what is wanted of one attempt.
func (l *local) enforce(a job.Attempt, x *limited, g *GroupConfig, log *slog.Logger) {
	o, want, now := x.wanted, x.limits(x.wanted, g), time.Now()
	if o.memory != x.holds.memory || now.After(x.spare.until) {
		x.spare = yielding{}
	}
	takes := want.Memory
	if x.spare.to > 0 {
		takes = min(takes, x.spare.to)
	}
	if o == x.holds && x.last.Weight == want.Weight && x.last.Limit == want.Memory && x.child.renew(x.meter, a, takes, l.lease) {
		x.ordered = now
		return
	}
	err := x.child.limit(x.meter, a, want, takes, l.lease)
	gone := failure.Is(err, failure.NotFound) // with its group, and so no limit is left
	switch {
	case err == nil || gone && o == share{}:
		x.holds, x.refused, x.ordered = o, nil, now
	case errors.Is(err, errOver): // the next sample is without it
	default:
		if x.refused == nil || x.refused.Cpu != o.cpu || x.refused.Memory != o.memory {
			log.Warn("a limit that the orchestrator ordered does not hold", "job", a.Job, "type", a.Type, "task", a.Index, "attempt", a.N, "err", err)
		}
		if failure.Is(err, failure.Limit) {
			x.spare = yielding{want.Memory, now.Add(l.lease + yieldMillis*time.Millisecond)}
		}
		why := "nothing limits it any more: somebody has removed its control group"
		if x.holds = (share{}); !gone {
			x.holds, why = x.held(), "the kernel holds this instead of what was ordered: "+cause(err)
		}
		x.refused = &tracker.Unheld{Attempt: toAttempt(a), Cpu: o.cpu, Memory: o.memory, CpuHeld: x.holds.cpu, MemoryHeld: x.holds.memory, Why: why}
	}
}

// held asks the kernel what it holds, in the words of an order; if it does not tell, that is what held last.
func (x *limited) held() share {
	l, err := x.meter.group.Limits()
	if err != nil {
		return x.holds
	}
	var s share
	if l.Weight != x.base.Weight {
		s.cpu = int32(l.Weight * grain)
	}
	if l.Memory != x.base.Memory {
		s.memory = int32(l.Memory >> 20)
	}
	return s
}

// cause is an error without what it was about.
func cause(err error) string {
	var e *failure.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// limits are those that the attempt began with, but for what was ordered. Where memory is not limited it stays so.
func (x *limited) limits(o share, g *GroupConfig) cgroup.Limits {
	l := x.base
	if o.cpu > 0 {
		l.Weight = min(max(1, int64(o.cpu)/grain), cgroup.MaxWeight)
		if l.Quota > 0 { // a weight of one vcore need not be a core
			l.Quota = min(max(cgroup.MinQuota, l.Quota*int64(o.cpu)/max(1, x.base.Weight*grain)), cgroup.MaxQuota)
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
