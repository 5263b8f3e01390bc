package cgroup

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// The tests in this file use regular files that look like the kernel's, so they need no privileges.
// They check only the values that the package writes and reads. The tests in integration/cgroups
// check the kernel's limits.

// flavour is a version of the kernel's control group interface.
type flavour struct {
	name  string
	files map[string]string // files after the machine has booted
	want  map[string]string // files of a group after its limits have been set
	usage map[string]string // files of a group that has used resources
}

var flavours = []flavour{
	{
		name: "version 2",
		files: map[string]string{"cgroup.controllers": "cpu io memory pids", "cgroup.subtree_control": "",
			"howdah/cgroup.subtree_control": "", "howdah/cgroup.procs": ""},
		want: map[string]string{"cpu.weight": "250", "cpu.max": "50000 100000", "memory.max": "134217728",
			"memory.high": "100663296", "memory.oom.group": "1"},
		usage: map[string]string{"cpu.stat": "usage_usec 1500000\nuser_usec 1\nthrottled_usec 250000\n",
			"memory.stat":   "anon 1000\nfile 77\nshmem 24\n",
			"memory.events": "low 0\noom 3\noom_kill 2\n", "memory.peak": "5000\n"},
	},
	{
		name: "version 1",
		files: map[string]string{"cpu/cgroup.procs": "", "cpuacct/cgroup.procs": "", "memory/cgroup.procs": "",
			"blkio/cgroup.procs": "", "pids/cgroup.procs": ""},
		want: map[string]string{"cpu/cpu.shares": "2560", "cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000",
			"memory/memory.limit_in_bytes": "134217728", "memory/memory.soft_limit_in_bytes": "100663296"},
		usage: map[string]string{"cpuacct/cpuacct.usage": "1500000000\n",
			"cpu/cpu.stat":                     "nr_periods 4\nthrottled_time 250000000\n",
			"memory/memory.stat":               "rss 5\ntotal_rss 1000\ntotal_cache 77\ntotal_shmem 24\n",
			"memory/memory.max_usage_in_bytes": "5000\n",
			"memory/memory.oom_control":        "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"},
	},
}

// world is a file tree that contains a Tree.
type world struct {
	t     *testing.T
	f     flavour
	mount string
}

func eachFlavour(t *testing.T, test func(w *world)) {
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			w := &world{t, f, t.TempDir()}
			for name, text := range f.files {
				w.write(name, text)
			}
			test(w)
		})
	}
}

// rootOnly skips a test for version 2 that opens a limit's file twice. The library creates such a file
// with mode 0, so only root can open it again. In a real hierarchy, the kernel creates the files.
func (w *world) rootOnly() {
	if w.f.name == "version 2" && os.Getuid() != 0 {
		w.t.Skip("needs root, who can open files of mode 0")
	}
}

func (w *world) write(name, text string) {
	path := filepath.Join(w.mount, name)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o644))
}

func (w *world) open() *Tree {
	tree, err := Open(Config{Mount: w.mount, Name: "test", Log: slog.New(slog.DiscardHandler)})
	require.NoError(w.t, err)
	if w.f.name == "version 2" { // created by the kernel in a real hierarchy
		w.write(tree.Path()+"/cgroup.subtree_control", "")
	}
	return tree
}

// file returns the path of a group's file in its hierarchy. For version 1, "memory/x" is in the
// hierarchy memory.
func (w *world) file(g *Group, name string) string {
	controller, base := filepath.Split(name)
	return filepath.Join(w.mount, controller, g.Path(), base)
}

func (w *world) read(g *Group, name string) string {
	b, err := os.ReadFile(w.file(g, name))
	require.NoError(w.t, err)
	return string(b)
}

func (w *world) tell(g *Group, files map[string]string) {
	for name, text := range files {
		require.NoError(w.t, os.WriteFile(w.file(g, name), []byte(text), 0o644))
	}
}

// born creates the files with limits that a group of version 1 has from the beginning, unless the
// package has already written them.
func (w *world) born(g *Group) {
	if w.f.name != "version 1" {
		return
	}
	for name, text := range map[string]string{"cpu/cpu.shares": "1024", "cpu/cpu.cfs_quota_us": "-1",
		"cpu/cpu.cfs_period_us": "100000", "memory/memory.limit_in_bytes": "-1", "memory/memory.soft_limit_in_bytes": "-1"} {
		if !exists(w.file(g, name)) {
			w.tell(g, map[string]string{name: text})
		}
	}
}

