package daemon

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/staging"
	wire "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// journalFor returns GET /journal, with a query, for a caller.
func (c *cluster) journalFor(claims auth.Claims, query string) string {
	c.t.Helper()
	return c.webFor(claims, "/journal"+query)
}

// webFor returns the answer to a GET request for a caller.
func (c *cluster) webFor(claims auth.Claims, path string) string {
	c.t.Helper()
	claims.Expires = time.Now().Add(time.Hour).Unix()
	token, err := c.issued.Issue(claims, "test")
	require.NoError(c.t, err)
	r, err := http.NewRequest(http.MethodGet, "http://"+c.HTTPAddr()+path, nil)
	require.NoError(c.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(c.t, err)
	defer answer.Body.Close()
	require.Equal(c.t, http.StatusOK, answer.StatusCode)
	b, err := io.ReadAll(answer.Body)
	require.NoError(c.t, err)
	return string(b)
}

// calls returns the error of each call about a job, made by a user. The last call ends the job.
func (c *cluster) calls(user string, id job.ID) map[string]error {
	x, name := c.byUser(user), id.String()
	errs := map[string]error{}
	_, errs["Status"] = x.Status(c.ctx(), &wire.StatusRequest{Id: name})
	_, errs["counters"] = x.Status(c.ctx(), &wire.StatusRequest{Id: name, Counters: true})
	_, errs["Events"] = x.Events(c.ctx(), &wire.EventsRequest{Id: name, Max: 1})
	_, errs["SetPriority"] = x.SetPriority(c.ctx(), &wire.PriorityRequest{Id: name, Priority: "LOW"})
	_, errs["SetDeadline"] = x.SetDeadline(c.ctx(), &wire.DeadlineRequest{Id: name, Deadline: "+1h"})
	_, errs["Move"] = x.Move(c.ctx(), &wire.MoveRequest{Id: name, Queue: "default"})
	attempt := job.Attempt{Task: job.Task{Job: id.Seq}}.ID(id.Cluster).String()
	_, errs["KillAttempt"] = x.KillAttempt(c.ctx(), &wire.KillAttemptRequest{Attempt: attempt})
	_, errs["fail"] = x.KillAttempt(c.ctx(), &wire.KillAttemptRequest{Attempt: attempt, Fail: true})
	_, errs["Kill"] = x.Kill(c.ctx(), &wire.KillRequest{Id: name})
	return errs
}

var modifying = []string{"SetPriority", "SetDeadline", "Move", "KillAttempt", "fail", "Kill"}

// secretJob returns a job of user ann with access control lists and secrets.
func (c *cluster) secretJob(name string) client.Job {
	j := c.job(name, 1, 0)
	for key, value := range map[string]string{"mapreduce.job.user.name": "ann", "mapreduce.job.acl-view-job": "viewer",
		"mapreduce.job.acl-modify-job": "changer", "my.password": "s3cr3t-one", "my.plan": "s3cr3t-two",
		"mapreduce.job.redacted-properties": "my.plan"} {
		j.Conf.Set(key, value, "test")
	}
	return j
}

// TestAccessToJobs checks each call and /journal for each kind of user, while the job runs and after
// it has become part of the history.
func TestAccessToJobs(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapreduce.cluster.acls.enabled", "true", "test")
	c.conf.Set("mapreduce.cluster.administrators", "carol", "test")
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
	c.conf.Set("hadoop.proxyuser.oozie.hosts", "*", "test")
	c.conf.Set("hadoop.proxyuser.oozie.users", "ann", "test")
	c.start()
	newFakeTracker(t, c, "t1").hold("m")
	x := c.client()
	submit := func(name string) job.ID {
		s, err := x.Submit(c.ctx(), c.secretJob(name))
		require.NoError(t, err)
		return s.ID
	}
	for user, may := range map[string]struct{ view, modify bool }{"ann": {true, true}, "carol": {true, true},
		"viewer": {true, false}, "changer": {false, true}, "eve": {false, false}} {
		for call, err := range c.calls(user, submit("of "+user)) {
			allowed := may.view
			if strings.Contains(strings.Join(modifying, " "), call) {
				allowed = may.modify
			}
			require.Equal(t, !allowed, failure.Is(err, failure.Permission), "%s by %s: %v", call, user, err)
			if !allowed {
				require.ErrorContains(t, err, "User "+user+" cannot perform operation ")
			}
		}
	}
	oozie := c.byUser("oozie")
	next := job.ID{Cluster: c.Daemon.cluster, Seq: c.jobs.reserved + 1}
	_, err := c.byUser("eve").Status(c.ctx(), &wire.StatusRequest{Id: next.String(), Version: 1, WaitMillis: 60_000})
	require.True(t, failure.Is(err, failure.NotFound), "nobody waits for a job before it exists: %v", err)
	id := submit("last")
	require.Equal(t, next, id)
	_, err = oozie.Status(c.ctx(), &wire.StatusRequest{Id: id.String()})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = oozie.Status(c.ctx(), &wire.StatusRequest{Id: id.String(), User: "ann"})
	require.NoError(t, err)

	check := func(retired bool) {
		for user, sees := range map[string]bool{"ann": true, "carol": true, "viewer": true, "eve": false} {
			_, err := c.byUser(user).Status(c.ctx(), &wire.StatusRequest{Id: id.String(), Counters: true})
			require.Equal(t, sees, err == nil, "%s: %v", user, err)
			for _, query := range []string{"", "?job=" + id.String()} {
				journal := c.journalFor(auth.Claims{User: user}, query)
				require.Equal(t, sees, strings.Contains(journal, id.String()), "%s %s", user, query)
			}
			list, err := c.byUser(user).List(c.ctx(), &wire.ListRequest{All: true})
			require.NoError(t, err)
			i := slices.IndexFunc(list.Job, func(j *wire.JobStatus) bool { return j.Id == id.String() })
			require.GreaterOrEqual(t, i, 0)
			last := list.Job[i]
			require.Equal(t, "last", last.Name)
			require.Equal(t, retired, last.Retired)
			require.Equal(t, sees, last.OutputDir != "", user)
			require.Equal(t, sees, last.JobFile != "", user)
			s, err := c.byUser(user).Scheduler(c.ctx(), &wire.SchedulerRequest{})
			require.NoError(t, err)
			for _, j := range s.Job {
				require.Equal(t, sees, j.OutputDir != "", user)
			}
		}
		require.Contains(t, c.journalFor(auth.Claims{Admin: true}, ""), id.String())
	}
	check(false)
	for _, id := range []job.ID{id, submit("later")} { // the end of the second job retires the first
		_, err = c.byUser("changer").Kill(c.ctx(), &wire.KillRequest{Id: id.String()})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			s, err := c.Jobs().Status(c.ctx(), id, status.Query{})
			return err == nil && s.State.Terminal()
		}, time.Minute, time.Millisecond)
	}
	require.Eventually(t, func() bool {
		s, err := c.Jobs().Status(c.ctx(), id, status.Query{})
		return err == nil && s.Retired
	}, time.Minute, time.Millisecond)
	for range 2 {
		check(true)
		_, err = c.byUser("eve").Kill(c.ctx(), &wire.KillRequest{Id: id.String()})
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
		require.NoError(t, c.stop())
		c.start()
		require.Eventually(t, func() bool {
			list, err := c.Jobs().List(c.ctx(), status.Filter{All: true})
			return err == nil && slices.ContainsFunc(list, func(j *status.Job) bool { return j.ID == id })
		}, time.Minute, time.Millisecond, "the history is read")
	}
}

