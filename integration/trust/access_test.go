//go:build integration

package trust

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/auth"
)

// withToken makes a user present a token instead of the cluster's secret.
func (x *tasks) withToken(u *testuser.User) (token string) {
	token, _ = x.cluster.Issue(auth.Claims{User: u.Name, Expires: time.Now().Add(time.Hour).Unix()})
	x.tokens[u.Name] = []byte(token)
	return token
}

// page returns the response to a request with a token.
func (x *tasks) page(token, url string) (code int, body string) {
	x.t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(x.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(x.t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(x.t, err)
	return answer.StatusCode, string(b)
}

var jobID = regexp.MustCompile(`job_[0-9]+_[0-9]+`)

// submit starts a Streaming job as a user and returns its ID and a function that waits for its end.
func (x *tasks) submit(u *testuser.User, name, script string, options ...string) (id string, wait func() int) {
	x.t.Helper()
	cmd := x.command(u, x.streaming(script, filepath.Join(x.shared, name), options...)...)
	log, err := os.Create(filepath.Join(x.t.TempDir(), "log"))
	require.NoError(x.t, err)
	x.t.Cleanup(func() { log.Close() })
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(x.t, cmd.Start())
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	x.t.Cleanup(func() { _ = cmd.Process.Kill(); <-done })
	minicluster.Eventually(x.t, time.Minute, "the job to be submitted", func() bool {
		text, err := os.ReadFile(log.Name())
		require.NoError(x.t, err)
		id = jobID.FindString(string(text))
		return id != ""
	})
	return id, func() int {
		<-done
		return cmd.ProcessState.ExitCode()
	}
}

// TestAccessOfUsers checks that users with tokens can see and change only what access control lists
// allow, on every path to a job, and that nobody sees a job's secrets.
func TestAccessOfUsers(t *testing.T) {
	acls := filepath.Join(t.TempDir(), "mapred-queue-acls.xml")
	require.NoError(t, os.WriteFile(acls, []byte("<configuration><property>"+
		"<name>mapred.queue.closed.acl-submit-job</name><value>"+aliceName+"</value></property></configuration>"), 0o600))
	done := t.TempDir()
	x := startTasks(t, "mapreduce.cluster.acls.enabled=true", "mapred.queue.names=default,closed",
		"howdah.queue.acl.file="+acls, "mapreduce.jobhistory.done-dir=file:"+done)
	x.tokens = map[string][]byte{}
	alice, bob := x.withToken(x.alice), x.withToken(x.bob)

	proceed := filepath.Join(x.shared, "go")
	const secret = "s3cr3t-of-alice"
	id, wait := x.submit(x.alice, "private", `cat > /dev/null; echo "alice's log" >&2
while [ ! -e `+proceed+` ]; do sleep 0.1; done
echo "$my_password $my_plan"
`, "-D", "my.password="+secret+"-1", "-D", "my.plan="+secret+"-2",
		"-D", "mapreduce.job.redacted-properties=my.plan")
	attempt := "attempt" + strings.TrimPrefix(id, "job") + "_m_000000_0"
	minicluster.Eventually(t, time.Minute, "the task to log", func() bool {
		r := x.as(x.alice, x.howdah, "job", "-logs", id)
		return r.Code == 0 && strings.Contains(r.Out, "alice's log")
	})

	refused := func(what string, r minicluster.Result) {
		t.Helper()
		require.NotEqual(t, 0, r.Code, what)
		require.Contains(t, r.Err, "User "+bobName+" cannot perform operation", what)
		require.NotContains(t, r.Out+r.Err, "alice's log")
	}
	commands := map[string][]string{"status": {"-status", id}, "logs": {"-logs", id}, "history": {"-history", id},
		"export":  {"-history", "-jhist", filepath.Join(x.shared, "histories"), id},
		"events":  {"-events", id, "0", "10"},
		"counter": {"-counter", id, "org.apache.hadoop.mapreduce.JobCounter", "TOTAL_LAUNCHED_MAPS"},
		"ids":     {"-list-attempt-ids", id, "map", "running"}}
	change := map[string][]string{"kill-task": {"-kill-task", attempt}, "fail-task": {"-fail-task", attempt},
		"priority": {"-set-priority", id, "LOW"}, "deadline": {"-set-deadline", id, "+1h"}, "kill": {"-kill", id}}
	for _, list := range []map[string][]string{commands, change} {
		for what, args := range list {
			refused(what, x.as(x.bob, append([]string{x.howdah, "job"}, args...)...))
		}
	}
	name := strings.TrimSpace(x.Howdah("job", "-list-active-trackers").Out)
	tracker := "http://127.0.0.1" + name[strings.LastIndexByte(name, ':'):] + "/tasklog?attemptid=" + attempt
	check := func() {
		for _, path := range []string{x.Web + "/jobs/" + id, x.Web + "/attempts/" + attempt, tracker} {
			code, body := x.page(bob, path)
			require.Equal(t, http.StatusForbidden, code, "%s: %s", path, body)
			require.NotContains(t, body, "alice's log")
			code, _ = x.page(alice, path)
			require.Equal(t, http.StatusOK, code, path)
		}
		_, journal := x.page(bob, x.Web+"/journal")
		require.NotContains(t, journal, "private.sh")
		_, journal = x.page(alice, x.Web+"/journal")
		require.Contains(t, journal, "private.sh")
		require.NotContains(t, journal, secret)
		for _, token := range []string{alice, bob} {
			_, list := x.page(token, x.Web+"/")
			require.Contains(t, list, id)
		}
	}
	check()
	x.file("go", "")
	require.Equal(t, 0, wait())
	text, err := os.ReadFile(filepath.Join(x.shared, "private", "part-00000"))
	require.NoError(t, err)
	require.Equal(t, secret+"-1 "+secret+"-2", strings.TrimSpace(string(text)), "the task has its secrets")
	for what, args := range commands {
		if what != "ids" {
			r := x.as(x.alice, append([]string{x.howdah, "job"}, args...)...)
			require.Equal(t, 0, r.Code, "%s: %s", what, r.Err)
		}
	}

	x.Signal("jobtracker", syscall.SIGKILL)
	x.StartAgain("jobtracker")
	minicluster.Eventually(t, time.Minute, "the JobTracker", func() bool {
		return x.as(x.alice, x.howdah, "job", "-status", id).Code == 0
	})
	check()
	refused("status", x.as(x.bob, x.howdah, "job", "-status", id))
	refused("logs", x.as(x.bob, x.howdah, "job", "-logs", id))

	exported := 0
	for _, dir := range []string{x.Dir, done} {
		require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			own := strings.Contains(name, "/taskTracker/"+aliceName+"/") || strings.Contains(name, "/.staging/")
			if err != nil || own || !d.Type().IsRegular() {
				return nil // only the job's user can read it, or it is gone
			}
			b, err := os.ReadFile(name)
			if err != nil {
				return nil
			}
			require.NotContains(t, string(b), secret, name)
			if strings.HasSuffix(name, "_conf.xml") {
				exported++
				require.Contains(t, string(b), "*********(redacted)")
			}
			if strings.HasSuffix(name, ".jhist") {
				require.Contains(t, string(b), `"acls":{"mapreduce.job.acl-view-job":" "`)
			}
			return nil
		}))
	}
	require.GreaterOrEqual(t, exported, 2)
	b, err := os.ReadFile(filepath.Join(x.shared, "histories", id+"_conf.xml"))
	require.NoError(t, err)
	require.NotContains(t, string(b), secret)
	require.Contains(t, string(b), "*********(redacted)")

	shared, wait := x.submit(x.alice, "shared", "cat > /dev/null; echo for bob >&2\n",
		"-D", "mapreduce.job.acl-view-job="+bobName, "-D", "mapreduce.job.queuename=closed")
	require.Equal(t, 0, wait())
	r := x.as(x.bob, x.howdah, "job", "-logs", shared)
	require.Equal(t, 0, r.Code, "%s", r.Err)
	require.Contains(t, r.Out, "for bob")
	refused("priority", x.as(x.bob, x.howdah, "job", "-set-priority", shared, "HIGH"))

	r = x.as(x.bob, x.streaming("cat\n", filepath.Join(x.shared, "no"), "-D", "mapreduce.job.queuename=closed")...)
	refused("submit", r)
	require.Contains(t, r.Err, "SUBMIT_JOB on queue closed")
	r = x.as(x.bob, x.howdah, "queue", "-showacls")
	require.Contains(t, r.Out, "default  submit-job\n")
	require.Contains(t, r.Out, "\nclosed   \n", "bob has no right, and the columns are aligned")
}