func (w *world) groups() (all []string) {
	require.NoError(w.t, filepath.WalkDir(w.mount, func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && filepath.Base(filepath.Dir(path)) == "howdah" {
			all = append(all, path)
		}
		return err
	}))
	return all
}

const mib = 1 << 20

var someLimits = Limits{Weight: 250, Quota: 500, Memory: 128*mib + 17, SoftMemory: 96 * mib}

func TestLimitsAreWrittenAndReadBack(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		tree := w.open()
		g, err := tree.Group("child-1", someLimits)
		require.NoError(w.t, err)
		for name, want := range w.f.want {
			require.Equal(w.t, want, w.read(g, name), name)
		}
		w.tell(g, w.f.usage)
		got, err := g.Limits()
		require.NoError(w.t, err)
		require.Equal(w.t, Limits{Weight: 250, Quota: 500, Memory: 128 * mib, SoftMemory: 96 * mib}, got)

		require.NoError(w.t, g.Set(Limits{}))
		got, err = g.Limits()
		require.NoError(w.t, err)
		require.Equal(w.t, Limits{Weight: 100}, got, "no limit remains")
	})
}

func TestProcessesAreLimited(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		tree, err := Open(Config{Mount: w.mount, Name: "test", Processes: 1024, Log: slog.New(slog.DiscardHandler)})
		require.NoError(w.t, err)
		if w.f.name == "version 2" {
			w.write(tree.Path()+"/cgroup.subtree_control", "")
		}
		require.True(w.t, tree.LimitsProcesses())
		g, err := tree.Group("child-1", Limits{})
		require.NoError(w.t, err)
		name := "pids.max"
		if w.f.name == "version 1" {
			name = "pids/" + name
		}
		require.Equal(w.t, "1024", w.read(g, name))
		require.NoError(w.t, g.Set(Limits{Weight: 200, Quota: 500}))
		require.Equal(w.t, "1024", w.read(g, name), "other limits leave it alone")
	})
}

// A kernel without the controller limits everything else.
func TestProcessesWithoutController(t *testing.T) {
	eachFlavour(t, func(w *world) {
		if w.f.name == "version 2" {
			w.write("cgroup.controllers", "cpu memory")
		} else {
			require.NoError(w.t, os.RemoveAll(filepath.Join(w.mount, "pids")))
		}
		tree := w.open()
		tree.processes = 1024
		require.False(w.t, tree.LimitsProcesses())
		_, err := tree.Group("child-1", someLimits)
		require.NoError(w.t, err)
	})
}

// Weights, quotas, and memory limits that are set read back unchanged.
func TestEveryWeightAndQuotaIsReadBack(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		g, err := w.open().Group("child-1", Limits{})
		require.NoError(w.t, err)
		for n := int64(1); n <= MaxWeight; n += 1 + n/7 {
			l := Limits{Weight: n, Quota: n + MinQuota, Memory: MinMemory + n*pageSize}
			require.NoError(w.t, g.control.set(l, nil))
			got, err := g.Limits()
			require.NoError(w.t, err)
			require.Equal(w.t, l, got)
		}
	})
}

// Set writes only changed limits. Setting the same limits again writes all of them.
func TestOnlyChangesAreWritten(t *testing.T) {
	w := &world{t, flavours[1], t.TempDir()}
	for name, text := range w.f.files {
		w.write(name, text)
	}
	g, err := w.open().Group("child-1", someLimits)
	require.NoError(t, err)
	w.tell(g, w.f.usage)
	w.tell(g, map[string]string{"cpu/cpu.shares": "7", "memory/memory.soft_limit_in_bytes": "7"})
	l := someLimits
	l.Quota, l.Memory = 250, 64*mib
	require.NoError(t, g.Set(l))
	require.Equal(t, "25000", w.read(g, "cpu/cpu.cfs_quota_us"))
	require.Equal(t, "67108864", w.read(g, "memory/memory.limit_in_bytes"))
	require.Equal(t, "7", w.read(g, "cpu/cpu.shares"))
	require.Equal(t, "7", w.read(g, "memory/memory.soft_limit_in_bytes"))
	require.NoError(t, g.Set(l))
	require.Equal(t, "2560", w.read(g, "cpu/cpu.shares"))
	require.Equal(t, "100663296", w.read(g, "memory/memory.soft_limit_in_bytes"))
}

