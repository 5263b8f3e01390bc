//go:build integration && linux

// Package cgroups tests internal/cgroup and a TaskTracker's use of it on a real kernel. The tests
// need permission to create control groups, and skip without it. On a kernel without version 2
// controllers, only the tests of internal/cgroup cover version 2, with regular files.
package cgroups

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job/failure"
)

// TestMain runs the tests or, if CGROUPS_HELPER is set, waits for a line and runs the helper with that
// name.
func TestMain(m *testing.M) {
	what := os.Getenv("CGROUPS_HELPER")
	if what == "" {
		os.Exit(m.Run())
	}
	fmt.Println("up")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	switch what {
	case "burn":
		for range 2 {
			go func() {
				for {
				}
			}()
		}
	case "eat":
		n, _ := strconv.Atoi(os.Args[1])
		held := make([]byte, n)
		for i := 0; i < n; i += 4096 {
			held[i] = 1
		}
		fmt.Println("full")
		time.Sleep(time.Minute)
		fmt.Println(len(held))
	// Argument 1 is the number of pipes to fill with pipeSize bytes each. Their memory belongs to the
	// kernel, which cannot reclaim it.
	case "fill":
		n, _ := strconv.Atoi(os.Args[1])
		for range n {
			if err := fillPipe(); err != nil {
				fmt.Println(err)
				os.Exit(0)
			}
		}
		fmt.Println("full")
	case "contained": // opens a tree at argument 1 and moves into one of its groups
		tree, err := cgroup.Open(cgroup.Config{Mount: os.Args[1], Name: "test"})
		if err != nil {
			fmt.Println(failure.KindOf(err), err)
			os.Exit(0)
		}
		g, err := tree.Group("child-1", cgroup.Limits{Quota: 500, Memory: 64 << 20})
		if err == nil {
			err = g.Add(os.Getpid())
		}
		if err == nil {
			own, _ := os.ReadFile("/proc/self/cgroup")
			l, err := g.Limits()
			fmt.Printf("%+v %v %s\n", l, err, strings.ReplaceAll(string(own), "\n", " "))
		}
		_ = os.WriteFile(filepath.Join(os.Args[1], "cpu/cgroup.procs"), []byte("0"), 0o644)
		_ = os.WriteFile(filepath.Join(os.Args[1], "cpuacct/cgroup.procs"), []byte("0"), 0o644)
		_ = os.WriteFile(filepath.Join(os.Args[1], "memory/cgroup.procs"), []byte("0"), 0o644)
		fmt.Println(err, tree.Close(context.Background()))
		os.Exit(0)
	case "owner": // opens a tree, starts a family of processes in it, and waits to be killed
		tree, err := cgroup.Open(cgroup.Config{Name: "test"})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		g, err := tree.Group("child-1", cgroup.Limits{})
		if err == nil {
			sleeper := exec.Command("sleep", "60")
			sleeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			_ = sleeper.Start()
			err = g.Add(sleeper.Process.Pid)
			fmt.Println(tree.Path(), sleeper.Process.Pid, err)
		}
	}
	time.Sleep(time.Minute)
}

const pipeSize = 1 << 20

func fillPipe() error {
	var p [2]int
	if err := syscall.Pipe2(p[:], 0); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(p[1]), unix.F_SETPIPE_SZ, pipeSize); err != nil {
		return err
	}
	_, err := syscall.Write(p[1], make([]byte, pipeSize))
	return err
}

type helper struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Reader
	in  interface{ Write([]byte) (int, error) }
}

func start(t *testing.T, what string, args ...string) *helper {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "CGROUPS_HELPER="+what)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &helper{t, cmd, bufio.NewReader(out), in}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Equal(t, "up\n", h.line())
	return h
}

func (h *helper) line() string {
	s, err := h.out.ReadString('\n')
	require.NoError(h.t, err)
	return s
}

func (h *helper) run() {
	_, err := h.in.Write([]byte("go\n"))
	require.NoError(h.t, err)
}

func open(t *testing.T) *cgroup.Tree {
	leftovers.Check(t)
	tree, err := cgroup.Open(cgroup.Config{Name: "test"})
	if failure.Is(err, failure.Permission) || failure.Is(err, failure.NotFound) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		require.NoError(t, tree.Close(ctx))
		require.Empty(t, folders(tree.Path()), "folders of a closed tree")
	})
	return tree
}

