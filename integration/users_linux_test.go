//go:build integration

package integration

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/auth"
)

// account is a user of this machine with a copy of howdah.
type account struct {
	*testuser.User
	t      *testing.T
	binary string
}

func newAccount(t *testing.T, name string) *account {
	t.Helper()
	a := &account{User: testuser.New(t, name), t: t}
	program, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	a.binary = a.File(t, filepath.Join(a.Home, "howdah"), string(program), 0o700)
	return a
}

// command returns a howdah command that runs as the user, with additional environment variables.
func (a *account) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, a.binary, args...)
	cmd.Dir = a.Home
	cmd.Env = append([]string{"HOME=" + a.Home, "USER=" + a.Name, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.Credential()}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// howdah runs a howdah command as the user, for at most a minute.
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

// keep writes a file that only the user can read.
func (a *account) keep(name, text string) string {
	a.t.Helper()
	return a.File(a.t, filepath.Join(a.Home, name), text, 0o600)
}

// tracker returns the arguments of a TaskTracker that presents a token.
func (a *account) tracker(jt, token, host string) []string {
	return []string{"tasktracker", "-jt", jt, "-D", "howdah.security.token.file=" + token,
		"-D", "mapreduce.tasktracker.host.name=" + host, "-D", "mapreduce.tasktracker.http.address=127.0.0.1:0",
		"-D", "hadoop.tmp.dir=" + filepath.Join(a.Home, "tmp")}
}

// TestOtherUsers runs commands and TaskTrackers as an ordinary user on a machine where root runs a
// cluster.
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

	// Without the secret or a token, callers can do nothing, regardless of their user names.
	refused(a.howdah(nil, append([]string{"job", "-list"}, plain...)...), "different secrets")
	refused(a.howdah(asRoot, append([]string{"admin", "-setScheduler", "fair"}, plain...)...), "different secrets")
	own := a.keep("own", strings.Repeat("x", 64))
	refused(a.howdah(asRoot, "job", "-list", "-jt", c.JobTracker, "-D", "howdah.security.secret.file="+own),
		"different secrets")

	// A user with a token can act only as that user.
	r := ok(t, c.Howdah("token", "create", a.Name))
	file := a.keep("token", r.Out)
	with := append(plain, "-D", "howdah.security.token.file="+file)
	ok(t, a.howdah(nil, append([]string{"job", "-list"}, with...)...))
	for _, verb := range [][]string{{"-setScheduler", "fair"}, {"-drainTracker", "x", "delayed"}, {"-refreshQueues"}} {
		refused(a.howdah(asRoot, append(append([]string{"admin"}, verb...), with...)...), "may not act for other users")
		refused(a.howdah(nil, append(append([]string{"admin"}, verb...), with...)...), "not an administrator")
	}

	// A caller with the secret is an administrator, unless it acts for another user.
	s, err := auth.Load(conf.New())
	require.NoError(t, err)
	text, err := os.ReadFile(s.File())
	require.NoError(t, err)
	admin := []string{"admin", "-refreshQueues", "-jt", c.JobTracker, "-D",
		"howdah.security.secret.file=" + a.keep("secret", string(text))}
	ok(t, a.howdah(nil, admin...))
	refused(a.howdah([]string{"HADOOP_USER_NAME=bob"}, admin...), "not an administrator")

	// Users cannot run TaskTrackers.
	r = a.howdah(nil, a.tracker(c.JobTracker, file, "there")...)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "may not make this call")

	// A node can run TaskTrackers under its own name until its token is revoked.
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

	// The node does not have the secret, but it shows logs to users. It asks the JobTracker to
	// identify the visitor.
	_, port, _ := strings.Cut(c.Howdah("job", "-list-active-trackers").Out, "tracker_there:")
	port, _, _ = strings.Cut(port, "\n")
	visit := func(token string) int {
		req, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+strings.TrimSpace(port)+
			"/tasklog?attemptid=attempt_202601010000_0001_m_000000_0", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	require.Equal(t, http.StatusUnauthorized, visit("nonsense"))
	require.Equal(t, http.StatusNotFound, visit(ok(t, c.Howdah("token", "create", "bob")).Out), "there is no such attempt")

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
