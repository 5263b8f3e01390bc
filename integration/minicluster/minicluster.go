// Package minicluster is the harness of tests with real processes: it starts bin/howdah minicluster, runs commands against
// it, kills and restarts its parts, and checks that nothing stays behind.
package minicluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/daemonrun"
)

// Options say what to start; the zero value is a cluster with one TaskTracker.
type Options struct {
	TaskTrackers int
	Set          []string         // "key=value" for all parts
	Restart      bool             // parts that die are started again
	Prepare      func(dir string) // called with the cluster's directory before it starts; nil = nothing to do
}

// Cluster is a minicluster that runs.
type Cluster struct {
	t    testing.TB
	runs *daemonrun.Minicluster // nil if it did not start
	log  *lockedBuffer

	Dir        string // of the cluster
	Conf       string // configuration directory for clients
	JobTracker string // host:port
	Web        string // http://host:port

	mu       sync.Mutex
	restarts []*exec.Cmd // parts that the test started again
}

// Binary gives bin/howdah of this checkout (make build), or what $HOWDAH_BIN names.
func Binary(t testing.TB) string {
	t.Helper()
	if b := os.Getenv("HOWDAH_BIN"); b != "" {
		return b
	}
	b := filepath.Join(checkout(t), "bin", "howdah")
	require.FileExists(t, b, "run make build first")
	return b
}

// checkout gives the root of the checkout that the test runs in.
func checkout(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("not inside the checkout")
	return ""
}

const (
	stopTimeout    = 30 * time.Second
	commandTimeout = 5 * time.Minute // no command of a test takes nearly as long
)

// Start starts a cluster and waits until it is ready. It is stopped, and checked for leftovers, at the end of the test.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	c := &Cluster{t: t, Dir: filepath.Join(t.TempDir(), "cluster"), log: &lockedBuffer{}}
	args := []string{"--dir", c.Dir, "--tasktrackers", strconv.Itoa(max(1, o.TaskTrackers))}
	if o.Restart {
		args = append(args, "--restart")
	}
	for _, s := range o.Set {
		args = append(args, "-D", s)
	}
	if o.Prepare != nil {
		o.Prepare(c.Dir)
	}
	var err error
	c.runs, err = daemonrun.StartMinicluster(context.Background(), daemonrun.Command{Program: Binary(t), Args: args, Log: c.log})
	t.Cleanup(c.cleanUp)
	require.NoError(t, err)
	c.Conf, c.JobTracker, c.Web = c.runs.Conf, c.runs.JobTracker, c.runs.Web
	return c
}

// Result is how a command ended.
type Result struct {
	Code     int
	Out, Err string
}

// Howdah runs a howdah command against the cluster and waits for its end.
func (c *Cluster) Howdah(args ...string) Result {
	c.t.Helper()
	return c.Command(Binary(c.t), args...)
}

// Command runs any program against the cluster: HOWDAH_CONF_DIR is set.
func (c *Cluster) Command(program string, args ...string) Result {
	c.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf)
	return run(c.t, cmd)
}

// Alone runs a howdah command without any cluster.
func Alone(t testing.TB, args ...string) Result {
	t.Helper()
	return RunAlone(t, Binary(t), args...)
}

// RunAlone runs any program without any cluster.
func RunAlone(t testing.TB, program string, args ...string) Result {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = daemonrun.Environ()
	return run(t, cmd)
}

func run(t testing.TB, cmd *exec.Cmd) Result {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Start()
	if err == nil {
		err = waitFor(cmd, &errOut)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", cmd, err)
	}
	return Result{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// waitFor waits for the end of a command, and kills one that hangs, so that the test fails with what was going on.
func waitFor(cmd *exec.Cmd, errOut io.Writer) error {
	var killed atomic.Bool
	t := time.AfterFunc(commandTimeout, func() { killed.Store(cmd.Process.Kill() == nil) })
	err := cmd.Wait()
	if t.Stop(); killed.Load() {
		fmt.Fprintf(errOut, "\n(killed by the test after %v)\n", commandTimeout)
	}
	return err
}

// Background starts a howdah command against the cluster; wait gives how it ended.
func (c *Cluster) Background(args ...string) (wait func() Result, cmd *exec.Cmd) {
	c.t.Helper()
	return c.BackgroundCommand(Binary(c.t), args...)
}

// BackgroundCommand starts any program against the cluster; wait gives how it ended.
func (c *Cluster) BackgroundCommand(program string, args ...string) (wait func() Result, cmd *exec.Cmd) {
	c.t.Helper()
	cmd = exec.Command(program, args...)
	cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf)
	out, errOut := &lockedBuffer{}, &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = out, errOut
	require.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() { _ = cmd.Process.Kill() }) // a test that fails does not wait for it
	return func() Result {
		_ = waitFor(cmd, errOut)
		return Result{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
	}, cmd
}

// PID gives the process id of a part: "jobtracker", "tasktracker-1" and so on.
func (c *Cluster) PID(part string) int {
	c.t.Helper()
	b, err := os.ReadFile(filepath.Join(c.Dir, "pids", part))
	require.NoError(c.t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	require.NoError(c.t, err)
	return pid
}

// Signal sends to a part.
func (c *Cluster) Signal(part string, s syscall.Signal) {
	c.t.Helper()
	require.NoError(c.t, syscall.Kill(c.PID(part), s))
}

// Kill ends a part at once and waits until it has gone.
func (c *Cluster) Kill(part string) {
	c.t.Helper()
	pid := c.PID(part)
	require.NoError(c.t, syscall.Kill(pid, syscall.SIGKILL))
	Eventually(c.t, time.Minute, part+" to be gone", func() bool { return gone(pid) })
}

// gone reports whether a process is no more; a zombie that its parent has not buried yet counts as gone, but not while other
// threads than its first are still ending: they hold its files and locks.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) != nil
	}
	_, rest, _ := bytes.Cut(b, []byte(") "))
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(rest) > 0 && rest[0] == 'Z' && len(threads) <= 1
}