// folders returns a group's folders in all hierarchies that have the group.
func folders(path string) []string {
	found, _ := filepath.Glob("/sys/fs/cgroup/*" + path)
	more, _ := filepath.Glob("/sys/fs/cgroup" + path)
	return append(found, more...)
}

func group(t *testing.T, tree *cgroup.Tree, name string, l cgroup.Limits, h *helper) *cgroup.Group {
	g, err := tree.Group(name, l)
	require.NoError(t, err)
	require.NoError(t, g.Add(h.cmd.Process.Pid))
	return g
}

func cpu(t *testing.T, g *cgroup.Group) time.Duration {
	u, err := g.Usage()
	require.NoError(t, err)
	return u.CPU
}

// The kernel enforces a quota. The removal of a quota takes effect while processes run.
func TestQuota(t *testing.T) {
	tree := open(t)
	h := start(t, "burn")
	g := group(t, tree, "child-1", cgroup.Limits{Quota: 100}, h)
	h.run()
	begun, before := time.Now(), cpu(t, g)
	time.Sleep(2 * time.Second)
	require.Less(t, float64(cpu(t, g)-before)/float64(time.Since(begun)), 0.2)
	u, err := g.Usage()
	require.NoError(t, err)
	require.Positive(t, u.Throttled)

	require.NoError(t, g.Set(cgroup.Limits{}))
	l, err := g.Limits()
	require.NoError(t, err)
	require.Equal(t, cgroup.Limits{Weight: 100}, l)
	time.Sleep(200 * time.Millisecond) // waits for the end of the current period
	lifted, err := g.Usage()
	require.NoError(t, err)
	time.Sleep(time.Second)
	later, err := g.Usage()
	require.NoError(t, err)
	require.Equal(t, lifted.Throttled, later.Throttled)
	require.Greater(t, later.CPU, lifted.CPU)
}

// Of two groups that compete, the one with four times the weight gets more than twice the CPU time. The
// test checks only the ratio, because the total depends on other processes.
func TestWeights(t *testing.T) {
	tree := open(t)
	var groups [2]*cgroup.Group
	for i, weight := range []int64{400, 100} {
		h := start(t, "burn")
		groups[i] = group(t, tree, fmt.Sprint("child-", i), cgroup.Limits{Weight: weight}, h)
		h.run()
	}
	time.Sleep(3 * time.Second)
	heavy, light := cpu(t, groups[0]), cpu(t, groups[1])
	require.Greater(t, heavy, 2*light)
}

func TestOutOfMemory(t *testing.T) {
	tree := open(t)
	h := start(t, "eat", fmt.Sprint(256<<20))
	g := group(t, tree, "child-1", cgroup.Limits{Memory: 64 << 20}, h)
	h.run()
	err := h.cmd.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal())
	u, err := g.Usage()
	require.NoError(t, err)
	require.EqualValues(t, 1, u.OOMKills)
	require.Greater(t, u.Peak, int64(32<<20))
	gauge, err := g.Gauge()
	require.NoError(t, err)
	defer gauge.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(t, g.Delete(ctx))
	require.Empty(t, folders(g.Path()))
	_, err = gauge.Read()
	require.True(t, failure.Is(err, failure.NotFound), err)
}

// While a process runs, a limit cannot be set below the memory in use, but it can increase.
func TestMemoryWhileRunning(t *testing.T) {
	tree := open(t)
	h := start(t, "eat", fmt.Sprint(48<<20))
	g := group(t, tree, "child-1", cgroup.Limits{Memory: 128 << 20}, h)
	h.run()
	require.Equal(t, "full\n", h.line())
	u, err := g.Usage()
	require.NoError(t, err)
	require.GreaterOrEqual(t, u.Memory, int64(47<<20))
	err = g.Set(cgroup.Limits{Memory: 16 << 20})
	require.True(t, failure.Is(err, failure.Limit), err)
	l, err := g.Limits()
	require.NoError(t, err)
	require.EqualValues(t, 128<<20, l.Memory)
	require.NoError(t, g.Set(cgroup.Limits{Memory: 256 << 20, SoftMemory: 64 << 20}))
	require.NoError(t, g.Set(cgroup.Limits{Memory: 64 << 20}))
	require.NoError(t, h.cmd.Process.Signal(syscall.Signal(0)))
}

