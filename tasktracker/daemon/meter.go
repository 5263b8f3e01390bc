package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/procfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// meter measures the resource usage of a child's processes, including commands that the child
// starts. It reads their control group, or /proc if they have no group. A child that runs several
// tasks has one meter, and a task's usage is the difference between two readings. A meter is safe
// for concurrent use.
type meter struct {
	group *cgroup.Group // nil if the child has no group
	pid   int
	log   *slog.Logger

	mu      sync.Mutex
	attempt job.Attempt   // the current attempt
	since   time.Time     // start time of the attempt; zero if no attempt has begun or the process has ended
	base    cgroup.Limits // limits that the kernel enforced when the attempt started
	begun   used          // usage when the attempt started
	last    used          // the last reading
	at      time.Time     // time of the last reading
	lost    bool          // a log line has reported that the group no longer exists
	limit   int64         // memory limit in bytes when the attempt started; 0 means none
	// The following fields are the attempt's peak memory usage in bytes, as measured here or
	// reported by the attempt.
	physical, virtual int64
}

// used is the total resource usage of a child's processes since the child started.
type used struct {
	cpu           time.Duration
	memory        int64 // bytes in use now
	read, written int64 // bytes read from and written to disks
	oomKills      int64
}

// recent is the maximum age of a reading at the end of an attempt that also counts as a reading at the
// start of the child's next attempt. A reading takes about as long as an attempt with few records.
const recent = 100 * time.Millisecond

// begin starts measuring attempt a, whose limits are l. It cancels any lease of the previous
// attempt. If it cannot set the limits, it still measures the attempt but returns an error.
func (m *meter) begin(a job.Attempt, l cgroup.Limits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.group != nil && (m.since.IsZero() || !m.group.Holds(l)) {
		err = m.group.Set(l)
		m.base, _ = m.group.Limits() // the kernel might not enforce all of the requested limits
	}
	if time.Since(m.at) > recent {
		m.read()
	}
	m.attempt, m.since, m.begun, m.limit = a, time.Now(), m.last, l.Memory
	m.physical, m.virtual = 0, 0
	return err
}

// end records that the process has ended.
func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since = time.Time{}
}

// began returns an attempt's start time and initial limits. If the child has not begun the attempt
// or is already running a different attempt, ok is false.
func (m *meter) began(a job.Attempt) (since time.Time, base cgroup.Limits, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.since, m.base, m.has(a)
}

// has reports whether a is the current attempt. The caller must hold mu.
func (m *meter) has(a job.Attempt) bool { return m.attempt == a && !m.since.IsZero() }

// errOver means that a lease is for an attempt that the child is no longer running.
var errOver = errors.New("the attempt is over")

// lease changes an attempt's limits for duration d. The child cannot begin another attempt during
// the call, so the call cannot affect a different attempt.
func (m *meter) lease(a job.Attempt, l cgroup.Limits, d time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.has(a) {
		return errOver
	}
	return m.group.Lease(l, d)
}

// renew extends an attempt's lease. It returns false if the attempt has no lease.
func (m *meter) renew(a job.Attempt, d time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.has(a) && m.group.Renew(d)
}

// now returns the current attempt's usage.
func (m *meter) now() used {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read()
	u := m.last
	u.cpu -= m.begun.cpu
	u.read -= m.begun.read
	u.written -= m.begun.written
	u.oomKills -= m.begun.oomKills
	return u
}

// read updates last. The recorded CPU time, disk bytes, and kills never decrease, even if the usage
// of processes that have ended is no longer visible. After an error, read keeps the last reading.
// The caller must hold mu.
func (m *meter) read() {
	var now used
	var err error
	if m.group != nil {
		now, err = m.fromGroup()
	} else {
		now, err = m.fromProc()
	}
	if err != nil {
		m.lose(err)
		return
	}
	m.at = time.Now()
	l := &m.last
	l.cpu, l.memory, l.oomKills = max(l.cpu, now.cpu), now.memory, max(l.oomKills, now.oomKills)
	l.read, l.written = max(l.read, now.read), max(l.written, now.written)
	m.physical = max(m.physical, l.memory)
}

// lose writes a log line the first time that a running attempt's group cannot be read because
// another program has removed it. The caller must hold mu.
func (m *meter) lose(err error) {
	if m.group == nil || m.lost || m.since.IsZero() {
		return
	}
	m.lost = true
	m.log.Warn("the control group of an attempt is gone; the attempt has no limits, and its usage is not "+
		"counted", "group", m.group.Path(), "err", err)
}

func (m *meter) fromGroup() (u used, err error) {
	g, err := m.group.Usage()
	if err != nil {
		return u, err
	}
	u.cpu, u.memory, u.oomKills = g.CPU, g.Memory, g.OOMKills
	pids, err := m.group.Processes()
	for _, pid := range pids {
		u.addIO(pid)
	}
	return u, err
}

func (m *meter) fromProc() (u used, err error) {
	table, err := procfs.ReadTree(m.pid)
	for pid, p := range table {
		u.cpu += time.Duration(p.Ticks) * procfs.Tick
		u.memory += p.Memory
		u.addIO(pid)
	}
	return u, err
}

