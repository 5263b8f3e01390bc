package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/containerd/cgroups/v3/cgroup1"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/howdah/howdah/internal/procfs"
)

// v1 is version 1, which has a hierarchy for each controller. If version 2 is mounted without
// controllers, v1 also creates each group in version 2. Only version 2 can kill all processes of a
// group in one step.
type v1 struct {
	mount string
	has   []cgroup1.Name // Pids is the last
	trees *v2            // nil = version 2 is not mounted or not usable
}

func (h *v1) mode() string {
	if h.trees != nil {
		return "versions 1 and 2"
	}
	return "version 1"
}

// folder returns a group's folder in the hierarchy of controller c.
func (h *v1) folder(c cgroup1.Name, path string) string {
	return filepath.Join(h.mount, string(c), path)
}

func (h *v1) controls(c cgroup1.Name) bool { return slices.Contains(h.has, c) }

func (h *v1) limitsProcesses() bool { return h.controls(cgroup1.Pids) }

func (h *v1) dir(path string) string { return h.folder(h.has[0], path) }

// prepare creates the group in every hierarchy of version 1 and in version 2. After a failure in
// version 2, v1 no longer uses version 2. After a failure in the hierarchy of the pids controller,
// which is the last, it no longer limits the number of processes.
func (h *v1) prepare(path string) error {
	for _, c := range h.has {
		dir := h.folder(c, path)
		err := os.MkdirAll(dir, 0o755)
		if errors.Is(err, syscall.EROFS) && remount(filepath.Join(h.mount, string(c))) == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		if err != nil && c == cgroup1.Pids && len(h.has) > 1 {
			h.has = h.has[:len(h.has)-1] // continue without this limit
			continue
		}
		if err != nil {
			return err
		}
	}
	if h.trees != nil && h.trees.prepare(path) != nil {
		h.trees = nil
	}
	return nil
}

func (h *v1) folders(path string) (all []string) {
	for _, c := range h.has {
		all = append(all, h.folder(c, path))
	}
	if h.trees != nil {
		all = append(all, h.trees.dir(path))
	}
	return all
}

// subsystems returns the hierarchies in the order in which the library creates and removes a
// group's folders. The folder that dir returns comes last.
func (h *v1) subsystems() ([]cgroup1.Subsystem, error) {
	var out []cgroup1.Subsystem
	for _, c := range slices.Backward(h.has) {
		switch c {
		case cgroup1.Cpu:
			out = append(out, cgroup1.NewCpu(h.mount))
		case cgroup1.Cpuacct:
			out = append(out, cgroup1.NewCpuacct(h.mount))
		case cgroup1.Memory:
			out = append(out, cgroup1.NewMemory(h.mount))
		case cgroup1.Pids:
			out = append(out, cgroup1.NewPids(h.mount))
		}
	}
	return out, nil
}

// fresh are the limits of a new group in the kernel.
var fresh = Limits{Weight: DefaultWeight}

// create creates the group. It writes only the limits that a new group lacks, but all limits if the
// group exists already.
func (h *v1) create(path string, l Limits) (control, error) {
	before := &fresh
	if exists(h.dir(path)) {
		before = nil
	}
	g, err := cgroup1.New(cgroup1.StaticPath(path), &specs.LinuxResources{}, cgroup1.WithHierarchy(h.subsystems))
	if err == nil {
		err = (&group1{h: h, path: path}).set(l, before)
	}
	if err != nil {
		_ = (&group1{h: h, path: path}).remove()
		return nil, err
	}
	if h.trees != nil {
		if _, err := h.trees.create(path, l); err != nil {
			_ = (&group1{h: h, path: path}).remove()
			return nil, err
		}
	}
	return &group1{h: h, path: path, lib: g}, nil
}

func (h *v1) open(path string) control { return &group1{h: h, path: path} }

// cpuPeriod is the period of a quota in microseconds. It is the kernel's default.
const cpuPeriod = 100_000

func orUnlimited(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
}

// group1 is a group in every hierarchy of version 1.
type group1 struct {
	h    *v1
	path string
	lib  cgroup1.Cgroup // nil = not loaded yet
}

