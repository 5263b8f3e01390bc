//go:build integration

// Package kerberos runs clients and TaskTrackers that log in to a JobTracker with Kerberos. The files
// are on the local disk, so the tests need a KDC but no HDFS.
package kerberos

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/internal/passwd"
)

// realm is a KDC with principals.
type realm struct {
	t   *testing.T
	kdc *apachehadoop.KDC
	dir string
}

func newRealm(t *testing.T) *realm {
	if err := apachehadoop.KDCAvailable(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	kdc, err := apachehadoop.StartKDC(t.Context(), filepath.Join(dir, "kdc"))
	require.NoError(t, err)
	t.Cleanup(kdc.Stop)
	t.Setenv(kerberos.ConfigEnv, kdc.Config())
	return &realm{t, kdc, dir}
}

// keytab returns a file with the key of a principal, which it creates.
func (r *realm) keytab(principal string) string {
	file, err := r.kdc.Keytab(r.t.Context(), strings.ReplaceAll(principal, "/", "-"), []string{principal})
	require.NoError(r.t, err)
	return file
}

// kinit logs in as a principal, whose ticket the next commands use.
func (r *realm) kinit(principal string) {
	cache, err := r.kdc.Login(r.t.Context(), principal, r.keytab(principal), principal)
	require.NoError(r.t, err)
	r.t.Setenv(kerberos.CacheEnv, "FILE:"+cache)
}

func (r *realm) kdestroy() { r.t.Setenv(kerberos.CacheEnv, "FILE:/nowhere") }

func TestJobTrackerWithKerberos(t *testing.T) {
	r := newRealm(t)
	jt, tt := r.keytab("jt/localhost"), r.keytab("tt/localhost")
	r.kdestroy() // the daemons have keytabs
	c := minicluster.Start(t, minicluster.Options{Set: []string{
		"hadoop.security.authentication=kerberos", "howdah.tasktracker.run-as=tracker",
		"mapreduce.jobtracker.kerberos.principal=jt/localhost", "mapreduce.jobtracker.keytab.file=" + jt,
		"mapreduce.tasktracker.kerberos.principal=tt/localhost",
		"mapreduce.tasktracker.keytab.file=" + tt, "mapreduce.tasktracker.host.name=localhost",
		"hadoop.security.auth_to_local=RULE:[1:$1](alice)s/.*/" + passwd.Me() + "/ DEFAULT",
	}})
	require.Contains(t, c.Log("jobtracker"), "ACLs off, Kerberos, job commit as")
	require.Contains(t, c.Log("tasktracker-1"), "Kerberos login tt/localhost@TEST.LOCAL (keytab "+tt+")")
	_, port, err := net.SplitHostPort(c.JobTracker)
	require.NoError(t, err)

	in, out := filepath.Join(r.dir, "in"), filepath.Join(r.dir, "out")
	require.NoError(t, os.WriteFile(in, []byte("b a b\n"), 0o644))
	t.Run("user", func(t *testing.T) {
		r.kinit("alice")
		x := c.Howdah("run", "wordcount", in, out)
		require.Equal(t, 0, x.Code, "%s", x.Err)
		b, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
		require.NoError(t, err)
		require.Equal(t, "a\t1\nb\t2\n", string(b))
		x = c.Howdah("job", "-list", "all")
		require.Equal(t, 0, x.Code, "%s", x.Err)
		require.Contains(t, x.Out, passwd.Me())
		x = c.Howdah("doctor")
		require.Contains(t, x.Out, "Kerberos login alice@TEST.LOCAL (ticket cache ")
	})
	t.Run("other user", func(t *testing.T) {
		r.kinit("bob")
		x := c.Howdah("admin", "-setScheduler", "fair")
		require.Equal(t, 2, x.Code, "%s", x.Err)
		require.Contains(t, x.Err, "mapreduce.cluster.administrators")
		x = c.Howdah("run", "wordcount", "-D", "mapreduce.job.user.name="+passwd.Me(), in, out+"2")
		require.NotEqual(t, 0, x.Code)
		require.Contains(t, x.Err, "user bob may not act for other users")
		x = c.Howdah("token", "create", "bob", "--days", "300")
		require.Equal(t, 0, x.Code, "%s", x.Err)
		require.Contains(t, x.Err, "of user bob is valid until "+time.Now().Format(time.DateOnly)[:3])
		for _, args := range [][]string{{"alice"}, {"--admin"}, {"--node", "localhost"}} {
			x = c.Howdah(append([]string{"token", "create"}, args...)...)
			require.NotEqual(t, 0, x.Code)
			require.Contains(t, x.Err, "user bob may create tokens only of user bob")
		}
	})
	t.Run("pages", func(t *testing.T) {
		r.kinit("bob")
		x := c.Howdah("token", "bearer")
		require.Equal(t, 0, x.Code, "%s", x.Err)
		for path, want := range map[string]int{"/": 200, "/metrics": 403} {
			q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Web+path, nil)
			require.NoError(t, err)
			q.Header.Set("Authorization", "Bearer "+strings.TrimSpace(x.Out))
			code, body := fetch(t, http.DefaultClient, q)
			require.Equal(t, want, code, body)
		}
		x = c.Howdah("token", "link")
		require.Equal(t, 0, x.Code, "%s", x.Err)
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		for _, address := range []string{strings.TrimSpace(x.Out), c.Web + "/"} {
			q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
			require.NoError(t, err)
			code, body := fetch(t, &http.Client{Jar: jar}, q)
			require.Equal(t, 200, code, body)
		}
	})
	t.Run("host in the principal", func(t *testing.T) {
		r.kinit("alice")
		any := []string{"job", "-D", "mapreduce.jobtracker.kerberos.principal=jt/_HOST", "-jt"}
		x := c.Howdah(append(any, "localhost:"+port, "-list")...)
		require.Equal(t, 0, x.Code, "%s", x.Err)
		x = c.Howdah(append(any, "127.0.0.1:"+port, "-list")...)
		require.NotEqual(t, 0, x.Code)
		require.Contains(t, x.Err, "use the server's host name instead of its address")
	})
	t.Run("no ticket", func(t *testing.T) {
		r.kdestroy()
		x := c.Howdah("job", "-list")
		require.NotEqual(t, 0, x.Code)
		require.Contains(t, x.Err, "kinit")
		x = c.Howdah("job", "-D", "hadoop.security.authentication=simple", "-list")
		require.Equal(t, 0, x.Code, "the user of the JobTracker knows the secret: %s", x.Err)
	})
	t.Run("a user is no node", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wait, cmd := c.Background("tasktracker", "-D", "mapreduce.tasktracker.kerberos.principal=bob",
			"-D", "mapreduce.tasktracker.keytab.file="+r.keytab("bob"), "-D", "mapreduce.tasktracker.http.address=127.0.0.1:0",
			"-D", "mapreduce.cluster.local.dir="+t.TempDir(), "-D", "hadoop.log.dir="+t.TempDir())
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		defer stop()
		x := wait()
		require.NoError(t, ctx.Err(), "the TaskTracker runs: %s", x.Err)
		require.NotEqual(t, 0, x.Code)
		require.Contains(t, x.Err, "user bob may not make this call")
	})
}