// StartAgain starts a part that was killed, by the command that the cluster left for it.
func (c *Cluster) StartAgain(part string) {
	c.t.Helper()
	log, err := os.OpenFile(filepath.Join(c.Dir, "logs", part+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(c.t, err)
	defer log.Close()
	cmd := exec.Command("sh", filepath.Join(c.Dir, "commands", part))
	cmd.Env, cmd.Stdout, cmd.Stderr = daemonrun.Environ(), log, log
	require.NoError(c.t, cmd.Start())
	c.mu.Lock()
	c.restarts = append(c.restarts, cmd)
	c.mu.Unlock()
}

// Log gives what a part has logged.
func (c *Cluster) Log(part string) string {
	b, _ := os.ReadFile(filepath.Join(c.Dir, "logs", part+".log"))
	return string(b)
}

// Stop presses Ctrl-C and waits for the end.
func (c *Cluster) Stop() {
	c.t.Helper()
	if !c.runs.Stop(stopTimeout) {
		c.t.Fatal("the minicluster does not end")
	}
	c.WaitGone()
}

// Crash kills the supervisor without warning.
func (c *Cluster) Crash() {
	c.t.Helper()
	c.runs.Kill()
	c.WaitGone()
}

// WaitGone waits until no process of the cluster is left.
func (c *Cluster) WaitGone() {
	c.t.Helper()
	select {
	case <-c.runs.Done():
	case <-time.After(stopTimeout):
		c.t.Fatal("the minicluster does not end")
	}
	c.mu.Lock()
	for _, r := range c.restarts {
		_ = r.Wait()
	}
	c.restarts = nil
	c.mu.Unlock()
	Eventually(c.t, time.Minute, "all processes to be gone", func() bool { return len(c.Processes()) == 0 })
}

// cleanUp stops what is left after the test, and fails it if something stays.
func (c *Cluster) cleanUp() {
	if c.runs != nil && !c.runs.Stop(stopTimeout) {
		c.t.Error("the minicluster did not end by itself")
	}
	for end := time.Now().Add(time.Minute); len(c.Processes()) > 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	for _, p := range c.Processes() {
		c.t.Errorf("left behind: %s", p)
		if pid, _, _ := strings.Cut(p, " "); pid != "" {
			n, _ := strconv.Atoi(pid)
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
	c.removeGroups()
	if c.t.Failed() {
		c.t.Logf("minicluster: %s", c.log)
		for _, f := range must(filepath.Glob(filepath.Join(c.Dir, "logs", "*.log"))) {
			b, _ := os.ReadFile(f)
			c.t.Logf("%s: ...%s", f, b[max(0, len(b)-4000):])
		}
	}
}

// removeGroups does what the next TaskTracker of this machine would do: it removes the control groups of those that were killed.
func (c *Cluster) removeGroups() {
	tree, err := cgroup.Open(cgroup.Config{Name: "tasktracker", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return // where none can be made there are none
	}
	if err := tree.Close(context.Background()); err != nil {
		c.t.Errorf("left behind: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Processes lists what runs with this cluster's directory in its arguments, environment or working directory.
func (c *Cluster) Processes() []string {
	var out []string
	for _, dir := range must(filepath.Glob("/proc/[0-9]*")) {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() || gone(pid) {
			continue
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		cwd, _ := os.Readlink(dir + "/cwd")
		if bytes.Contains(args, []byte(c.Dir)) || strings.HasPrefix(cwd, c.Dir) {
			out = append(out, fmt.Sprintf("%d %s (in %s)", pid, bytes.ReplaceAll(args, []byte{0}, []byte{' '}), cwd))
		}
	}
	return out
}

// Eventually waits for a condition; tests with real processes have nothing better.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", limit, what)
		}
	}
}

// lockedBuffer collects what a process writes while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var _ io.Writer = (*lockedBuffer)(nil)