func (g *group1) load() (err error) {
	if g.lib == nil {
		g.lib, err = cgroup1.Load(cgroup1.StaticPath(g.path), cgroup1.WithHierarchy(g.h.subsystems))
		if errors.Is(err, cgroup1.ErrCgroupDeleted) {
			err = os.ErrNotExist
		}
	}
	return err
}

// set writes the files directly. The library creates and checks all folders on every call, which
// takes several times as long. set writes the memory limit first, because it is the only limit that
// the kernel may reject, and a rejection must leave the other limits unchanged. It does not set the
// limit of memory plus swap, because setting both limits together fails.
func (g *group1) set(l Limits, before *Limits) (err error) {
	if before == nil {
		before = &Limits{Weight: -1, Quota: -1, Memory: -1, SoftMemory: -1}
	}
	write := func(c cgroup1.Name, name string, n int64) {
		if err == nil && g.h.controls(c) {
			err = writeNumber(g.h.folder(c, g.path), name, n)
		}
	}
	if before.Memory != l.Memory {
		write(cgroup1.Memory, "memory.limit_in_bytes", orUnlimited(l.Memory))
	}
	if before.SoftMemory != l.SoftMemory {
		write(cgroup1.Memory, "memory.soft_limit_in_bytes", orUnlimited(l.SoftMemory))
	}
	if before.Weight != l.Weight {
		write(cgroup1.Cpu, "cpu.shares", l.Weight*1024/DefaultWeight)
	}
	if before.Quota != l.Quota {
		write(cgroup1.Cpu, "cpu.cfs_period_us", cpuPeriod)
		write(cgroup1.Cpu, "cpu.cfs_quota_us", orUnlimited(l.Quota*cpuPeriod/1000))
	}
	return err
}

func (g *group1) limitProcesses(n int64) error {
	if !g.h.limitsProcesses() {
		return nil
	}
	return writeNumber(g.h.folder(cgroup1.Pids, g.path), "pids.max", n)
}

func (g *group1) memory() (int64, error) {
	if !g.h.controls(cgroup1.Memory) {
		return 0, nil
	}
	s, r := g.held(), Reading{}
	var buf [gaugeBuffer]byte
	b, err := procfs.ReadFile(s.path, buf[:])
	if err == nil {
		err = s.note(&r, b)
	}
	return r.Memory, err
}

// pages is the name of a file that only kernels for machines with several memory nodes provide. The
// sum of its anonymous pages, which include shared memory, and its unevictable pages (mlock)
// replaces the sum of two values in memory.stat. Reading it costs half as much.
const pages = "memory.numa_stat"

