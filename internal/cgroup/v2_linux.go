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

// v2 is version 2: one hierarchy with all controllers. Without controllers it only holds processes together.
type v2 struct {
	mount string
	has   []string // of cpu and memory
	log   *slog.Logger
}

func (h *v2) mode() string {
	if len(h.has) == 0 {
		return "version 2 without limits"
	}
	return "version 2"
}

func (h *v2) dir(path string) string { return filepath.Join(h.mount, path) }

func (h *v2) folders(path string) []string { return []string{h.dir(path)} }

// prepare enables the controllers for what will be made below. Version 2 does not do that in a group that has processes, except
// at the very root; in a container the mount shows a group that has them, so they go to one of their own first.
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
	return m.ToggleControllers(h.has, cgroup2.Enable)
}

// leaf is where the processes of the container go.
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
	h.log.Info("the processes of this container moved to a control group of their own, so that limits can be set beside it", "path", leaf, "processes", len(pids))
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

// resources says limits in the library's words. When a group runs out of memory all of it ends: half a pipe of commands is worth nothing.
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
	return r
}

// orMax gives a number for no limit that the kernel shows as "max".
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

// exists tells before a file is written: the library would make it where there is none.
func (g *group2) exists() error {
	_, err := os.Stat(g.dir())
	return err
}

// set writes everything: the kernel takes it in one file for each controller, or in two.
func (g *group2) set(l Limits, _ *Limits) error {
	if err := g.exists(); err != nil {
		return err
	}
	return g.lib.Update(g.h.resources(l))
}

func (g *group2) sources() []source {
	file := func(name string) string { return filepath.Join(g.dir(), name) }
	all := []source{{file("cpu.stat"), sum(int64(time.Microsecond), func(r *Reading, n int64) { r.CPU = time.Duration(n) }, "usage_usec ")}}
	if slices.Contains(g.h.has, "cpu") {
		all = append(all, source{file("cpu.weight"), number(func(r *Reading, n int64) { r.Weight = n })})
	}
	if slices.Contains(g.h.has, "memory") {
		all = append(all, source{file("memory.stat"), sum(1, setMemory, "anon ", "shmem ")}, source{file("memory.max"), number(setLimit)})
	}
	return all
}

func (g *group2) limits() (l Limits, err error) {
	l.Weight = DefaultWeight
	r := &reader{err: &err}
	if slices.Contains(g.h.has, "cpu") {
		l.Weight = r.number(g.dir(), "cpu.weight")
		l.Quota, err = g.quota()
	}
	if slices.Contains(g.h.has, "memory") {
		l.Memory = r.number(g.dir(), "memory.max")
		l.SoftMemory = r.number(g.dir(), "memory.high")
	}
	return l, err
}

// quota reads cpu.max: a number or "max", and the period.
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
		u.OOMKills = r.table(g.dir(), "memory.events", "oom_kill")[0]
		u.Peak, _ = readNumber(g.dir(), "memory.peak") // from Linux 5.19 on
	}
	return u, err
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
	if errors.Is(g.exists(), os.ErrNotExist) {
		return nil
	}
	return g.lib.Delete()
}

// broken stands for a group whose name the library refuses.
type broken struct{ err error }

func (b broken) set(Limits, *Limits) error { return b.err }
func (b broken) memory() (int64, error)    { return 0, b.err }
func (b broken) limits() (Limits, error)   { return Limits{}, b.err }
func (b broken) usage() (Usage, error)     { return Usage{}, b.err }
func (b broken) sources() []source         { return nil }
func (b broken) join(int) error            { return b.err }
func (b broken) processes() ([]int, error) { return nil, b.err }
func (b broken) kill() error               { return b.err }
func (b broken) remove() error             { return b.err }
