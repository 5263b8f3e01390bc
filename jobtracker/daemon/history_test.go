package daemon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rest"
	"github.com/howdah/howdah/job"
)

// restOf returns the status and the body of an answer to a user. "" means an administrator. IDs and
// times, which differ in each run, are replaced.
func restOf(c *cluster, user, path string) (code int, body string) {
	h := (&rest.Server{History: c.History(), Live: c.Jobs(), User: "me", Version: "1.2.3", Started: time.UnixMilli(5),
		Now: func() time.Time { return time.UnixMilli(1 << 42) }}).Handler()
	r := httptest.NewRequest("GET", path, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(auth.With(c.ctx(), auth.Principal{User: user, Admin: user == ""})))
	text := strings.ReplaceAll(w.Body.String(), c.Daemon.cluster, "CLUSTER")
	text = regexp.MustCompile(`(Time|On)":\d{4,}`).ReplaceAllString(text, `$1":1`)
	return w.Code, regexp.MustCompile(`elapsed(\w*)Time":\d+`).ReplaceAllString(text, `elapsed${1}Time":2`)
}

// TestREST checks the answers about a job while it runs, after it has ended, and after the machine has
// dropped it.
func TestREST(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
	c.start()
	tracker := newFakeTracker(t, c, "t1")
	tracker.hold("m")
	tracker.run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.secretJob("first"))
	require.NoError(t, err)
	const master, ended = "/ws/v1/mapreduce", "/ws/v1/history/mapreduce/jobs"
	job1 := "/jobs/" + s.ID.String()
	task1 := job1 + "/tasks/" + job.TaskID{Job: s.ID}.String()
	attempt1 := task1 + "/attempts/" + job.AttemptID{TaskID: job.TaskID{Job: s.ID}}.String()
	require.Eventually(t, func() bool {
		_, body := restOf(c, "", master+attempt1)
		return strings.Contains(body, "RUNNING")
	}, time.Minute, 5*time.Millisecond)
	expect := func(path, want string) {
		t.Helper()
		code, body := restOf(c, "", path)
		require.Equal(t, http.StatusOK, code, body)
		require.Equal(t, want, body)
	}
	expect(master+"/info", `{"info":{"appId":"application_CLUSTER_0000","name":"JobTracker","user":"me","startedOn":5,`+
		`"elapsedTime":2}}`)
	expect(master+"/blacklistednodes", `{"blacklistednodesinfo":{}}`)
	const running = `{"startTime":1,"finishTime":0,"elapsedTime":2,"id":"job_CLUSTER_0001","name":"first","user":"ann",` +
		`"queue":"default","state":"RUNNING","mapsTotal":1,"mapsCompleted":0,"reducesTotal":0,"reducesCompleted":0,` +
		`"mapProgress":0.0,"reduceProgress":0.0,"mapsPending":0,"mapsRunning":1,"reducesPending":0,"reducesRunning":0,` +
		`"uberized":false,"diagnostics":"","newReduceAttempts":0,"runningReduceAttempts":0,"failedReduceAttempts":0,` +
		`"killedReduceAttempts":0,"successfulReduceAttempts":0,"newMapAttempts":0,"runningMapAttempts":1,` +
		`"failedMapAttempts":0,"killedMapAttempts":0,"successfulMapAttempts":0}`
	expect(master+"/jobs", `{"jobs":{"job":[`+running+`]}}`)
	expect(master+job1, `{"job":`+running+`}`)
	const task = `{"startTime":1,"finishTime":0,"elapsedTime":2,"progress":0.0,"id":"task_CLUSTER_0001_m_000000",` +
		`"state":"RUNNING","type":"MAP","successfulAttempt":"","status":"NEW"}`
	expect(master+job1+"/tasks?type=m", `{"tasks":{"task":[`+task+`]}}`)
	expect(master+task1, `{"task":`+task+`}`)
	_, body := restOf(c, "", master+attempt1)
	require.Contains(t, body, `"state":"RUNNING"`)
	require.Contains(t, body, `"progress":0.0`)
	expect(master+attempt1+"/state", `{"state":"RUNNING"}`)
	expect(master+task1+"/counters", `{"jobTaskCounters":{"id":"task_CLUSTER_0001_m_000000"}}`)
	expect(master+attempt1+"/counters", `{"jobTaskAttemptCounters":{"id":"attempt_CLUSTER_0001_m_000000_0"}}`)
	_, body = restOf(c, "", master+job1+"/jobattempts")
	require.Contains(t, body, `"containerId":"container_CLUSTER_0001_01_000001"`)
	code, body := restOf(c, "", ended+"/"+s.ID.String())
	require.Equal(t, http.StatusNotFound, code, "the job has not ended: %s", body)
	expect(ended, `{"jobs":{}}`)

	tracker.release("m")
	require.Eventually(t, func() bool {
		code, _ := restOf(c, "", ended+"/"+s.ID.String())
		return code == http.StatusOK
	}, time.Minute, 5*time.Millisecond)
	check := func() {
		t.Helper()
		expect(ended+"/"+s.ID.String(), `{"job":{"submitTime":1,"startTime":1,"finishTime":1,"id":"job_CLUSTER_0001",`+
			`"name":"first","queue":"default","user":"ann","state":"SUCCEEDED","mapsTotal":1,"mapsCompleted":1,`+
			`"reducesTotal":0,"reducesCompleted":0,"uberized":false,"diagnostics":"","avgMapTime":`+avg(t, c, s.ID)+`,`+
			`"avgReduceTime":0,"avgShuffleTime":0,"avgMergeTime":0,"failedReduceAttempts":0,"killedReduceAttempts":0,`+
			`"successfulReduceAttempts":0,"failedMapAttempts":0,"killedMapAttempts":0,"successfulMapAttempts":1,`+
			`"acls":[{"name":"mapreduce.job.acl-view-job","value":"viewer"},{"name":"mapreduce.job.acl-modify-job",`+
			`"value":"changer"}]}}`)
		_, body := restOf(c, "", ended+"/"+s.ID.String()+"/conf")
		require.Contains(t, body, `{"name":"my.password","value":"<redacted>"`)
		require.Contains(t, body, `{"name":"my.plan","value":"*********(redacted)"`)
	}
	check()
	expect(master+"/jobs", `{"jobs":{}}`)
	second, err := x.Submit(c.ctx(), c.secretJob("second"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, body := restOf(c, "", ended)
		return strings.Contains(body, second.ID.String()[len("job_"+c.Daemon.cluster):])
	}, time.Minute, 5*time.Millisecond)
	check()
	expect(ended+"?user=ann&limit=1", `{"jobs":{"job":[{"submitTime":1,"startTime":1,"finishTime":1,`+
		`"id":"job_CLUSTER_0001","name":"first","queue":"default","user":"ann","state":"SUCCEEDED","mapsTotal":1,`+
		`"mapsCompleted":1,"reducesTotal":0,"reducesCompleted":0}]}}`)
	code, _ = restOf(c, "", ended+"/job_1_0001")
	require.Equal(t, http.StatusNotFound, code)
}