// TestANewGroupHasTheKernelsLimits checks that a new group without limits causes no write. A group
// that exists already can have other limits, so all of its limits are written.
func TestANewGroupHasTheKernelsLimits(t *testing.T) {
	w := &world{t, flavours[1], t.TempDir()}
	for name, text := range w.f.files {
		w.write(name, text)
	}
	tree := w.open()
	g, err := tree.Group("child-1", Limits{})
	require.NoError(t, err)
	for name := range w.f.want {
		require.NoFileExists(t, w.file(g, name))
	}
	again, err := tree.Group("child-1", Limits{})
	require.NoError(t, err)
	require.Equal(t, "1024", w.read(again, "cpu/cpu.shares"))
	require.Equal(t, "-1", w.read(again, "memory/memory.limit_in_bytes"))
}

// If the kernel rejects a lower memory limit, no other limit changes either.
func TestRefusedMemoryChangesNothing(t *testing.T) {
	w := &world{t, flavours[1], t.TempDir()}
	for name, text := range w.f.files {
		w.write(name, text)
	}
	g, err := w.open().Group("child-1", someLimits)
	require.NoError(t, err)
	w.tell(g, w.f.usage)
	limit := w.file(g, "memory/memory.limit_in_bytes")
	require.NoError(t, os.Remove(limit))
	require.NoError(t, os.Mkdir(limit, 0o755))
	require.Error(t, g.Set(Limits{Weight: 700, Quota: 700, Memory: 64 * mib, SoftMemory: 32 * mib}))
	for name, want := range w.f.want {
		if name != "memory/memory.limit_in_bytes" {
			require.Equal(t, want, w.read(g, name), name)
		}
	}
}

func TestUsage(t *testing.T) {
	eachFlavour(t, func(w *world) {
		g, err := w.open().Group("child-1", Limits{})
		require.NoError(w.t, err)
		w.tell(g, w.f.usage)
		kills, err := g.OOMKills()
		require.NoError(w.t, err)
		require.EqualValues(w.t, 2, kills)
		u, err := g.Usage()
		require.NoError(w.t, err)
		require.Equal(w.t, Usage{CPU: 1500 * time.Millisecond, Throttled: 250 * time.Millisecond, Memory: 1024, Peak: 5000,
			OOMKills: 2}, u)
	})
}

// sweptOnce is a hierarchy in which another process sweeps while this process creates its first
// tree.
type sweptOnce struct {
	hierarchy
	swept bool
}

func (h *sweptOnce) prepare(path string) error {
	err := h.hierarchy.prepare(path)
	if path != DefaultParent && !h.swept {
		h.swept = true
		_ = os.Remove(h.dir(path))
	}
	return err
}

// Another process may mistake a new tree for an abandoned one and remove it. No part of that tree
// remains.
func TestATreeThatIsSweptAway(t *testing.T) {
	w := &world{t, flavours[1], t.TempDir()}
	for name, text := range w.f.files {
		w.write(name, text)
	}
	cfg := Config{Mount: w.mount, Name: "test", Log: slog.New(slog.DiscardHandler)}
	require.NoError(t, cfg.fill())
	h, err := detect(cfg.Mount, cfg.Log)
	require.NoError(t, err)
	tree, err := open(cfg, &sweptOnce{hierarchy: h})
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Base(tree.Path())}, children(h, DefaultParent))
}

// Below returns the parent and all groups directly below it, and the caller can read their usage.
func TestBelow(t *testing.T) {
	eachFlavour(t, func(w *world) {
		cfg := Config{Mount: w.mount, Parent: "/others", Log: slog.New(slog.DiscardHandler)}
		_, _, err := Below(cfg)
		require.True(w.t, failure.Is(err, failure.NotFound), err)
		tree := w.open()
		cfg.Parent = ""
		parent, all, err := Below(cfg)
		require.NoError(w.t, err)
		require.Equal(w.t, DefaultParent, parent.Path())
		require.Len(w.t, all, 1)
		require.Equal(w.t, tree.Path(), all[0].Path())
		w.tell(all[0], w.f.usage)
		u, err := all[0].Usage()
		require.NoError(w.t, err)
		require.Equal(w.t, 1500*time.Millisecond, u.CPU)
	})
}

