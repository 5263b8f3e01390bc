// Package minicluster is a harness for tests with real processes. It starts bin/howdah minicluster,
// runs commands against it, and kills and restarts its daemons. It checks that no process is left
// behind.
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
	"regexp"
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

// Options configures a minicluster. The zero value starts one TaskTracker.
type Options struct {
	TaskTrackers int
	Set          []string         // "key=value", for all daemons
	Restart      bool             // restart daemons that die
	Prepare      func(dir string) // called with the cluster's directory before the cluster starts; may be nil
}

// Cluster is a running minicluster.
type Cluster struct {
	t    testing.TB
	runs *daemonrun.Minicluster // nil if the cluster did not start
	log  *lockedBuffer

	Dir        string // directory of the cluster
	Conf       string // configuration directory for clients
	JobTracker string // host:port
	Web        string // http://host:port

	restarts sync.WaitGroup // daemons that the test has restarted
}

// Binary returns $HOWDAH_BIN or, if that is not set, the path of bin/howdah in this checkout, which
// make build builds.
func Binary(t testing.TB) string {
	t.Helper()
	if b := os.Getenv("HOWDAH_BIN"); b != "" {
		return b
	}
	b := filepath.Join(checkout(t), "bin", "howdah")
	require.FileExists(t, b, "run make build first")
	return b
}

// checkout returns the root of the checkout that contains the test.
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
	commandTimeout = 5 * time.Minute // far longer than any command in a test takes
	// pipeTimeout is how long a command's output may stay open after the command has exited. Only a
	// process that the command left behind keeps it open.
	pipeTimeout = 10 * time.Second
)

// Start starts a cluster and waits until it is ready. When the test ends, a cleanup stops the
// cluster and checks for leftover processes.
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
	c.runs, err = daemonrun.StartMinicluster(context.Background(), daemonrun.Command{Program: Binary(t), Args: args,
		Log: c.log})
	t.Cleanup(c.cleanUp)
	require.NoError(t, err)
	c.Conf, c.JobTracker, c.Web = c.runs.Conf, c.runs.JobTracker, c.runs.Web
	return c
}

// Result is the result of a command.
type Result struct {
	Code     int // exit code; -1 = a signal killed the command
	Out, Err string
}

// Howdah runs a howdah command against the cluster and waits until it exits.
func (c *Cluster) Howdah(args ...string) Result {
	c.t.Helper()
	return c.Command(Binary(c.t), args...)
}

// Command runs a program with HOWDAH_CONF_DIR set to the cluster's configuration and waits until it
// exits.
func (c *Cluster) Command(program string, args ...string) Result {
	c.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf)
	return run(c.t, cmd)
}

// Alone runs a howdah command without a cluster.
func Alone(t testing.TB, args ...string) Result {
	t.Helper()
	return RunAlone(t, Binary(t), args...)
}

// RunAlone runs a program without a cluster.
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
	err := startAndWait(cmd, &errOut)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", cmd, err)
	}
	return Result{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// startAndWait starts a command and waits for it (see waitFor). After the command's exit, it waits
// at most pipeTimeout for the output to end.
func startAndWait(cmd *exec.Cmd, errOut io.Writer) error {
	cmd.WaitDelay = pipeTimeout
	if err := cmd.Start(); err != nil {
		return err
	}
	return waitFor(cmd, errOut)
}

// waitFor waits for a command. If the command runs longer than commandTimeout, waitFor kills it and
// writes a message to errOut.
func waitFor(cmd *exec.Cmd, errOut io.Writer) error {
	var killed atomic.Bool
	t := time.AfterFunc(commandTimeout, func() { killed.Store(cmd.Process.Kill() == nil) })
	err := cmd.Wait()
	if t.Stop(); killed.Load() {
		fmt.Fprintf(errOut, "\n(killed by the test after %v)\n", commandTimeout)
	}
	return err
}

// Background starts a howdah command against the cluster. wait returns its result.
func (c *Cluster) Background(args ...string) (wait func() Result, cmd *exec.Cmd) {
	c.t.Helper()
	return c.BackgroundCommand(Binary(c.t), args...)
}

// BackgroundCommand starts any program against the cluster. wait returns its result.
func (c *Cluster) BackgroundCommand(program string, args ...string) (wait func() Result, cmd *exec.Cmd) {
	c.t.Helper()
	cmd = exec.Command(program, args...)
	cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf)
	out, errOut := &lockedBuffer{}, &lockedBuffer{}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, errOut, pipeTimeout
	require.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() { _ = cmd.Process.Kill() }) // kills the command if the test ends early
	return func() Result {
		_ = waitFor(cmd, errOut)
		return Result{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
	}, cmd
}