// The usage figure omits some memory that prevents a lower limit, so the kernel has the final
// decision. If version 1 rejects a limit, the old limit stays in effect. If memory cannot be reclaimed
// when its lease ends, it is reclaimed later.
func TestTheKernelRefuses(t *testing.T) {
	tree := open(t)
	if tree.Mode() == "version 2" {
		t.Skip("version 2 rejects no limit")
	}
	h := start(t, "fill", fmt.Sprint((48<<20)/pipeSize))
	g := group(t, tree, "child-1", cgroup.Limits{Memory: 32 << 20}, h)
	require.NoError(t, g.Lease(cgroup.Limits{Weight: 50, Memory: 128 << 20}, time.Hour))
	h.run()
	require.Equal(t, "full\n", h.line())
	u, err := g.Usage()
	require.NoError(t, err)
	require.Less(t, u.Memory, int64(24<<20), "pipes do not count")
	holds := func(weight, memory int64) {
		t.Helper()
		l, err := g.Limits()
		require.NoError(t, err)
		require.Equal(t, []int64{weight, memory}, []int64{l.Weight, l.Memory})
	}
	holds(50, 128<<20)
	for _, change := range []func(cgroup.Limits) error{g.Set,
		func(l cgroup.Limits) error { return g.Lease(l, time.Minute) }} {
		err = change(cgroup.Limits{Weight: 25, Memory: 24 << 20})
		require.True(t, failure.Is(err, failure.Limit), err)
		require.ErrorContains(t, err, "the kernel cannot free enough")
		holds(50, 128<<20)
	}
	require.True(t, g.Renew(time.Millisecond), "a rejected lease does not end the earlier one")
	until(t, func() bool { l, err := g.Limits(); return err == nil && l.Weight == 100 })
	holds(100, 128<<20)
	require.NoError(t, h.cmd.Process.Kill())
	until(t, func() bool { l, err := g.Limits(); return err == nil && l.Memory == 32<<20 })
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		require.True(t, time.Now().Before(end))
	}
}

// The next process that opens a tree removes the groups of a killed owner and kills the processes in
// them.
func TestTheNextOwnerCleansUp(t *testing.T) {
	open(t)
	h := start(t, "owner")
	h.run()
	var path string
	var pid int
	_, err := fmt.Sscanf(h.line(), "%s %d <nil>", &path, &pid)
	require.NoError(t, err)
	open(t)
	require.NotEmpty(t, folders(path), "its owner lives")
	require.NoError(t, h.cmd.Process.Kill())
	_ = h.cmd.Wait()
	require.NotEmpty(t, folders(path), "nobody has cleaned up yet")
	open(t)
	require.Empty(t, folders(path))
	require.False(t, alive(pid))
}

// alive reports whether a process is running. It returns false for a zombie.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// Delete kills the processes of the deleted group.
func TestDeleteKills(t *testing.T) {
	tree := open(t)
	h := start(t, "burn")
	g := group(t, tree, "child-1", cgroup.Limits{}, h)
	h.run()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, g.Delete(ctx))
	require.Error(t, h.cmd.Wait())
}

func BenchmarkGroup(b *testing.B) {
	tree, err := cgroup.Open(cgroup.Config{Name: "bench"})
	if err != nil {
		b.Skip(err)
	}
	defer tree.Close(context.Background())
	b.Run("make and delete", func(b *testing.B) {
		for b.Loop() {
			g, err := tree.Group("child", cgroup.Limits{Memory: 64 << 20})
			require.NoError(b, err)
			require.NoError(b, g.Delete(context.Background()))
		}
	})
	g, err := tree.Group("child", cgroup.Limits{})
	require.NoError(b, err)
	b.Run("usage", func(b *testing.B) {
		for b.Loop() {
			_, _ = g.Usage()
		}
	})
	b.Run("set", func(b *testing.B) {
		for b.Loop() {
			_ = g.Set(cgroup.Limits{Quota: 500, Memory: 64 << 20})
		}
	})
}
