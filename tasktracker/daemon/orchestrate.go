package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/task"
	"github.com/howdah/howdah/tasktracker"
)

// local implements MROrchestrator's Local Resource Manager. It measures attempts and uses control
// groups to enforce the limits that the JobTracker orders. The report and hear methods accept a nil
// local and do nothing.
type local struct {
	settings orchestrator.Settings
	lease    time.Duration
	start    time.Time              // reference for the monotonic clock
	orders   chan []heartbeat.Limit // all limits in the last response

	// The manager belongs to the owner goroutine, like the TaskTracker's machine.
	machine *orchestrator.Local
	news    bool                            // there are samples that no report has included
	records map[job.Attempt]*trend.Recorder // of each attempt in the last sample

	// The fields below belong to the goroutine that runs orchestrate.
	seen   map[job.Attempt]*limited
	unheld []heartbeat.Unheld
	told   int // number of entries in unheld that the machine has received
}

// limited is an attempt whose limits the JobTracker has ordered.
type limited struct {
	child   *child
	meter   *meter
	gauge   *cgroup.Gauge // gauge of its group
	base    cgroup.Limits // limits when the attempt started
	last    cgroup.Reading
	holds   share             // limits that were ordered and are in force
	wanted  share             // last order
	refused *heartbeat.Unheld // reason why the last order is not in force; nil if it is in force
	ordered time.Time
	spare   yielding
	round   int // last measuring round that included the attempt
}

// share is the JobTracker's order for an attempt, in thousandths of a core and in MiB. 0 means the
// same as at launch.
type share struct{ cpu, memory int32 }

// yielding is the state of a child that must free memory because the JobTracker ordered a limit
// below its current usage. The child continues to free memory even if the JobTracker orders the
// current limit again in the meantime, so that a later order can take effect.
type yielding struct {
	to    int64 // memory usage to reach, in bytes; 0 means that the child need not free memory
	until time.Time
}

// yieldMillis is the time in ms, after the end of a lease, during which a child continues to free
// memory for a future order. The JobTracker repeats an order within that time.
const yieldMillis = 15_000

// close closes the control group files.
func (l *local) close() {
	for _, x := range l.seen {
		x.gauge.Close()
	}
}

// newLocal returns the manager, or nil if it is off. memory is the number of MiB that the manager
// can move between tasks.
func newLocal(s orchestrator.Settings, memory int32) *local {
	if s.Mode == orchestrator.Off || s.Mode == "" {
		return nil
	}
	l := &local{settings: s, lease: 3 * time.Duration(s.Config.Epoch) * time.Millisecond, start: time.Now(),
		orders: make(chan []heartbeat.Limit, 1), seen: map[job.Attempt]*limited{},
		records: map[job.Attempt]*trend.Recorder{}}
	l.machine = orchestrator.NewLocal(s.Config, l.capacity(memory, 0))
	return l
}

// movableMemory returns the number of MiB that the manager can move between tasks. It is 0 if tasks
// have no memory limits.
func (d *Daemon) movableMemory() int32 {
	if !d.cfg.Groups.Memory {
		return 0
	}
	return d.cfg.Memory
}

// capacity returns the node's resources for tasks, in thousandths of a core and in MiB. It
// subtracts the CPU share of other programs, which is others millionths. If NodeCPU is configured,
// it takes precedence.
func (l *local) capacity(memory, others int32) orchestrator.Vector {
	cpu := l.settings.NodeCPU
	if cpu == 0 {
		cpu = max(1, int64(runtime.NumCPU())*int64(orchestrator.Million-others)/1000)
	}
	return orchestrator.Vector{cpu, int64(memory)}
}

// halted reports whether the file that halts the manager exists.
func (l *local) halted() bool {
	if l.settings.HaltLocal == "" {
		return false
	}
	_, err := os.Stat(l.settings.HaltLocal)
	return err == nil
}

// report returns the shares for the next heartbeat. It returns nil if there are no new values or
// the manager is halted. If the heartbeat is lost, its values are not sent again, because the next
// sample replaces them.
func (l *local) report() *heartbeat.Shares {
	if l == nil || !l.news || l.halted() {
		return nil
	}
	l.news = false
	return l.machine.Report()
}

// tellShares passes the shares for the next heartbeat to the machine. It runs in the owner
// goroutine.
func (d *Daemon) tellShares() {
	if s := d.local.report(); s != nil {
		d.step(&tasktracker.Input{Kind: tasktracker.InShares, Shares: s})
	}
}

