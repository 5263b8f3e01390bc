package cgroup

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/containerd/cgroups/v3/cgroup2"
)

// v2 is version 2, which has one hierarchy with all controllers. Without controllers it sets no
// limits.
type v2 struct {
	mount string
	has   []string // those of cpu, memory, and pids that are available, in this order
	log   *slog.Logger
}

func (h *v2) mode() string {
	if !slices.Contains(h.has, "cpu") && !slices.Contains(h.has, "memory") {
		return "version 2 without limits"
	}
	return "version 2"
}

func (h *v2) limitsProcesses() bool { return slices.Contains(h.has, "pids") }

func (h *v2) dir(path string) string { return filepath.Join(h.mount, path) }

func (h *v2) folders(path string) []string { return []string{h.dir(path)} }

// prepare creates the group and enables the controllers for the groups below it. The kernel allows
// this only for the root group and for groups without processes. In a container, the top group of
// the mount usually contains processes. If so, prepare first moves them to a separate group.
func (h *v2) prepare(path string) error {
	err := h.enable(path)
	if errors.Is(err, syscall.EROFS) && remount(h.mount) == nil {
		err = h.enable(path)
	}
	if errors.Is(err, syscall.EBUSY) {
		if err = h.evacuate(); err == nil {
			err = h.enable(path)
		}
	}
	return err
}

func (h *v2) enable(path string) error {
	m, err := cgroup2.NewManager(h.mount, path, &cgroup2.Resources{})
	if err != nil || len(h.has) == 0 {
		return err
	}
	err = m.ToggleControllers(h.has, cgroup2.Enable)
	if err == nil || !h.limitsProcesses() || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EBUSY) {
		return err
	}
	h.has = h.has[:len(h.has)-1] // an administrator may have delegated only the other controllers
	return h.enable(path)
}

// leaf is the group to which prepare moves the container's processes.
const leaf = "/howdah-daemons"

func (h *v2) evacuate() error {
	to, err := cgroup2.NewManager(h.mount, leaf, &cgroup2.Resources{})
	if err != nil {
		return err
	}
	pids, err := readPIDs(h.mount)
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := to.AddProc(uint64(pid)); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	h.log.Info("moved this container's processes to a control group, so that other groups can have limits",
		"path", leaf, "processes", len(pids))
	return nil
}

func (h *v2) create(path string, l Limits) (control, error) {
	m, err := cgroup2.NewManager(h.mount, path, h.resources(l))
	if err != nil {
		return nil, err
	}
	return &group2{h: h, path: path, lib: m}, nil
}

func (h *v2) open(path string) control {
	m, err := cgroup2.Load(path, cgroup2.WithMountpoint(h.mount))
	if err != nil {
		return broken{err}
	}
	return &group2{h: h, path: path, lib: m}
}

// resources converts limits to the library's type. When a group runs out of memory, the kernel
// kills all of its processes, because half of a pipeline of commands is useless.
func (h *v2) resources(l Limits) *cgroup2.Resources {
	r := &cgroup2.Resources{}
	if slices.Contains(h.has, "cpu") {
		weight, period := uint64(l.Weight), uint64(cpuPeriod)
		var quota *int64
		if l.Quota > 0 {
			us := l.Quota * cpuPeriod / 1000
			quota = &us
		}
		r.CPU = &cgroup2.CPU{Weight: &weight, Max: cgroup2.NewCPUMax(quota, &period)}
	}
	if slices.Contains(h.has, "memory") {
		limit, soft, all := orMax(l.Memory), orMax(l.SoftMemory), true
		r.Memory = &cgroup2.Memory{Max: &limit, High: &soft, OOMGroup: &all}
	}
	if h.limitsProcesses() {
		r.Pids = &cgroup2.Pids{} // enables the controller; limitProcesses sets the limit
	}
	return r
}

// orMax returns n. For n = 0 it returns the number that the kernel writes as "max".
func orMax(n int64) int64 {
	if n == 0 {
		return 1<<63 - 1
	}
	return n
}

// group2 is a group of version 2.
type group2 struct {
	h    *v2
	path string
	lib  *cgroup2.Manager
}

func (g *group2) dir() string { return g.h.dir(g.path) }

// exists returns an error if the group does not exist. Methods call it before they write, because
// the library would create the files.
func (g *group2) exists() error {
	_, err := os.Stat(g.dir())
	return err
}