// TestTLSWithKerberos checks that a node and users without the secret get certificates, and that
// users can read a job's logs on a node that has the secret.
func TestTLSWithKerberos(t *testing.T) {
	r := newRealm(t)
	jt, tt := r.keytab("jt/localhost"), r.keytab("tt/localhost")
	in := filepath.Join(r.dir, "in")
	require.NoError(t, os.WriteFile(in, []byte("b a b\n"), 0o644))
	for node, keys := range map[string][]string{"laptop secret": nil, "Kerberos login tt/localhost": {
		"mapreduce.tasktracker.kerberos.principal=tt/localhost", "mapreduce.tasktracker.keytab.file=" + tt}} {
		t.Run(node, func(t *testing.T) {
			r.kdestroy() // the daemons have keytabs
			c := minicluster.Start(t, minicluster.Options{Set: append(keys, "howdah.security.tls=auto",
				"hadoop.security.authentication=kerberos", "howdah.tasktracker.run-as=tracker",
				"mapreduce.jobtracker.kerberos.principal=jt/localhost", "mapreduce.jobtracker.keytab.file="+jt,
				"mapreduce.tasktracker.host.name=localhost",
				"hadoop.security.auth_to_local=RULE:[1:$1](alice)s/.*/"+passwd.Me()+"/ DEFAULT")})
			require.Contains(t, c.Log("tasktracker-1"), node)
			r.kinit("alice")
			x := c.Howdah("run", "wordcount", in, filepath.Join(t.TempDir(), "out"))
			require.Equal(t, 0, x.Code, "%s", x.Err)
			x = c.Howdah("token", "ca")
			require.Equal(t, 0, x.Code, "%s", x.Err)
			require.Contains(t, x.Out, "BEGIN CERTIFICATE")
			if keys == nil {
				id := regexp.MustCompile(`job_\d+_\d+`).FindString(c.Howdah("job", "-list", "all").Out)
				x = c.Howdah("job", "-logs", id)
				require.Equal(t, 0, x.Code, "%s", x.Err)
				require.Contains(t, x.Out, "is done")
			}
		})
	}
}