// unheldLimits returns the ordered limits that are not in force. A halted manager returns none.
func (l *local) unheldLimits() []heartbeat.Unheld {
	if l.halted() {
		return nil
	}
	return l.unheld
}

// tellUnheld passes the limits that are not in force to the machine. Every heartbeat contains them.
func (d *Daemon) tellUnheld() {
	unheld := d.local.unheldLimits()
	if len(unheld)+d.local.told > 0 {
		d.post(tasktracker.Input{Kind: tasktracker.InUnheld, Unheld: unheld})
	}
	d.local.told = len(unheld)
}

// hear processes the advice in a response from the JobTracker. Unless the mode is Watch, it also
// passes on the limits in the response. It runs in the owner goroutine.
func (l *local) hear(d *heartbeat.Desired) {
	if l == nil || l.halted() {
		return
	}
	l.machine.Hear(d.Advice)
	l.news = l.news || len(d.Advice) > 0
	if l.settings.Mode == orchestrator.Watch {
		return
	}
	select { // only the last orders count
	case <-l.orders:
	default:
	}
	select {
	case l.orders <- d.Limits:
	default:
	}
}

// orchestrate measures attempts and applies limits until ctx is canceled.
func (d *Daemon) orchestrate(ctx context.Context) error {
	ticker := time.NewTicker(time.Duration(d.local.settings.Config.Sample) * time.Millisecond)
	defer ticker.Stop()
	defer d.local.close()
	for round := 1; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if d.local.halted() {
				d.tellUnheld()
			} else {
				d.measure(round)
			}
			round++
		case orders := <-d.local.orders:
			d.local.obey(orders, &d.cfg.Groups, d.log)
			d.tellUnheld()
		}
	}
}

// running is a running attempt in a control group.
type running struct {
	attempt  job.Attempt
	progress int32
	child    *child
	meter    *meter
	since    time.Time     // start of the attempt
	base     cgroup.Limits // limits when the attempt started
}

// measure samples every attempt in a control group and passes the samples to the manager. The
// manager cannot control attempts outside control groups.
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
	now, samples := d.local.sample(round, all, d.cfg.Memory)
	d.ask(func() {
		d.local.observe(now, samples, d.movableMemory(), d.otherLoad.Load())
		d.tellShares()
	})
}

// millis converts a time to ms on the samples' clock, which never goes backward.
func (l *local) millis(t time.Time) int64 { return t.Sub(l.start).Milliseconds() + l.start.UnixMilli() }

// sample reads the groups of the running attempts. It skips attempts that cannot be measured and
// forgets attempts that have ended.
func (l *local) sample(round int, all []running, node int32) (now int64, samples []orchestrator.Sample) {
	now = l.millis(time.Now())
	samples = make([]orchestrator.Sample, 0, len(all))
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
			x.last = cgroup.Reading{} // makes the next renewal apply the limits to the kernel again
			continue
		}
		x.last = u
		samples = append(samples, orchestrator.Sample{Attempt: r.attempt, Start: l.millis(r.since),
			Progress: int64(r.progress), CPUMillis: u.CPU.Milliseconds(),
			Memory: needed(u) >> 20, Allocation: allocation(u, node)})
	}
	for a, x := range l.seen {
		if x.round != round {
			x.gauge.Close()
			delete(l.seen, a)
		}
	}
	return now, samples
}

// observe passes samples to the manager. It runs in the owner goroutine.
func (l *local) observe(now int64, samples []orchestrator.Sample, movable, others int32) {
	l.machine.Resize(l.capacity(movable, others))
	l.machine.Observe(now, samples)
	l.news = true
	l.record(now)
}

// record adds the measured attempts to their records, and removes the records of all others.
func (l *local) record(now int64) {
	tasks := l.machine.Report().Tasks
	kept := make(map[job.Attempt]*trend.Recorder, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		r := l.records[t.Attempt]
		if r == nil {
			r = trend.NewSmall()
		}
		kept[t.Attempt] = r
		if t.Usage == (heartbeat.Vector{}) { // not measured yet
			continue
		}
		sample := map[string]trend.Value{}
		for k, name := range shareNames {
			sample[name] = trend.Value{Used: float32(t.Usage[k]), Limit: float32(t.Allocation[k]), Need: float32(t.Want[k])}
		}
		r.Add(now, sample)
	}
	l.records = kept
}