// PID returns the process ID of a daemon, such as "jobtracker" or "tasktracker-1".
func (c *Cluster) PID(part string) int {
	c.t.Helper()
	pid, err := daemonrun.PID(c.Dir, part)
	require.NoError(c.t, err)
	return pid
}

// Signal sends a signal to a daemon.
func (c *Cluster) Signal(part string, s syscall.Signal) {
	c.t.Helper()
	require.NoError(c.t, syscall.Kill(c.PID(part), s))
}

// Kill kills a daemon and waits until it has exited.
func (c *Cluster) Kill(part string) {
	c.t.Helper()
	pid := c.PID(part)
	require.NoError(c.t, syscall.Kill(pid, syscall.SIGKILL))
	Eventually(c.t, time.Minute, part+" to be gone", func() bool { return gone(pid) })
}

// gone reports whether a process has exited. A zombie has exited, unless threads other than the
// first are still exiting. Until they have exited, they keep the process's files open and its locks
// held.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) != nil
	}
	_, rest, _ := bytes.Cut(b, []byte(") "))
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(rest) > 0 && rest[0] == 'Z' && len(threads) <= 1
}

// StartAgain restarts a killed daemon with the recorded command (CommandFile). It does not wait
// until the daemon is ready. ended is closed when the daemon has exited.
func (c *Cluster) StartAgain(part string) (ended <-chan struct{}) {
	c.t.Helper()
	log, err := os.OpenFile(filepath.Join(c.Dir, "logs", part+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(c.t, err)
	defer log.Close()
	cmd := exec.Command("sh", c.CommandFile(part))
	cmd.Env, cmd.Stdout, cmd.Stderr = daemonrun.Environ(), log, log
	require.NoError(c.t, cmd.Start())
	done := make(chan struct{})
	c.restarts.Go(func() {
		defer close(done)
		_ = cmd.Wait()
	})
	return done
}

// CommandFile returns the file with a daemon's command, which StartAgain runs.
func (c *Cluster) CommandFile(part string) string { return filepath.Join(c.Dir, "commands", part) }

// Running returns the process IDs of a daemon, regardless of how it was started. Unlike PID, it
// finds a daemon that has not yet written its PID file.
func (c *Cluster) Running(part string) (pids []int) {
	mark := []byte("\x00--pid-file\x00" + filepath.Join(c.Dir, "pids", part) + "\x00")
	for _, dir := range must(filepath.Glob("/proc/[0-9]*")) {
		args, _ := os.ReadFile(dir + "/cmdline")
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && bytes.Contains(args, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Log returns a daemon's log.
func (c *Cluster) Log(part string) string {
	b, _ := os.ReadFile(filepath.Join(c.Dir, "logs", part+".log"))
	return string(b)
}

// Stop interrupts the cluster like Ctrl-C and waits until it has stopped.
func (c *Cluster) Stop() {
	c.t.Helper()
	if !c.runs.Stop(stopTimeout) {
		c.t.Fatal("the minicluster does not end")
	}
	c.WaitGone()
}

// Crash kills the minicluster's supervisor with SIGKILL and waits until no process of the cluster is
// left.
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
	c.restarts.Wait()
	Eventually(c.t, time.Minute, "all processes to be gone", func() bool { return len(c.Processes()) == 0 })
}

// cleanUp stops the cluster after the test and removes the control groups of killed TaskTrackers.
// It fails the test if processes are left. If the test has failed, cleanUp logs the last part of
// each daemon's log.
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

// removeGroups removes the control groups of killed TaskTrackers. Otherwise, they would stay until
// the next TaskTracker on this machine removes them.
func (c *Cluster) removeGroups() {
	tree, err := cgroup.Open(cgroup.Config{Name: "tasktracker", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return // this user cannot create groups, so none exist
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

// Processes returns a description of each process that has this cluster's directory in its
// arguments or as its working directory. It omits zombies and this process.
func (c *Cluster) Processes() []string {
	var out []string
	mine := regexp.MustCompile(regexp.QuoteMeta(c.Dir) + `([^\w.-]|$)`) // not a sibling, such as "cluster2"
	for _, dir := range must(filepath.Glob("/proc/[0-9]*")) {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() || gone(pid) {
			continue
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		cwd, _ := os.Readlink(dir + "/cwd")
		if mine.Match(args) || mine.MatchString(cwd) {
			out = append(out, fmt.Sprintf("%d %s (in %s)", pid, bytes.ReplaceAll(args, []byte{0}, []byte{' '}), cwd))
		}
	}
	return out
}

// Eventually polls a condition until it is true. After the limit, Eventually fails the test. The
// text in what completes the message "waited 1m for ...".
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", limit, what)
		}
	}
}

// lockedBuffer collects a process's output while a test reads it.
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