func (u *used) addIO(pid int) {
	r, w := procfs.IO(pid)
	u.read += r
	u.written += w
}

// peaks contains the counters of peak physical and virtual memory for each task type.
var peaks = map[job.TaskType][2]job.CounterID{
	job.Map:    {job.MapPhysicalMemoryMax, job.MapVirtualMemoryMax},
	job.Reduce: {job.ReducePhysicalMemoryMax, job.ReduceVirtualMemoryMax},
}

// count adds the usage of all of the attempt's processes to p, a child's progress message before the
// last, because a child can measure only itself. Without a control group, this would require reading
// several files for each process, so count does nothing.
func (m *meter) count(p *tasktracker.Progress, kind job.TaskType) {
	if p != nil && m.group != nil {
		m.store(p, m.now(), kind, false)
	}
}

// store puts u, a reading of the attempt's usage, into p. The last message also contains the peaks.
func (m *meter) store(p *tasktracker.Progress, u used, kind job.TaskType, last bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.physical = max(m.physical, value(p, job.PhysicalMemoryBytes))
	m.virtual = max(m.virtual, value(p, job.VirtualMemoryBytes))
	put(p, job.CPUMillis, max(value(p, job.CPUMillis), u.cpu.Milliseconds()))
	put(p, job.DiskBytesRead, u.read)
	put(p, job.DiskBytesWritten, u.written)
	if ids, ok := peaks[kind]; ok && last {
		put(p, job.PhysicalMemoryBytes, max(value(p, job.PhysicalMemoryBytes), u.memory))
		put(p, ids[0], m.physical)
		put(p, ids[1], m.virtual)
	}
}

// value returns the value of a counter in a message, or 0 if the message does not contain it.
func value(p *tasktracker.Progress, id job.CounterID) int64 {
	for _, b := range p.Builtin {
		if b.ID == id {
			return b.Value
		}
	}
	return 0
}

// put sets a counter in a message unless v is 0.
func put(p *tasktracker.Progress, id job.CounterID, v int64) {
	if v == 0 {
		return
	}
	for i := range p.Builtin {
		if p.Builtin[i].ID == id {
			p.Builtin[i].Value = v
			return
		}
	}
	p.Builtin = append(p.Builtin, tasktracker.BuiltinValue{ID: id, Value: v})
}

// close completes and judges the last message of an attempt, with one reading of its usage.
func (m *meter) close(in tasktracker.Input, kind job.TaskType) tasktracker.Input {
	if in.Progress == nil {
		return m.judge(in)
	}
	u := m.now()
	m.store(in.Progress, u, kind, true)
	return m.verdict(in, u.oomKills)
}

// judge returns in, the report of how an attempt ended. If the kernel's out-of-memory killer has
// killed one of the attempt's processes, judge turns the report into a failure. It does so even if
// the attempt succeeded, because the killed process could be the first command in a pipeline. If
// the attempt had less memory than it requested, the node counts as the cause.
func (m *meter) judge(in tasktracker.Input) tasktracker.Input {
	if m.group == nil {
		return in
	}
	return m.verdict(in, m.kills())
}

// kills returns the number of the attempt's processes that the out-of-memory killer has killed. It
// reads only this number. After an error, it counts only what an earlier reading has found.
func (m *meter) kills() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.group.OOMKills()
	if err != nil {
		m.lose(err)
	}
	m.last.oomKills = max(m.last.oomKills, n)
	return m.last.oomKills - m.begun.oomKills
}

// verdict is judge for a number of processes that the out-of-memory killer has killed.
func (m *meter) verdict(in tasktracker.Input, kills int64) tasktracker.Input {
	if kills == 0 {
		return in
	}
	m.mu.Lock()
	own, peak := m.limit, m.physical
	m.mu.Unlock()
	limit := own
	if l, err := m.group.Limits(); err == nil {
		limit = l.Memory
	}
	if u, err := m.group.Usage(); err == nil {
		peak = max(peak, u.Peak)
	}
	if limit > 0 { // the child may have counted shared pages, or the peak may be an earlier task's
		peak = min(peak, limit)
	}
	text := fmt.Sprintf("The kernel ended %d process(es) of the task because they needed more memory than the limit of "+
		"%d MiB (at most %d MiB were in use). ", kills, limit>>20, peak>>20)
	if limit > 0 && limit < own {
		in.Failure = failure.Node
		text += fmt.Sprintf("The task requested %d MiB, part of which other tasks received. "+
			"The failure does not count against the task.", own>>20)
	} else {
		in.Failure = failure.OutOfMemory
		text += "Raise mapreduce.map.memory.mb or mapreduce.reduce.memory.mb, or let the task use less memory."
	}
	if in.Text != "" {
		text += "\n" + in.Text
	}
	if in.Text = text; in.Kind == tasktracker.InDone {
		in.Kind, in.Files = tasktracker.InFailed, nil
	}
	return in
}