// set writes all limits. Each controller has only one or two files for them.
func (g *group2) set(l Limits, _ *Limits) error {
	if err := g.exists(); err != nil {
		return err
	}
	return g.lib.Update(g.h.resources(l))
}

func (g *group2) limitProcesses(n int64) error {
	if !g.h.limitsProcesses() {
		return nil
	}
	return writeNumber(g.dir(), "pids.max", n)
}

func (g *group2) sources() []source {
	file := func(name string) string { return filepath.Join(g.dir(), name) }
	setCPU := func(r *Reading, n int64) { r.CPU = time.Duration(n) }
	all := []source{{file("cpu.stat"), sum(int64(time.Microsecond), setCPU, "usage_usec ")}}
	if slices.Contains(g.h.has, "cpu") {
		all = append(all, source{file("cpu.weight"), number(func(r *Reading, n int64) { r.Weight = n })})
	}
	if slices.Contains(g.h.has, "memory") {
		all = append(all, source{file("memory.stat"), sum(1, setMemory, "anon ", "shmem ")},
			source{file("memory.max"), number(setLimit)})
	}
	return all
}

func (g *group2) limits() (l Limits, err error) {
	l.Weight = DefaultWeight
	r := &reader{err: &err}
	if slices.Contains(g.h.has, "cpu") {
		l.Weight = r.number(g.dir(), "cpu.weight")
		quota, failed := g.quota()
		if l.Quota = quota; err == nil {
			err = failed
		}
	}
	if slices.Contains(g.h.has, "memory") {
		l.Memory = r.number(g.dir(), "memory.max")
		l.SoftMemory = r.number(g.dir(), "memory.high")
	}
	return l, err
}

// quota returns Limits.Quota. It parses cpu.max, which contains the quota ("max" means no limit)
// and its period.
func (g *group2) quota() (int64, error) {
	b, err := os.ReadFile(filepath.Join(g.dir(), "cpu.max"))
	if err != nil {
		return 0, err
	}
	quota, period, _ := strings.Cut(strings.TrimSpace(string(b)), " ")
	q, err := parseNumber(quota)
	if err != nil {
		return 0, err
	}
	p, err := parseNumber(period)
	return q * 1000 / max(1, p), err
}

func (g *group2) usage() (u Usage, err error) {
	r := &reader{err: &err}
	cpu := r.table(g.dir(), "cpu.stat", "usage_usec", "throttled_usec")
	u.CPU, u.Throttled = time.Duration(cpu[0])*time.Microsecond, time.Duration(cpu[1])*time.Microsecond
	if slices.Contains(g.h.has, "memory") {
		u.Memory = r.keep(g.memory())
		u.OOMKills = r.keep(g.kills())
		u.Peak, _ = readNumber(g.dir(), "memory.peak") // since Linux 5.19
	}
	return u, err
}

func (g *group2) kills() (n int64, err error) {
	if slices.Contains(g.h.has, "memory") {
		n = (&reader{&err}).table(g.dir(), "memory.events", "oom_kill")[0]
	}
	return n, err
}

func (g *group2) memory() (n int64, err error) {
	if slices.Contains(g.h.has, "memory") {
		held := (&reader{err: &err}).table(g.dir(), "memory.stat", "anon", "shmem")
		n = held[0] + held[1]
	}
	return n, err
}

func (g *group2) join(pid int) error {
	if err := g.exists(); err != nil {
		return err
	}
	return g.lib.AddProc(uint64(pid))
}

func (g *group2) processes() ([]int, error) { return readPIDs(g.dir()) }

func (g *group2) kill() error {
	if err := g.exists(); err != nil {
		return err
	}
	return g.lib.Kill()
}

func (g *group2) remove() error {
	if rmdir(g.dir()) {
		return nil
	}
	return g.lib.Delete()
}

// broken represents a group whose name the library rejects.
type broken struct{ err error }

func (b broken) set(Limits, *Limits) error  { return b.err }
func (b broken) limitProcesses(int64) error { return b.err }
func (b broken) memory() (int64, error)     { return 0, b.err }
func (b broken) limits() (Limits, error)    { return Limits{}, b.err }
func (b broken) usage() (Usage, error)      { return Usage{}, b.err }
func (b broken) kills() (int64, error)      { return 0, b.err }
func (b broken) sources() []source          { return nil }
func (b broken) join(int) error             { return b.err }
func (b broken) processes() ([]int, error)  { return nil, b.err }
func (b broken) kill() error                { return b.err }
func (b broken) remove() error              { return b.err }