// shareNames are the names of the series of an attempt's record, by resource.
var shareNames = [heartbeat.NumResources]string{"CPU, thousandths of a core", "memory, MiB"}

// needed returns the number of bytes that the manager must leave to an attempt. This is the
// attempt's current memory usage plus the memory that its child's garbage collector keeps free, but
// at most the attempt's limit. The limit is enough, because a child collects garbage more often as
// it approaches its limit.
func needed(u cgroup.Reading) int64 {
	n := u.Memory + task.HeapReserve
	if u.Limit > 0 {
		n = min(n, u.Limit)
	}
	return n
}

// grain is the CPU share that one unit of a control group's weight represents, in thousandths of a
// core. A one-core task has cgroup.DefaultWeight.
const grain = 1000 / cgroup.DefaultWeight

func allocation(u cgroup.Reading, node int32) orchestrator.Vector {
	memory := u.Limit >> 20
	if memory == 0 {
		memory = int64(node)
	}
	return orchestrator.Vector{u.Weight * grain, memory}
}

// obey enforces the limits that the JobTracker orders. Limits are leases. obey renews a lease when
// half of its duration has passed.
func (l *local) obey(orders []heartbeat.Limit, g *GroupConfig, log *slog.Logger) {
	for _, x := range l.seen {
		x.wanted = share{}
	}
	for i := range orders {
		if x := l.seen[orders[i].Attempt]; x != nil {
			x.wanted = share{orders[i].CPU, orders[i].Memory}
		}
	}
	now := time.Now()
	l.unheld = nil
	for a, x := range l.seen {
		if x.wanted == x.holds && (x.wanted == share{} || now.Sub(x.ordered) < l.lease/2) {
			x.refused = nil
			continue
		}
		if l.enforce(a, x, g, log); x.refused != nil {
			l.unheld = append(l.unheld, *x.refused)
		}
	}
}

// enforce applies the JobTracker's order for one attempt, or renews the lease if nothing has
// changed. It records in x which limits are in force.
func (l *local) enforce(a job.Attempt, x *limited, g *GroupConfig, log *slog.Logger) {
	o, want, now := x.wanted, x.limits(x.wanted, g), time.Now()
	if o.memory != x.holds.memory || now.After(x.spare.until) {
		x.spare = yielding{}
	}
	takes := want.Memory
	if x.spare.to > 0 {
		takes = min(takes, x.spare.to)
	}
	if o == x.holds && x.last.Weight == want.Weight && x.last.Limit == want.Memory &&
		x.child.renew(x.meter, a, takes, l.lease) {
		x.ordered = now
		return
	}
	err := x.child.limit(x.meter, a, want, takes, l.lease)
	gone := failure.Is(err, failure.NotFound) // the group is gone, so no limit exists
	switch {
	case err == nil || gone && o == share{}:
		x.holds, x.refused, x.ordered = o, nil, now
	case errors.Is(err, errOver): // the next sample will not include the attempt
	default:
		if x.refused == nil || x.refused.CPU != o.cpu || x.refused.Memory != o.memory {
			log.Warn("cannot enforce a limit of the orchestrator", "job", a.Job, "type", a.Type, "task", a.Index,
				"attempt", a.N, "err", err)
		}
		if failure.Is(err, failure.Limit) {
			x.spare = yielding{want.Memory, now.Add(l.lease + yieldMillis*time.Millisecond)}
		}
		why := "the attempt has no limits because its control group was removed"
		if x.holds = (share{}); !gone {
			x.holds, why = x.held(), "the kernel enforces a different limit: "+cause(err)
		}
		x.refused = &heartbeat.Unheld{Attempt: a, CPU: o.cpu, Memory: o.memory,
			HeldCPU: x.holds.cpu, HeldMemory: x.holds.memory, Why: why}
	}
}

// held reads the limits that the kernel enforces and returns them in the form of an order. If
// reading fails, it returns x.holds.
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

// cause returns the text of err without the name of the operation.
func cause(err error) string {
	var e *failure.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// limits returns the attempt's initial limits, changed as the order o requires. Unlimited memory
// stays unlimited.
func (x *limited) limits(o share, g *GroupConfig) cgroup.Limits {
	l := x.base
	if o.cpu > 0 {
		l.Weight = min(max(1, int64(o.cpu)/grain), cgroup.MaxWeight)
		if l.Quota > 0 { // one vcore may be more or less than one core
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