// held returns the source of Reading.Memory.
func (g *group1) held() source {
	dir := g.h.folder(cgroup1.Memory, g.path)
	if path := filepath.Join(dir, pages); exists(path) {
		return source{path, sum(int64(os.Getpagesize()), setMemory, "hierarchical_anon=", "hierarchical_unevictable=")}
	}
	return source{filepath.Join(dir, "memory.stat"), sum(1, setMemory, "total_rss ", "total_shmem ")}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (g *group1) sources() (all []source) {
	add := func(c cgroup1.Name, name string, note func(*Reading, []byte) error) {
		if g.h.controls(c) {
			all = append(all, source{filepath.Join(g.h.folder(c, g.path), name), note})
		}
	}
	add(cgroup1.Cpuacct, "cpuacct.usage", number(func(r *Reading, n int64) { r.CPU = time.Duration(n) }))
	add(cgroup1.Cpu, "cpu.shares", number(func(r *Reading, n int64) { r.Weight = weightOf(n) }))
	if g.h.controls(cgroup1.Memory) {
		all = append(all, g.held())
	}
	add(cgroup1.Memory, "memory.limit_in_bytes", number(setLimit))
	return all
}

// weightOf returns the weight for a number of shares. One unit of weight is 10.24 shares. set
// rounds shares down, so weightOf rounds up.
func weightOf(shares int64) int64 { return (shares*DefaultWeight + 1023) / 1024 }

func (g *group1) limits() (l Limits, err error) {
	l.Weight = DefaultWeight
	r := &reader{err: &err}
	if g.h.controls(cgroup1.Cpu) {
		dir := g.h.folder(cgroup1.Cpu, g.path)
		l.Weight = weightOf(r.number(dir, "cpu.shares"))
		l.Quota = r.number(dir, "cpu.cfs_quota_us") * 1000 / max(1, r.number(dir, "cpu.cfs_period_us"))
	}
	if g.h.controls(cgroup1.Memory) {
		dir := g.h.folder(cgroup1.Memory, g.path)
		l.Memory = r.number(dir, "memory.limit_in_bytes")
		l.SoftMemory = r.number(dir, "memory.soft_limit_in_bytes")
	}
	return l, err
}

func (g *group1) usage() (u Usage, err error) {
	r := &reader{err: &err}
	if g.h.controls(cgroup1.Cpuacct) {
		u.CPU = time.Duration(r.number(g.h.folder(cgroup1.Cpuacct, g.path), "cpuacct.usage"))
	}
	if g.h.controls(cgroup1.Cpu) {
		u.Throttled = time.Duration(r.table(g.h.folder(cgroup1.Cpu, g.path), "cpu.stat", "throttled_time")[0])
	}
	if g.h.controls(cgroup1.Memory) {
		dir := g.h.folder(cgroup1.Memory, g.path)
		u.Memory = r.keep(g.memory())
		u.Peak = r.number(dir, "memory.max_usage_in_bytes")
		u.OOMKills = r.keep(g.kills())
	}
	return u, err
}

func (g *group1) kills() (n int64, err error) {
	if g.h.controls(cgroup1.Memory) {
		n = (&reader{&err}).table(g.h.folder(cgroup1.Memory, g.path), "memory.oom_control", "oom_kill")[0]
	}
	return n, err
}

func (g *group1) join(pid int) error {
	if err := g.load(); err != nil {
		return err
	}
	if g.h.trees != nil {
		if err := g.h.trees.open(g.path).join(pid); err != nil {
			return err
		}
	}
	return g.lib.Add(cgroup1.Process{Pid: pid})
}

func (g *group1) processes() ([]int, error) { return readPIDs(g.h.dir(g.path)) }

// kill kills the processes of the group in every hierarchy, because another process may have moved
// a process in only one of them.
func (g *group1) kill() error {
	if g.h.trees != nil {
		_ = g.h.trees.open(g.path).kill()
	}
	var last error
	for _, c := range g.h.has {
		pids, err := readPIDs(g.h.folder(c, g.path))
		if err != nil {
			last = err
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				last = os.NewSyscallError("kill "+strconv.Itoa(pid), err)
			}
		}
	}
	return last
}

func (g *group1) remove() error {
	dirs := g.h.folders(g.path)
	slices.Reverse(dirs) // the order of subsystems
	if rmdir(dirs...) {
		return nil
	}
	if g.h.trees != nil {
		if err := g.h.trees.open(g.path).remove(); err != nil {
			return err
		}
	}
	err := g.load()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = g.lib.Delete(); errors.Is(err, cgroup1.ErrCgroupDeleted) {
		err = nil
	}
	return err
}

// rmdir removes the folders of a group and reports whether they no longer exist. It fails if the
// group contains processes or other groups. The library takes several times as long, because it
// first lists both.
func rmdir(dirs ...string) bool {
	for _, dir := range dirs {
		if err := syscall.Rmdir(dir); err != nil && err != syscall.ENOENT {
			return false
		}
	}
	return true
}

// reader records the first error, so that a series of reads needs only one check.
type reader struct{ err *error }

func (r *reader) number(dir, name string) int64 {
	n, err := readNumber(dir, name)
	r.note(err)
	return n
}

func (r *reader) table(dir, name string, want ...string) []int64 {
	out, err := readTable(dir, name, want...)
	r.note(err)
	if err != nil {
		return make([]int64, len(want))
	}
	return out
}

func (r *reader) keep(n int64, err error) int64 {
	r.note(err)
	return n
}

func (r *reader) note(err error) {
	if *r.err == nil {
		*r.err = err
	}
}