// A gauge returns the same values as Usage and Limits.
func TestGauge(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		g, err := w.open().Group("child-1", Limits{Weight: 250, Memory: 128 * mib})
		require.NoError(w.t, err)
		w.tell(g, w.f.usage)
		x, err := g.Gauge()
		require.NoError(w.t, err)
		defer x.Close()
		for range 2 {
			r, err := x.Read()
			require.NoError(w.t, err)
			require.Equal(w.t, Reading{CPU: 1500 * time.Millisecond, Memory: 1024, Weight: 250, Limit: 128 * mib}, r)
		}
		if w.f.name != "version 1" {
			return
		}
		w.tell(g, map[string]string{"memory/memory.numa_stat": "anon=1 N0=1\nhierarchical_total=9 N0=9\n" +
			"hierarchical_anon=3 N0=2 N1=1\nhierarchical_unevictable=1 N0=1\n"})
		other, err := g.Gauge()
		require.NoError(w.t, err)
		defer other.Close()
		r, err := other.Read()
		require.NoError(w.t, err)
		require.EqualValues(w.t, 4*os.Getpagesize(), r.Memory, "figures by memory node are preferred")
	})
}

// A file without the expected value causes an error of kind Corrupt, and a failed read causes an
// error of kind IO.
func TestGaugeErrors(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		g, err := w.open().Group("child-1", Limits{Weight: 250, Memory: 128 * mib})
		require.NoError(w.t, err)
		w.tell(g, w.f.usage)
		x, err := g.Gauge()
		require.NoError(w.t, err)
		defer x.Close()
		for name := range w.f.usage {
			if filepath.Base(name) == "memory.stat" {
				w.tell(g, map[string]string{name: "nonsense\n"})
			}
		}
		_, err = x.Read()
		require.True(w.t, failure.Is(err, failure.Corrupt), err)
		dir, err := os.Open(w.mount)
		require.NoError(w.t, err)
		defer dir.Close()
		x.needle[0].fd = int(dir.Fd())
		_, err = x.Read()
		require.True(w.t, failure.Is(err, failure.IO), err)
	})
}

func TestMemoryIsNotLimitedBelowUse(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		g, err := w.open().Group("child-1", Limits{Memory: 64 * mib})
		require.NoError(w.t, err)
		w.born(g)
		stat := "anon 33554432\n"
		if w.f.name == "version 1" {
			stat = "total_rss 33554432\n"
		}
		w.tell(g, w.f.usage)
		for name := range w.f.usage {
			if filepath.Base(name) == "memory.stat" {
				w.tell(g, map[string]string{name: stat})
			}
		}
		err = g.Set(Limits{Memory: 16 * mib})
		require.True(w.t, failure.Is(err, failure.Limit), err)
		require.ErrorContains(w.t, err, "33554432 bytes are in use, more than the new limit of 16777216")
		got, err := g.Limits()
		require.NoError(w.t, err)
		require.EqualValues(w.t, 64*mib, got.Memory, "the previous limit applies")
		require.NoError(w.t, g.Set(Limits{Memory: 32 * mib}), "just enough")
	})
}

func TestAGroupThatSomebodyRemoved(t *testing.T) {
	eachFlavour(t, func(w *world) {
		tree := w.open()
		g, err := tree.Group("child-1", Limits{})
		require.NoError(w.t, err)
		for _, dir := range []string{"", "cpu", "cpuacct", "memory", "pids"} {
			require.NoError(w.t, os.RemoveAll(filepath.Join(w.mount, dir, g.Path())))
		}
		require.True(w.t, failure.Is(g.Set(Limits{Quota: 500}), failure.NotFound))
		require.True(w.t, failure.Is(g.Add(os.Getpid()), failure.NotFound))
		_, err = g.Usage()
		require.True(w.t, failure.Is(err, failure.NotFound), err)
		require.NoError(w.t, g.Kill())
		require.NoError(w.t, g.Delete(context.Background()))
		require.NoError(w.t, tree.Close(context.Background()))
	})
}