// TestAccessWithoutLists checks that every user may see every job, but change only jobs of that user,
// unless access control lists are on.
func TestAccessWithoutLists(t *testing.T) {
	c := newCluster(t)
	c.start()
	s, err := c.client().Submit(c.ctx(), c.secretJob("job"))
	require.NoError(t, err)
	for _, user := range []string{"viewer", "changer", "eve"} {
		for call, err := range c.calls(user, s.ID) {
			refused := strings.Contains(strings.Join(modifying, " "), call)
			require.Equal(t, refused, failure.Is(err, failure.Permission), "%s by %s: %v", call, user, err)
		}
		require.Contains(t, c.journalFor(auth.Claims{User: user}, ""), s.ID.String())
	}
	require.NoError(t, c.calls("ann", s.ID)["Kill"])
}

// TestSecretsOfJobs checks that only the staged job.xml has the values of secret settings, and that a
// secret URL is called nevertheless.
func TestSecretsOfJobs(t *testing.T) {
	called := make(chan string, 1)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.URL.Path }))
	defer web.Close()
	c := newCluster(t)
	c.record = filepath.Join(c.root, "inputs")
	c.conf.Set("mapreduce.jobtracker.jobhistory.completed.location", filepath.Join(c.root, "classic"), "test")
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.hold("m")
	f.run()
	x := c.client()
	j := c.secretJob("job")
	j.Conf.Set("mapreduce.job.redacted-properties", "my.plan,job.end.notification.url", "test")
	j.Conf.Set("mapreduce.job.end-notification.url", web.URL+"/s3cr3t-three", "test")
	j.Conf.Set("my.command", "run ${my.password} ${my.plan}", "test")
	j.Conf.Set("mapreduce.job.name", "job with ${my.plan}", "test")
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	files, dir, err := c.stagingDir("ann", s.ID)
	require.NoError(t, err)
	staged, _, err := staging.ReadConf(c.ctx(), files, dir, 1<<20)
	require.NoError(t, err)
	require.Equal(t, "s3cr3t-one", staged.Get("my.password"))
	require.Equal(t, "s3cr3t-two", staged.Get("my.plan"))
	require.Equal(t, "run s3cr3t-one s3cr3t-two", staged.Get("my.command"))

	for _, claims := range []auth.Claims{{Admin: true}, {User: "ann"}} {
		journal := c.journalFor(claims, "")
		require.Contains(t, journal, "my.password")
		require.Contains(t, journal, "<redacted>")
		require.Contains(t, journal, "run <redacted> *********(redacted)")
		require.Contains(t, journal, "job with *********(redacted)")
		require.NotContains(t, journal, "s3cr3t")
	}
	f.release("m")
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	select {
	case path := <-called:
		require.Equal(t, "/s3cr3t-three", path)
	case <-time.After(time.Minute):
		t.Fatal("no notification")
	}
	var exported int
	require.Eventually(t, func() bool {
		_, err := os.Stat(c.jobs.path(s.ID.Seq))
		return os.IsNotExist(err)
	}, time.Minute, time.Millisecond, "the JobTracker cleans up")
	require.NoError(t, c.stop())
	require.NoError(t, filepath.WalkDir(c.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		require.NotContains(t, string(b), "s3cr3t", name)
		if strings.HasSuffix(name, "_conf.xml") {
			exported++
			require.Contains(t, string(b), "<name>my.plan</name><value>*********(redacted)</value>")
			require.Contains(t, string(b), "<name>my.password</name><value>&lt;redacted&gt;</value>")
		}
		return nil
	}))
	require.GreaterOrEqual(t, exported, 2, "in the history and for Hadoop's tools")
}
