//go:build integration

package trust

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/freeport"
)

// masterUser is an account that a test makes. nil stands for root.
type masterUser struct {
	name     string
	uid, gid int
	home     string
}

// masterAccount makes an account with a home directory of mode 0700. It skips the test where that is
// impossible.
func masterAccount(t testing.TB, name string) *masterUser {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make accounts")
	}
	for _, program := range []string{"useradd", "userdel"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("accounts cannot be made: %v", err)
		}
	}
	_ = exec.Command("userdel", "-rf", name).Run() // left by an earlier test that was killed
	out, err := exec.Command("useradd", "-m", "-K", "HOME_MODE=0700", "-K", "UMASK=077", name).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Cleanup(func() { _ = exec.Command("userdel", "-rf", name).Run() })
	u, err := user.Lookup(name)
	require.NoError(t, err)
	a := &masterUser{name: name, home: u.HomeDir}
	a.uid, err = strconv.Atoi(u.Uid)
	require.NoError(t, err)
	a.gid, err = strconv.Atoi(u.Gid)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(a.home, 0o700))
	return a
}

func (u *masterUser) owner() (uid, gid int) {
	if u == nil {
		return 0, 0
	}
	return u.uid, u.gid
}

// own creates a directory of the user.
func (u *masterUser) own(t testing.TB, dir string, mode os.FileMode) string {
	t.Helper()
	uid, gid := u.owner()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.Chmod(dir, mode))
	require.NoError(t, os.Chown(dir, uid, gid))
	return dir
}

// file creates a file of the user.
func (u *masterUser) file(t testing.TB, name, text string, mode os.FileMode) string {
	t.Helper()
	uid, gid := u.owner()
	require.NoError(t, os.WriteFile(name, []byte(text), mode))
	require.NoError(t, os.Chmod(name, mode))
	require.NoError(t, os.Chown(name, uid, gid))
	return name
}

// masterCluster is a JobTracker with users on one host. All know the secret.
type masterCluster struct {
	t          testing.TB
	dir        string
	program    string
	jobTracker string // host:port
	secret     string
	set        []conf.Property
}

// newMasterCluster prepares a cluster. hadoop.tmp.dir of each user is DIR/tmp-NAME.
func newMasterCluster(t testing.TB) *masterCluster {
	t.Helper()
	leftovers.Check(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can run programs as other users")
	}
	c := &masterCluster{t: t, dir: t.TempDir(), secret: strings.Repeat("0123456789abcdef", 4)}
	require.NoError(t, os.Chmod(filepath.Dir(c.dir), 0o755))
	require.NoError(t, os.Chmod(c.dir, 0o755))
	c.program = filepath.Join(c.dir, "howdah") // others may not enter the checkout
	b, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.program, b, 0o755))
	addrs, err := freeport.Addrs(2)
	require.NoError(t, err)
	c.jobTracker = addrs[0]
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

func masterName(u *masterUser) string {
	if u == nil {
		return "root"
	}
	return u.name
}

// tmp returns hadoop.tmp.dir of a user.
func (c *masterCluster) tmp(u *masterUser) string { return filepath.Join(c.dir, "tmp-"+masterName(u)) }

// conf writes a user's configuration and returns its directory.
func (c *masterCluster) conf(u *masterUser) string {
	c.t.Helper()
	base := u.own(c.t, filepath.Join(c.dir, "of-"+masterName(u)), 0o700)
	secret := u.file(c.t, filepath.Join(base, "secret"), c.secret, 0o600)
	if u != nil {
		u.own(c.t, c.tmp(u), 0o700)
	}
	dir := filepath.Join(base, "conf")
	require.NoError(c.t, daemonrun.WriteSite(dir, append([]conf.Property{{Name: "hadoop.tmp.dir", Value: c.tmp(u)},
		{Name: auth.KeySecretFile, Value: secret}}, c.set...)))
	return dir
}

// command returns a command of a user.
func (c *masterCluster) command(u *masterUser, args ...string) *exec.Cmd {
	c.t.Helper()
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Env = c.dir, append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.conf(u))
	if u != nil {
		cmd.Dir = u.home
		cmd.Env = append(cmd.Env, "HOME="+u.home, "USER="+u.name)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.gid)}}
	}
	return cmd
}

// run runs a command of a user and returns its output and its exit code.
func (c *masterCluster) run(u *masterUser, args ...string) (string, int) {
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

// daemon starts a daemon as a user and waits until its log contains a text. The test's end stops it.
func (c *masterCluster) daemon(u *masterUser, until string, args ...string) *masterLog {
	c.t.Helper()
	cmd, log := c.command(u, args...), &masterLog{}
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(c.t, cmd.Start())
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

func (c *masterCluster) startJobTracker(u *masterUser) *masterLog {
	return c.daemon(u, "JobTracker serves", "jobtracker")
}

// startTaskTracker starts a TaskTracker and waits until it has joined.
func (c *masterCluster) startTaskTracker(u *masterUser) *masterLog {
	log := c.daemon(u, "TaskTracker", "tasktracker")
	masterEventually(c.t, "the TaskTracker to join", func() bool {
		out, code := c.run(u, "job", "-list-active-trackers")
		return code == 0 && strings.Contains(out, "tracker_")
	})
	return log
}

// staging returns the staging directory of a user.
func (c *masterCluster) staging(jobTracker, u *masterUser) string {
	return filepath.Join(c.tmp(jobTracker), "mapred", "staging", masterName(u), ".staging")
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
