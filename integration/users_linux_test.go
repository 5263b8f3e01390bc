//go:build integration

package integration

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// account is a user of this machine that exists during a test.
type account struct {
	t        *testing.T
	name     string
	home     string
	binary   string // a copy of howdah that the user can run
	uid, gid uint32
}

// newAccount creates a user. It skips the test if that is impossible.
func newAccount(t *testing.T, name string) *account {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, who creates accounts")
	}
	home, err := os.MkdirTemp("", name+"-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	if out, err := exec.Command("useradd", "--no-create-home", "--home-dir", home, name).CombinedOutput(); err != nil {
		t.Skipf("cannot create an account: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("userdel", name).Run() })
	found, err := user.Lookup(name)
	require.NoError(t, err)
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	require.NoError(t, err)
	a := &account{t: t, name: name, home: home, binary: filepath.Join(home, "howdah"), uid: uint32(uid), gid: uint32(gid)}
	program, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(a.binary, program, 0o755))
	require.NoError(t, os.Chown(home, int(uid), int(gid)))
	return a
}

// command returns a howdah command of the user, with additional environment variables.
func (a *account) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, a.binary, args...)
	cmd.Dir = a.home
	cmd.Env = append([]string{"HOME=" + a.home, "USER=" + a.name, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid}}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// howdah runs a command of the user for at most a minute.
func (a *account) howdah(env []string, args ...string) minicluster.Result {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	cmd := a.command(ctx, env, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	_ = cmd.Run()
	return minicluster.Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Err: errOut.String()}
}

// keep writes a file of the user that nobody else can read.
func (a *account) keep(name, text string) string {
	a.t.Helper()
	file := filepath.Join(a.home, name)
	require.NoError(a.t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(a.t, os.Chown(file, int(a.uid), int(a.gid)))
	return file
}

// tracker returns the arguments of a TaskTracker of the user that shows a token.
func (a *account) tracker(jt, token, host string) []string {
	return []string{"tasktracker", "-jt", jt, "-D", "howdah.security.token.file=" + token,
		"-D", "mapreduce.tasktracker.host.name=" + host, "-D", "mapreduce.tasktracker.http.address=127.0.0.1:0",
		"-D", "hadoop.tmp.dir=" + filepath.Join(a.home, "tmp")}
}

// TestOtherUsers runs commands and TaskTrackers as an ordinary user of the machine on which root runs
// a cluster.
func TestOtherUsers(t *testing.T) {
	a := newAccount(t, "howdah-it-alice")
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1})
	refused := func(r minicluster.Result, text string) {
		t.Helper()
		require.Equal(t, 2, r.Code, r.Err)
		require.Contains(t, r.Err, text)
	}
	asRoot := []string{"HADOOP_USER_NAME=root"}
	plain := []string{"-jt", c.JobTracker}

	// Without the secret or a token, nobody can do anything, whatever their name.
	refused(a.howdah(nil, append([]string{"job", "-list"}, plain...)...), "different secrets")
	refused(a.howdah(asRoot, append([]string{"admin", "-setScheduler", "fair"}, plain...)...), "different secrets")
	own := a.keep("own", strings.Repeat("x", 64))
	refused(a.howdah(asRoot, "job", "-list", "-jt", c.JobTracker, "-D", "howdah.security.secret.file="+own),
		"different secrets")

	// A user can act as this user only.
	r := ok(t, c.Howdah("token", "create", a.name))
	file := a.keep("token", r.Out)
	with := append(plain, "-D", "howdah.security.token.file="+file)
	ok(t, a.howdah(nil, append([]string{"job", "-list"}, with...)...))
	for _, verb := range [][]string{{"-setScheduler", "fair"}, {"-drainTracker", "x", "delayed"}, {"-refreshQueues"}} {
		refused(a.howdah(asRoot, append(append([]string{"admin"}, verb...), with...)...), "may not act for other users")
		refused(a.howdah(nil, append(append([]string{"admin"}, verb...), with...)...), "not an administrator")
	}

	// Users run no TaskTrackers.
	r = a.howdah(nil, a.tracker(c.JobTracker, file, "there")...)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "may not make this call")

	// A node runs TaskTrackers under its own name, until its token is revoked.
	r = ok(t, c.Howdah("token", "create", "--node", "there"))
	file = a.keep("node", r.Out)
	r = a.howdah(nil, a.tracker(c.JobTracker, file, "here")...)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "may not register a TaskTracker on host here")
	node := a.command(t.Context(), nil, a.tracker(c.JobTracker, file, "there")...)
	var log bytes.Buffer
	node.Stderr = &log
	require.NoError(t, node.Start())
	done := make(chan error, 1)
	go func() { done <- node.Wait() }()
	listed := func() bool { return strings.Contains(c.Howdah("job", "-list-active-trackers").Out, "tracker_there:") }
	minicluster.Eventually(t, time.Minute, "the TaskTracker to join", listed)
	var id string
	for line := range strings.Lines(ok(t, c.Howdah("token", "list")).Out) {
		if strings.Contains(line, "node there") {
			id = strings.Fields(line)[0]
		}
	}
	ok(t, c.Howdah("token", "revoke", id))
	select {
	case err := <-done:
		require.Error(t, err)
		require.Contains(t, log.String(), "revoked")
	case <-time.After(time.Minute):
		_ = node.Process.Kill()
		t.Fatal("the TaskTracker goes on with a revoked token")
	}
}
