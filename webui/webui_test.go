package webui

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// fakeJobs answers from memory.
type fakeJobs struct {
	cluster   *client.ClusterStatus
	scheduler *client.SchedulerStatus
	jobs      []*client.JobStatus
}

func (f *fakeJobs) Cluster(context.Context, *client.Empty) (*client.ClusterStatus, error) {
	return f.cluster, nil
}

func (f *fakeJobs) Scheduler(context.Context, *client.Empty) (*client.SchedulerStatus, error) {
	return f.scheduler, nil
}

func (f *fakeJobs) List(context.Context, *client.ListRequest) (*client.ListReply, error) {
	return &client.ListReply{Job: f.jobs}, nil
}

func (f *fakeJobs) Status(_ context.Context, r *client.StatusRequest) (*client.JobStatus, error) {
	for _, j := range f.jobs {
		if j.Id == r.Id {
			return j, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find job", r.Id, nil)
}

const evil = `<script>alert("x")</script>`

// sample is a cluster whose every text is an attack.
func sample(attempts int) *fakeJobs {
	j := &client.JobStatus{Id: "job_202611210753_0001", Name: evil, User: evil, Queue: evil, Priority: evil, State: "RUNNING", SubmitMs: 1_000, StartMs: 2_000,
		Pool: evil, Profile: evil, ProfileFrom: evil, DeadlineMs: 5_000, PredictedFinishMs: 6_000, MapsBorrowed: 1, Maps: 3, MapsDone: 1, MapProgress: 0.5, Reduces: 1, Diagnostics: evil,
		Counter: []*client.Counter{{GroupDisplay: evil, Display: evil, Value: 1234567}}}
	for i := range attempts {
		state := []string{"SUCCEEDED", "RUNNING", "FAILED"}[i%3]
		a := &client.AttemptStatus{Id: fmt.Sprintf("attempt_202611210753_0001_m_%06d_0", i), Type: "MAP", State: state, Tracker: evil, Phase: evil,
			StartMs: 3_000 + int64(i)*100, FinishMs: 4_000 + int64(i)*100, Diagnostics: evil, Status: evil, Locality: evil, Slot: evil, LogUrl: "javascript:alert(1)//",
			LimitChange: []*client.LimitChange{{AtMs: 3_500, Cpu: 700, Why: evil}, {AtMs: 3_600, Memory: 300}, {AtMs: 3_700}}}
		j.Attempt = append(j.Attempt, a)
	}
	done := &client.JobStatus{Id: "job_202611210753_0002", Name: "done", State: "SUCCEEDED", SubmitMs: 1_000, FinishMs: 9_000, MapProgress: 1, ReduceProgress: 1}
	return &fakeJobs{
		cluster: &client.ClusterStatus{Cluster: evil, StartedMs: 500, Scheduler: evil, Version: evil, Tracker: []*client.TrackerStatus{
			{Name: evil, Addr: evil, Rack: evil, MapSlots: 2, MapsUsed: 1, Blacklisted: true, Why: evil}, {Name: "tt2", Drain: &client.DrainStatus{How: evil, Why: evil, Attempts: 3, Outputs: 5}}, {Name: "tt3", Drain: &client.DrainStatus{How: "delayed", DoneMs: 7}}}},
		jobs: []*client.JobStatus{j, done},
		scheduler: &client.SchedulerStatus{Name: evil, Speculation: evil, SinceMs: 1, By: evil, Problem: evil, File: []string{evil}, UntilRestart: true,
			Group: []*client.GroupStatus{{Name: evil, Jobs: 1, Weight: 1.5, Maps: &client.SlotGroup{Min: 3, Max: -1, Fair: 7, Running: 5, Borrowed: 2}, Reduces: &client.SlotGroup{Max: 4, Demand: 9}}},
			Job:   []*client.JobStatus{j}},
	}
}

func get(t *testing.T, h http.Handler, path string) (int, string, http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String(), w.Header()
}

func TestPagesEscapeEverything(t *testing.T) {
	h := JobTracker(sample(5))
	tracker := TaskTracker(func() (Tracker, error) {
		return Tracker{Name: evil, JobTracker: evil, Web: evil, Version: evil, Unhealthy: evil, Draining: true, Attempts: []TrackerAttempt{{ID: evil, State: evil, Phase: evil, Status: evil, Text: evil,
			CPUMillis: 61_000, Memory: 5 << 20, MemoryLimit: 2 << 30, CPUWeight: 250, CPUQuota: 1500}}}, nil
	})
	for _, c := range []struct {
		h    http.Handler
		path string
	}{{h, "/"}, {h, "/scheduler"}, {h, "/scheduler?advanced"}, {h, "/jobs/job_202611210753_0001"}, {h, "/attempts/attempt_202611210753_0001_m_000001_0"}, {h, "/jobs/job_202611210753_0001?type=" + "%22%3E%3Cscript%3Ealert(1)"}, {tracker, "/"}} {
		code, body, header := get(t, c.h, c.path)
		require.Equal(t, http.StatusOK, code, body)
		require.NotContains(t, body, "<script>alert", c.path)
		require.NotContains(t, body, `"><script`, c.path)
		require.NotContains(t, body, "javascript:", c.path)
		require.Contains(t, body, "&lt;script&gt;", c.path)
		require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'self'")
	}
}

func TestJobPageShowsWhatMatters(t *testing.T) {
	h := JobTracker(sample(250))
	_, body, _ := get(t, h, "/jobs/job_202611210753_0001")
	require.Contains(t, body, "1,234,567")
	require.Contains(t, body, "data-live")
	require.Contains(t, body, "page 1 of 3, 250 attempts")
	require.Equal(t, 1, strings.Count(body, `<td><a href="/attempts/attempt_202611210753_0001_m_000002_0">m_000002_0</a></td>`), "a failed attempt comes first")

	_, body, _ = get(t, h, "/attempts/attempt_202611210753_0001_m_000001_0")
	for _, want := range []string{"Share of its node", ">700m<", ">300 MiB<"} {
		require.Contains(t, body, want)
	}

	_, body, _ = get(t, h, "/jobs/job_202611210753_0001?state=failed&page=99")
	require.Contains(t, body, "attempt_202611210753_0001_m_000002_0")
	require.NotContains(t, body, ">m_000001_0</a></td>")

	_, body, _ = get(t, h, "/jobs/job_202611210753_0001?task=task_202611210753_0001_m_000007")
	require.Equal(t, 1, strings.Count(body, `<td><a href="/attempts/`))

	_, body, _ = get(t, h, "/jobs/job_202611210753_0002")
	require.NotContains(t, body, "data-live", "a finished job does not change any more")
}

func TestSchedulerPage(t *testing.T) {
	jobs := sample(1)
	h := JobTracker(jobs)
	_, body, _ := get(t, h, "/scheduler")
	require.Contains(t, body, "until the JobTracker restarts")
	require.Contains(t, body, "5 running <small>2 borrowed</small>")
	require.Contains(t, body, "1 in reduce slots")
	require.Contains(t, body, "missed")
	require.NotContains(t, body, "Weight")
	_, body, _ = get(t, h, "/scheduler?advanced")
	require.Contains(t, body, "1.50")
	jobs.scheduler = &client.SchedulerStatus{Name: "fifo"}
	_, body, _ = get(t, h, "/scheduler")
	require.NotContains(t, body, "Pools")
}

func TestOldAddresses(t *testing.T) {
	h := JobTracker(sample(1))
	for path, want := range map[string]string{
		"/jobtracker.jsp": "/",
		"/jobdetails.jsp?jobid=job_202611210753_0001&refresh=30":        "/jobs/job_202611210753_0001",
		"/jobtasks.jsp?jobid=job_202611210753_0001&type=map":            "/jobs/job_202611210753_0001?type=map#attempts",
		"/taskdetails.jsp?tipid=task_202611210753_0001_m_000000":        "/jobs/job_202611210753_0001?task=task_202611210753_0001_m_000000#attempts",
		"/taskstats.jsp?attemptid=attempt_202611210753_0001_m_000000_0": "/attempts/attempt_202611210753_0001_m_000000_0",
		"/jobqueue_details.jsp?queueName=x":                             "/scheduler",
		"/machines.jsp?type=active":                                     "/#trackers",
	} {
		code, _, header := get(t, h, path)
		require.Equal(t, http.StatusFound, code, path)
		require.Equal(t, want, header.Get("Location"), path)
	}
	for _, path := range []string{"/jobdetails.jsp?jobid=//evil.example", "/jobdetails.jsp", "/taskdetails.jsp?tipid=x"} {
		code, _, _ := get(t, h, path)
		require.Equal(t, http.StatusBadRequest, code, path)
	}
}

func TestNotFound(t *testing.T) {
	h := JobTracker(sample(1))
	for _, path := range []string{"/jobs/job_202611210753_0009", "/jobs/nonsense", "/attempts/x", "/attempts/attempt_202611210753_0001_m_000099_0", "/nothing", "/static/nothing"} {
		code, _, _ := get(t, h, path)
		require.Equal(t, http.StatusNotFound, code, path)
	}
	code, body, _ := get(t, h, "/static/style.css")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "prefers-color-scheme")
}

func TestFormats(t *testing.T) {
	require.Equal(t, "1,234,567", thousand(1234567))
	require.Equal(t, "-999", thousand(-999))
	require.Equal(t, "-1,000", thousand(-1000))
	require.Equal(t, "99%", percent(0.9999))
	require.Equal(t, "100%", percent(1))
	require.Equal(t, "0%", percent(-1))
	require.Equal(t, "1.5 s", span(1, 1501))
	require.Equal(t, "20 ms", span(1, 21))
	require.Equal(t, "2 min 05 s", span(1, 125_001))
	require.Equal(t, "–", span(0, 5))
}

func TestTrackerPageShowsWhatAttemptsUse(t *testing.T) {
	h := TaskTracker(func() (Tracker, error) {
		return Tracker{Attempts: []TrackerAttempt{{ID: "a", CPUMillis: 61_000, Memory: 5 << 20, MemoryLimit: 2 << 30, CPUWeight: 250, CPUQuota: 1500}, {ID: "b", Memory: 7 << 20}}}, nil
	})
	_, body, _ := get(t, h, "/")
	for _, want := range []string{">61 s<", ">250, at most 1.50 CPUs<", ">5 of 2,048<", ">7<"} {
		require.Contains(t, body, want)
	}
}