// If another process removes an empty tree, Group creates and locks the tree again, so that sweeps
// do not remove it.
func TestATreeThatSomebodyRemoved(t *testing.T) {
	eachFlavour(t, func(w *world) {
		w.rootOnly()
		tree := w.open()
		for _, dir := range []string{"", "cpu", "cpuacct", "memory", "pids"} {
			require.NoError(w.t, os.RemoveAll(filepath.Join(w.mount, dir, tree.Path())))
		}
		if w.f.name == "version 2" { // created by the kernel in a real hierarchy
			w.write(tree.Path()+"/cgroup.subtree_control", "")
		}
		g, err := tree.Group("child-1", Limits{})
		require.NoError(w.t, err)
		w.born(g)
		other := w.open()
		_, err = g.Limits()
		require.NoError(w.t, err, "a sweep removed the tree and its group")
		require.NoError(w.t, other.Close(context.Background()))
		require.NoError(w.t, tree.Close(context.Background()))
		require.Empty(w.t, w.groups())
	})
}

func TestCloseLeavesNothing(t *testing.T) {
	eachFlavour(t, func(w *world) {
		tree := w.open()
		for _, name := range []string{"child-1", "child-2"} {
			_, err := tree.Group(name, Limits{})
			require.NoError(w.t, err)
		}
		require.NotEmpty(w.t, w.groups())
		require.NoError(w.t, tree.Close(context.Background()))
		require.Empty(w.t, w.groups())
		_, err := tree.Group("child-3", Limits{})
		require.True(w.t, failure.Is(err, failure.Killed), err)
	})
}

// Open removes the trees of dead owners and keeps those of living owners.
func TestOpenSweeps(t *testing.T) {
	eachFlavour(t, func(w *world) {
		for _, c := range []string{"", "cpu", "cpuacct", "memory", "pids"} {
			if w.f.name == "version 2" == (c == "") {
				w.write(filepath.Join(c, "howdah/test-1/child-1/cgroup.procs"), "")
				w.write(filepath.Join(c, "howdah/test-2/cgroup.procs"), "")
				w.write(filepath.Join(c, "howdah/somebody/else/cgroup.procs"), "")
				w.write(filepath.Join(c, "howdah/test-1-of-mine/cgroup.procs"), "")
			}
		}
		lock, err := lockGroup(filepath.Join(w.mount, map[string]string{"version 1": "cpu"}[w.f.name], "howdah/test-2"))
		require.NoError(w.t, err)
		defer lock.Close()
		tree := w.open()
		for _, path := range w.groups() {
			require.NotEqual(w.t, "test-1", filepath.Base(path))
		}
		require.Subset(w.t, children(tree.h, "/howdah"), []string{"test-2", "somebody", "test-1-of-mine"})
		require.NoError(w.t, tree.Close(context.Background()))
	})
}

// Two trees of one process do not affect each other.
func TestTwoTrees(t *testing.T) {
	eachFlavour(t, func(w *world) {
		a := w.open()
		b := w.open()
		require.NotEqual(w.t, a.Path(), b.Path())
		_, err := b.Group("child-1", Limits{})
		require.NoError(w.t, err)
		require.NoError(w.t, a.Close(context.Background()))
		require.Len(w.t, children(b.h, b.Path()), 1)
		require.NoError(w.t, b.Close(context.Background()))
	})
}

func TestWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may do everything")
	}
	eachFlavour(t, func(w *world) {
		for _, dir := range []string{"howdah", "cpu", "memory", "cpuacct", ""} {
			path := filepath.Join(w.mount, dir)
			_ = os.Chmod(path, 0o555)
			defer os.Chmod(path, 0o755)
		}
		_, err := Open(Config{Mount: w.mount, Name: "test"})
		require.True(w.t, failure.Is(err, failure.Permission), err)
	})
}

func TestWithoutControlGroups(t *testing.T) {
	_, err := Open(Config{Mount: t.TempDir(), Name: "test"})
	require.True(t, failure.Is(err, failure.NotFound), err)
	require.ErrorContains(t, err, "neither version 1 nor version 2")
}

func TestRefusedLimits(t *testing.T) {
	for _, l := range []Limits{{Weight: -1}, {Weight: MaxWeight + 1}, {Quota: 9}, {Quota: MaxQuota + 1}, {Memory: 4096},
		{SoftMemory: -1}, {Memory: maxMemory + pageSize}} {
		_, err := l.check()
		require.True(t, failure.Is(err, failure.Config), "%+v: %v", l, err)
	}
}
