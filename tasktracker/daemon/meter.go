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

// meter tells what the processes of one child use, the commands included that it starts: by their control group if there is one,
// else by looking for them in /proc. A child that runs several tasks has one meter; a task used the difference. Its methods may
// be called concurrently.
type meter struct {
	group *cgroup.Group // nil = there is none
	pid   int
	log   *slog.Logger

	mu      sync.Mutex
	attempt job.Attempt   // the present one
	since   time.Time     // when it began; zero = none has, or the process has ended
	base    cgroup.Limits // that the kernel held when it began
	begun   used          // when it began
	last    used          // what was read last
	lost    bool          // its group is gone, which was said
	limit   int64         // bytes of memory that the attempt may have, as it began
	// The most memory that the attempt was seen to have, by its own word or by that of the kernel.
	physical, virtual int64
}

// used is what a child's processes have used since it started.
type used struct {
	cpu           time.Duration
	memory        int64 // bytes now
	read, written int64 // bytes of disks
	oomKills      int64
}

// begin says that an attempt begins with these limits. A lease of the one before ends.
func (m *meter) begin(a job.Attempt, l cgroup.Limits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.group != nil {
		err = m.group.Set(l)
		m.base, _ = m.group.Limits() // a kernel may control less than was asked for
	}
	m.read(nil)
	m.attempt, m.since, m.begun, m.limit = a, time.Now(), m.last, l.Memory
	m.physical, m.virtual = 0, 0
	return err
}

// end says that the process has ended.
func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since = time.Time{}
}

// began tells when an attempt began and with which limits; false = the child has not begun with it yet, or has another one by now.
func (m *meter) began(a job.Attempt) (since time.Time, base cgroup.Limits, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.since, m.base, m.has(a)
}

// has is called with mu held.
func (m *meter) has(a job.Attempt) bool { return m.attempt == a && !m.since.IsZero() }

// errOver is the error of a lease for an attempt that the child does not have.
var errOver = errors.New("the attempt is over")

// lease gives an attempt other limits for some time. Its child cannot begin with the next one meanwhile, which would suffer from them.
func (m *meter) lease(a job.Attempt, l cgroup.Limits, d time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.has(a) {
		return errOver
	}
	return m.group.Lease(l, d)
}

// renew makes the lease of an attempt last longer; false = it has none.
func (m *meter) renew(a job.Attempt, d time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.has(a) && m.group.Renew(d)
}

// now gives what the present attempt has used. A table of processes that the caller has is looked at, if one is needed.
func (m *meter) now(table procfs.Table) used {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read(table)
	u := m.last
	u.cpu -= m.begun.cpu
	u.read -= m.begun.read
	u.written -= m.begun.written
	u.oomKills -= m.begun.oomKills
	return u
}

// read is called with mu held. Sums never fall, although processes end whose share nobody can see any more; and what cannot be read is
// what it was.
func (m *meter) read(table procfs.Table) {
	var now used
	var err error
	if m.group != nil {
		now, err = m.fromGroup()
	} else {
		now, err = m.fromProc(table)
	}
	if err != nil {
		m.lose(err)
		return
	}
	l := &m.last
	l.cpu, l.memory, l.oomKills = max(l.cpu, now.cpu), now.memory, max(l.oomKills, now.oomKills)
	l.read, l.written = max(l.read, now.read), max(l.written, now.written)
	m.physical = max(m.physical, l.memory)
}

// lose says once that the group of an attempt that runs cannot be read: somebody has removed it. It is called with mu held.
func (m *meter) lose(err error) {
	if m.group == nil || m.lost || m.since.IsZero() {
		return
	}
	m.lost = true
	m.log.Warn("the control group of an attempt is gone: nothing limits the attempt any more, and what it uses is not counted", "group", m.group.Path(), "err", err)
}

func (m *meter) fromGroup() (u used, err error) {
	g, err := m.group.Usage()
	if err != nil {
		return u, err
	}
	u.cpu, u.memory, u.oomKills = g.CPU, g.Memory, g.OOMKills
	pids, err := m.group.Processes()
	u.addIO(pids)
	return u, err
}

func (m *meter) fromProc(table procfs.Table) (u used, err error) {
	if table == nil {
		if table, err = procfs.Read(); err != nil {
			return u, err
		}
	}
	pids := table.Tree(m.pid)
	for _, pid := range pids {
		u.cpu += time.Duration(table[pid].Ticks) * procfs.Tick
		u.memory += table[pid].Memory
	}
	u.addIO(pids)
	return u, nil
}

func (u *used) addIO(pids []int) {
	for _, pid := range pids {
		r, w := procfs.IO(pid)
		u.read += r
		u.written += w
	}
}

// peaks are the counters of the most memory that a task of each type had.
var peaks = map[job.TaskType][2]job.CounterID{
	job.Map:    {job.MapPhysicalMemoryMax, job.MapVirtualMemoryMax},
	job.Reduce: {job.ReducePhysicalMemoryMax, job.ReduceVirtualMemoryMax},
}

// count puts into what a child says of its attempt what its processes have used: it knows only of itself. Looking through /proc takes
// too long to be done more than once.
func (m *meter) count(p *tasktracker.Progress, kind job.TaskType, last bool) {
	if p == nil || m.group == nil && !last {
		return
	}
	u := m.now(nil)
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

// value gives what a message says of a counter, 0 if nothing.
func value(p *tasktracker.Progress, id job.CounterID) int64 {
	for _, b := range p.Builtin {
		if b.ID == id {
			return b.Value
		}
	}
	return 0
}

// put makes a message say something of a counter that is not 0.
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

// judge makes an attempt that lost a process to the kernel for lack of memory a failed one, whatever it says itself: of a pipe of commands
// the first may be missing. Where it had less than it asked for, because somebody else decided so, it is the node's fault.
func (m *meter) judge(in tasktracker.Input) tasktracker.Input {
	kills := int64(0)
	if m.group != nil {
		kills = m.now(nil).oomKills
	}
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
	if limit > 0 { // pages of others that the child counted, or the peak of an earlier task
		peak = min(peak, limit)
	}
	text := fmt.Sprintf("The kernel ended %d process(es) of the task because they needed more memory than the limit of %d MiB (at most %d MiB were in use). ", kills, limit>>20, peak>>20)
	if limit > 0 && limit < own {
		in.Failure = failure.Node
		text += fmt.Sprintf("The task had asked for %d MiB, of which others were given a part; this does not count against it.", own>>20)
	} else {
		in.Failure = failure.OutOfMemory
		text += "Raise mapreduce.map.memory.mb or mapreduce.reduce.memory.mb, or let the task hold less."
	}
	if in.Text != "" {
		text += "\n" + in.Text
	}
	if in.Text = text; in.Kind == tasktracker.InDone {
		in.Kind, in.Files = tasktracker.InFailed, nil
	}
	return in
}
