//go:build integration

package trust

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/freeport"
)

// masterCluster is a JobTracker with users on one host. All users have the secret, except those
// with an entry in tokens.
type masterCluster struct {
	t          testing.TB
	dir        string
	program    string
	jobTracker string // host:port
	web        string // host:port
	secret     string
	set        []conf.Property
	tokens     map[string]string // by user; "" = a user with neither the secret nor a token
	pids       map[string]int    // by the first argument of a daemon
}

// newMasterCluster prepares a cluster. Each user's hadoop.tmp.dir is DIR/tmp-NAME.
func newMasterCluster(t testing.TB) *masterCluster {
	t.Helper()
	leftovers.Check(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can run programs as other users")
	}
	c := &masterCluster{t: t, dir: t.TempDir(), secret: strings.Repeat("0123456789abcdef", 4),
		tokens: map[string]string{}, pids: map[string]int{}}
	require.NoError(t, os.Chmod(filepath.Dir(c.dir), 0o755))
	require.NoError(t, os.Chmod(c.dir, 0o755))
	c.program = filepath.Join(c.dir, "howdah") // other users might be unable to enter the checkout
	b, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.program, b, 0o755))
	addrs, err := freeport.Addrs(2)
	require.NoError(t, err)
	c.jobTracker, c.web = addrs[0], addrs[1]
	c.set = []conf.Property{{Name: "mapreduce.framework.name", Value: "classic"},
		{Name: "fs.defaultFS", Value: "file:///"},
		{Name: "mapreduce.jobtracker.address", Value: addrs[0]},
		{Name: "mapreduce.jobtracker.http.address", Value: addrs[1]},
		{Name: "mapreduce.tasktracker.http.address", Value: "127.0.0.1:0"},
		{Name: "howdah.jobtracker.heartbeat.interval.min", Value: "50"},
		{Name: "mapreduce.jobtracker.heartbeats.in.second", Value: "100"},
		{Name: "mapreduce.client.progressmonitor.pollinterval", Value: "100"}}
	return c
}

// tmp returns a user's hadoop.tmp.dir.
func (c *masterCluster) tmp(u *testuser.User) string { return filepath.Join(c.dir, "tmp-"+u.Name) }

// conf writes a user's configuration and returns its directory.
func (c *masterCluster) conf(u *testuser.User) string {
	c.t.Helper()
	base := u.Dir(c.t, filepath.Join(c.dir, "of-"+u.Name), 0o700)
	set := append([]conf.Property{{Name: "hadoop.tmp.dir", Value: c.tmp(u)}}, c.set...)
	if token, ok := c.tokens[u.Name]; !ok {
		set = append(set, conf.Property{Name: conf.SecuritySecretFile.Name,
			Value: u.File(c.t, filepath.Join(base, "secret"), c.secret, 0o600)})
	} else if token != "" {
		set = append(set, conf.Property{Name: conf.SecurityTokenFile.Name,
			Value: u.File(c.t, filepath.Join(base, "token"), token, 0o600)})
	}
	if u != testuser.Root {
		u.Dir(c.t, c.tmp(u), 0o700)
	}
	dir := filepath.Join(base, "conf")
	require.NoError(c.t, daemonrun.WriteSite(dir, set))
	return dir
}

// command returns a howdah command that runs as a user.
func (c *masterCluster) command(u *testuser.User, args ...string) *exec.Cmd {
	c.t.Helper()
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Env = c.dir, append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.conf(u))
	if u != testuser.Root {
		cmd.Dir = u.Home
		cmd.Env = append(cmd.Env, "HOME="+u.Home, "USER="+u.Name)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.Credential()}
	}
	return cmd
}

// run runs a howdah command as a user and returns its output and exit code.
func (c *masterCluster) run(u *testuser.User, args ...string) (string, int) {
	c.t.Helper()
	cmd := c.command(u, args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(c.t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// masterLog collects the output of a daemon.
type masterLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *masterLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *masterLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// daemon starts a daemon as a user and waits until its log contains the text until. The daemon
// stops when the test ends.
func (c *masterCluster) daemon(u *testuser.User, until string, args ...string) *masterLog {
	c.t.Helper()
	cmd, log := c.command(u, args...), &masterLog{}
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(c.t, cmd.Start())
	c.pids[args[0]] = cmd.Process.Pid
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		if c.t.Failed() {
			c.t.Logf("%v:\n%s", args, log)
		}
	})
	for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), until); time.Sleep(20 * time.Millisecond) {
		select {
		case <-done:
			c.t.Fatalf("%v ended:\n%s", args, log)
		default:
		}
		require.True(c.t, time.Now().Before(end), "%v: %s", args, log)
	}
	return log
}

func (c *masterCluster) startJobTracker(u *testuser.User) *masterLog {
	return c.daemon(u, "JobTracker serves", "jobtracker")
}

// startTaskTracker starts a TaskTracker and waits until it has joined.
func (c *masterCluster) startTaskTracker(u *testuser.User) *masterLog {
	log := c.daemon(u, "TaskTracker", "tasktracker")
	masterEventually(c.t, "the TaskTracker to join", func() bool {
		out, code := c.run(u, "job", "-list-active-trackers")
		return code == 0 && strings.Contains(out, "tracker_")
	})
	return log
}

// staging returns u's staging directory. jobTracker is the user that runs the JobTracker.
func (c *masterCluster) staging(jobTracker, u *testuser.User) string {
	return filepath.Join(c.tmp(jobTracker), "mapred", "staging", u.Name, ".staging")
}

func masterEventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(50 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "waited a minute for %s", what)
	}
}

// masterFiles returns the owner, the group, and the mode of each file in a tree.
func masterFiles(t testing.TB, dir string) map[string][3]int {
	t.Helper()
	files := map[string][3]int{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i, err := os.Lstat(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		s := i.Sys().(*syscall.Stat_t)
		files[rel] = [3]int{int(s.Uid), int(s.Gid), int(i.Mode().Perm())}
		return nil
	}))
	return files
}