func TestManagerWithKerberos(t *testing.T) {
	leftovers.Check(t)
	r := newRealm(t)
	addrs, err := freeport.Addrs(1)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(addrs[0])
	require.NoError(t, err)
	howdah := func(command ...string) []string {
		return append(command, "-D", "hadoop.tmp.dir="+r.dir, "-D", "hadoop.security.authentication=kerberos",
			"-D", "howdah.mrcluster.manager.address=localhost:"+port,
			"-D", "howdah.mrcluster.manager.kerberos.principal=mgr/_HOST",
			"-D", "mapreduce.tasktracker.kerberos.principal=tt/node1")
	}
	start := func(args ...string) *bytes.Buffer {
		cmd := exec.CommandContext(t.Context(), minicluster.Binary(t), args...)
		cmd.Env = daemonrun.Environ()
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		log := &bytes.Buffer{} // read only after the process has ended
		cmd.Stdout, cmd.Stderr = log, log
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Wait() }) // after the end of the test's context
		return log
	}
	var manager, agent *bytes.Buffer
	t.Cleanup(func() { // after the processes
		require.Contains(t, manager.String(), "ACLs off, Kerberos")
		require.Contains(t, agent.String(), "Kerberos login tt/node1@TEST.LOCAL (keytab ")
	})
	r.kdestroy() // the daemons have keytabs
	manager = start(append(howdah("mrcluster", "manager"), "-D", "howdah.mrcluster.manager.keytab.file="+
		r.keytab("mgr/localhost"), "-D", "howdah.mrcluster.manager.http.address=127.0.0.1:0")...)
	agent = start(append(howdah("mrcluster", "agent"), "-D", "mapreduce.tasktracker.keytab.file="+r.keytab("tt/node1"),
		"-D", "howdah.mrcluster.agent.name=node1")...)

	r.kinit("bob")
	minicluster.Eventually(t, time.Minute, "the manager knows the node", func() bool {
		return strings.Contains(minicluster.Alone(t, howdah("mrcluster", "status")...).Out, "node1")
	})
	x := minicluster.Alone(t, howdah("token", "list")...)
	require.NotEqual(t, 0, x.Code)
	require.Contains(t, x.Err, "user bob may not make this call")
	r.kdestroy()
	x = minicluster.Alone(t, howdah("mrcluster", "status")...)
	require.NotEqual(t, 0, x.Code)
	require.Contains(t, x.Err, "kinit")
}

func fetch(t *testing.T, c *http.Client, q *http.Request) (code int, body string) {
	r, err := c.Do(q)
	require.NoError(t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(b)
}