// avg returns the job's average map time, which depends on the run.
func avg(t *testing.T, c *cluster, id job.ID) string {
	_, body := restOf(c, "", "/ws/v1/history/mapreduce/jobs/"+id.String())
	var x struct {
		Job struct{ AvgMapTime json.Number }
	}
	require.NoError(t, json.Unmarshal([]byte(body), &x))
	return x.Job.AvgMapTime.String()
}

// The access control lists of jobs hold for each call, while the job runs and afterward.
func TestAccessToREST(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapreduce.cluster.acls.enabled", "true", "test")
	c.start()
	tracker := newFakeTracker(t, c, "t1")
	tracker.hold("m")
	tracker.run()
	s, err := c.client().Submit(c.ctx(), c.secretJob("x"))
	require.NoError(t, err)
	for _, base := range []string{"/ws/v1/mapreduce", "/ws/v1/history/mapreduce"} {
		path := base + "/jobs/" + s.ID.String()
		require.Eventually(t, func() bool {
			code, _ := restOf(c, "", path+"/tasks/"+job.TaskID{Job: s.ID}.String())
			return code == http.StatusOK
		}, time.Minute, 5*time.Millisecond)
		for user, may := range map[string]bool{"": true, "ann": true, "viewer": true, "changer": false, "eve": false} {
			for _, part := range []string{"", "/counters", "/conf", "/tasks", "/jobattempts",
				"/tasks/" + job.TaskID{Job: s.ID}.String()} {
				code, body := restOf(c, user, path+part)
				require.Equal(t, may, code == http.StatusOK, "%s for %q: %s", path+part, user, body)
				require.True(t, may || code == http.StatusForbidden && !strings.Contains(body, "viewer"))
			}
			code, body := restOf(c, user, base+"/jobs")
			require.Equal(t, http.StatusOK, code)
			require.Contains(t, body, `"name":"x"`)
			if base == "/ws/v1/mapreduce" {
				require.Equal(t, may, strings.Contains(body, `"diagnostics"`), "%q: %s", user, body)
			}
		}
		tracker.release("m")
	}
}
