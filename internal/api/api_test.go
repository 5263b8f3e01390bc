package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/feed"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
	"github.com/howdah/howdah/mrcluster"
	mrstatus "github.com/howdah/howdah/mrcluster/status"
)

// fake is a JobTracker with prepared answers. It logs changes. Only job 1 is visible to users.
type fake struct{ log []string }

var (
	jobOne, jobTwo = job.ID{Cluster: "2026", Seq: 1}, job.ID{Cluster: "2026", Seq: 2}
	attemptOne     = job.AttemptID{TaskID: job.TaskID{Job: jobOne}}
	attemptTwo     = job.AttemptID{TaskID: job.TaskID{Job: jobOne, Type: job.Reduce}}
)

func (f *fake) did(format string, args ...any) error {
	f.log = append(f.log, fmt.Sprintf(format, args...))
	return nil
}

func (f *fake) jobs() []*status.Job {
	c := &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: 3}}}
	return []*status.Job{{ID: jobOne, Name: "one", User: "ann", Queue: "q", State: job.Running, Priority: job.High,
		SubmitMs: 1, StartMs: 2, DeadlineMs: 50, PredictedFinishMs: 60, Maps: status.Tasks{Total: 2, Progress: 0.5},
		Reduces: status.Tasks{Total: 1}, Diagnostics: "waits: for slots", Pool: "p", Profile: "x", ProfileFrom: "job_1_1",
		Counters: c, ByType: [2]*job.Counters{c, c}, Attempts: []*status.Attempt{
			{ID: attemptOne, State: job.AttemptFailed, Tracker: "t1", Slot: job.Reduce, StartMs: 3, FinishMs: 4,
				Diagnostics: "broken", Limits: []status.LimitChange{{AtMs: 3, CPU: 500, Memory: 10, Why: "cpu"}}},
			{ID: attemptTwo, State: job.AttemptRunning, Slot: job.Reduce}}},
		{ID: jobTwo, Name: "two", User: "bob", Queue: "r", State: job.Succeeded, SubmitMs: 1, FinishMs: 9}}
}

func (f *fake) Cluster(context.Context) (*status.Cluster, error) {
	return &status.Cluster{ID: "2026", Version: "v", StartedMs: 1, Scheduler: "fifo", Problem: "p", Closed: "c",
		Disk: "full", Trackers: []*status.Tracker{{Name: "t1", Host: "h", Rack: "/r",
			Addr: "h:1", LastBeatMs: 5, Blacklisted: true,
			Why: "sick", Memory: status.Slots{Total: 9}, VCores: status.Slots{Total: 2}, Maps: status.Slots{Total: 2},
			Drain: &status.Drain{How: "rerun", Why: "w", SinceMs: 1, DoneMs: 2}}}}, nil
}

func (f *fake) List(context.Context, status.Filter) ([]*status.Job, error) { return f.jobs(), nil }

func (f *fake) Status(ctx context.Context, id job.ID, _ status.Query) (*status.Job, error) {
	for _, j := range f.jobs() {
		if j.ID == id {
			if p := auth.From(ctx); p.User != "" && id != jobOne {
				return nil, failure.New(failure.Permission, "show job", id.String(), nil)
			}
			return j, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find job", id.String(), nil)
}

func (f *fake) Conf(context.Context, job.ID) (string, []hadoop.Property, error) {
	return "/job.xml", []hadoop.Property{{Name: "b", Value: "2"}, {Name: "a", Value: "1", Source: []string{"x", "y"}}}, nil
}

func (f *fake) Scheduler(context.Context, string) (*status.Scheduler, error) {
	return &status.Scheduler{Name: "fifo", Jobs: f.jobs(), Speculation: "late", SinceMs: 1, By: "ann",
		Problem: "p", Files: []string{"f"},
		Groups: []*status.Group{{Name: "p", Maps: status.Shares{Max: 5}, Reduces: status.Shares{Max: -1}},
			{Name: "m", Memory: true}}}, nil
}

func (f *fake) Queues(context.Context, string) ([]status.Queue, error) {
	return []status.Queue{{Name: "q", State: status.QueueRunning, Info: "i", Running: 1}}, nil
}

func (f *fake) Kill(_ context.Context, id job.ID, by transport.By) error {
	return f.did("kill %s %s", id, by.Why)
}

func (f *fake) SetPriority(_ context.Context, id job.ID, p job.Priority, _ string) error {
	return f.did("priority %s %s", id, p)
}

func (f *fake) SetDeadline(_ context.Context, id job.ID, deadline, _ string) error {
	return f.did("deadline %s %s", id, deadline)
}

func (f *fake) Move(_ context.Context, id job.ID, queue, _ string) error {
	return f.did("move %s %s", id, queue)
}

func (f *fake) KillAttempt(_ context.Context, id job.AttemptID, fail bool, by transport.By) error {
	return f.did("attempt %s %t %s", id, fail, by.Why)
}

func (f *fake) SetScheduler(_ context.Context, name string, set []job.Property, by transport.By) (string, error) {
	if name == "nothing" {
		return "", failure.New(failure.Config, "set scheduler", name, errors.New("it is unknown")).Fix("use fifo")
	}
	return "", f.did("scheduler %s %v %s", name, set, by.Why)
}

func (f *fake) DrainTracker(_ context.Context, name string, how status.DrainMode, by transport.By) (*status.Tracker,
	error) {
	return &status.Tracker{Name: name}, f.did("drain %s %s %s", name, how, by.Why)
}

type fakePool struct{ *fake }

func (p fakePool) Grow(_ context.Context, name string, nodes int) error {
	return p.did("grow %s %d", name, nodes)
}

func (fakePool) Status(_ context.Context, name string) (*mrstatus.Pool, error) {
	return &mrstatus.Pool{Name: "pool" + name, Weights: "equal", Queue: []string{"w"},
		Clusters: []*mrstatus.Cluster{{ClusterView: mrcluster.ClusterView{Spec: mrcluster.Spec{Name: "logs", User: "ann",
			Grow: mrcluster.TransientCore}, Since: 1, Master: "n1", LastError: "e"},
			Endpoints: mrstatus.Endpoints{JobTracker: "a", JobTrackerWeb: "b", NameNode: "c", NameNodeWeb: "d"}}},
		Nodes: []*mrcluster.NodeView{{Name: "n1", Addr: "a", Since: 1, Cluster: "logs", Kind: mrcluster.Core, Problem: "p",
			FailedAt: 2, Doing: "d"}},
		Events: []*mrstatus.Event{{TimeMs: 1, Fact: mrcluster.Reconfigured, Cluster: "logs" + name, Node: "n1",
			Kind: mrcluster.Core, Reason: "r", Shares: []mrstatus.Share{{Cluster: "logs", Nodes: 2}}}}}, nil
}

func record() trend.Record {
	v := []trend.Value{{Used: 1, Borrowed: 1, Limit: 2}}
	return trend.Record{Times: []int64{1}, Series: []trend.Series{{Name: "logs", Values: v}, {Name: "secret", Values: v}}}
}

func newServer() (*Server, *fake) {
	f := &fake{}
	return &Server{Jobs: f, Confs: f, Live: f, Use: record, Events: feed.New(4), Epoch: 7}, f
}

var anAdmin, aUser = auth.Principal{Admin: true}, auth.Principal{User: "ann"}

func send(h http.Handler, p auth.Principal, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, base+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(auth.With(r.Context(), p)))
	return w
}

// TestAnswers sends a request to each route and with each parameter, and holds the answers against
// the document. Each parameter has an effect.
func TestAnswers(t *testing.T) {
	s, f := newServer()
	jobTracker, manager := handler(s.routes()), Manager(fakePool{f}, record)
	check := newChecker(t)
	place := strings.NewReplacer("{job}", jobOne.String(), "{attempt}", attemptOne.String(), "{tracker}", "t1",
		"{cluster}", "logs")
	values := map[string]string{"q": "two", "user": "bob", "queue": "r", "state": "RUNNING", "since": "1h", "sort": "name",
		"page": "2", "size": "1", "type": "MAP", "why": "because", "fail": "true", "cluster": "logs"}
	bodies := map[string]string{"PATCH " + base + "/jobs/{job}": `{"priority":"LOW"}`,
		"PATCH " + base + "/mrclusters/{cluster}":        `{"operator_size":6}`,
		"PATCH " + base + "/scheduler":                   `{"name":"fair","settings":{"b":"2","a":"1"}}`,
		"POST " + base + "/tasktrackers/{tracker}/drain": `{"how":"rerun","why":"repair"}`}
	for path, methods := range check.paths {
		for method, operation := range methods {
			method = strings.ToUpper(method)
			h := jobTracker
			if fmt.Sprint(operation["tags"]) == "[manager]" {
				h = manager
			}
			answer := func(query string) string {
				f.log = nil
				w := send(h, anAdmin, method, strings.TrimPrefix(place.Replace(path), base)+query, bodies[method+" "+path],
					"Authorization", "Bearer x")
				body := w.Body.String()
				if done, ok := operation["responses"].(object)["204"]; ok {
					require.Equal(t, http.StatusNoContent, w.Code, "%s %s: %s %s", method, path, body, done)
				} else {
					require.Equal(t, http.StatusOK, w.Code, "%s %s: %s", method, path, body)
					var v any
					require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
					content := operation["responses"].(object)["200"].(object)["content"].(object)
					check.value(content["application/json"].(object)["schema"].(object), v, path)
				}
				return body + strings.Join(f.log, "\n")
			}
			if path == base+"/events" || path == base+"/openapi.json" {
				continue
			}
			plain := answer("")
			params, _ := operation["parameters"].([]any)
			for _, p := range params {
				if name := p.(object)["name"].(string); p.(object)["in"] == "query" {
					other := answer("?" + name + "=" + url.QueryEscape(values[name]))
					require.NotEqual(t, plain, other, "%s has no effect at %s", name, path)
				}
			}
			at := strings.TrimPrefix(place.Replace(path), base)
			w := send(h, anAdmin, method, at+"?nothing=1", "", "Authorization", "Bearer x")
			require.Equal(t, http.StatusBadRequest, w.Code, path)
			if fmt.Sprint(operation["tags"]) == "[JobTracker]" {
				w = send((&Server{Jobs: f, Confs: f}).Handler(), anAdmin, method, at, "", "Authorization", "Bearer x")
				require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, w.Code, path)
			}
		}
	}
	w := send(jobTracker, anAdmin, "GET", "/openapi.json", "")
	require.JSONEq(t, string(document), w.Body.String())
	w = send(jobTracker, anAdmin, "PATCH", "/scheduler", `{"name":"nothing"}`, "Authorization", "Bearer x")
	var v any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
	check.value(object{"$ref": "#/components/schemas/Problem"}, v, "error")
	require.Equal(t, object{"kind": "CONFIGURATION", "op": "set scheduler", "on": "nothing", "why": "it is unknown",
		"fix": "use fifo"}, v.(object)["error"])
	require.Equal(t, http.StatusBadRequest, w.Code)
	// Answers lack the fields of requests, and another test reads events.
	check.complete("JobChange.priority", "JobChange.deadline", "JobChange.queue", "SchedulerChange.name",
		"SchedulerChange.settings", "DrainRequest.how", "DrainRequest.why", "JobEvent.time_ms", "JobEvent.job",
		"JobEvent.attempt", "JobEvent.state", "SizeChange.operator_size")
}

// TestChanges checks what the JobTracker receives.
func TestChanges(t *testing.T) {
	s, f := newServer()
	h := handler(s.routes())
	id, attempt := jobOne.String(), attemptOne.String()
	const token = "Authorization"
	for _, c := range []struct {
		method, path, body, want string
		code                     int
	}{
		{"DELETE", "/jobs/" + id, "", "kill " + id + " killed by user ann (/api/v1)", 204},
		{"DELETE", "/jobs/" + id + "?why=late", "", "kill " + id + " killed by user ann (/api/v1): late", 204},
		{"PATCH", "/jobs/" + id, `{"priority":"LOW"}`, "priority " + id + " LOW", 204},
		{"PATCH", "/jobs/" + id, `{"priority":"low"}`, "", 400},
		{"PATCH", "/jobs/" + id, `{"deadline":"+2h"}`, "deadline " + id + " +2h", 204},
		{"PATCH", "/jobs/" + id, `{"deadline":"+2h","priority":"LOW"}`, "", 400},
		{"PATCH", "/jobs/" + id, `{"deadline":5}`, "", 400},
		{"PATCH", "/jobs/" + id, `{}`, "", 400},
		{"PATCH", "/jobs/" + id, `{"priority":"LOW"}{"priority":"HIGH"}`, "", 400},
		{"PATCH", "/jobs/" + id, `{"priority":"LOW"}}`, "", 400},
		{"PATCH", "/jobs/" + id, `{"priority":"LOW","name":"x"}`, "", 400},
		{"PATCH", "/jobs/" + id, `{"queue":"prod"}`, "move " + id + " prod", 204},
		{"PATCH", "/jobs/" + id, `{"queue":"prod","deadline":"+2h"}`, "", 400},
		{"DELETE", "/attempts/" + attempt, "", "attempt " + attempt + " false killed by user ann (/api/v1)", 204},
		{"DELETE", "/attempts/" + attempt + "?fail=true", "", "attempt " + attempt +
			" true failed by user ann (/api/v1)", 204},
		{"DELETE", "/attempts/" + attempt + "?fail=maybe", "", "", 400},
		{"DELETE", "/attempts/x", "", "", 404},
		{"PATCH", "/scheduler", `{"name":"fair","settings":{"b":"2","a":"1"}}`, "scheduler fair [{a 1} {b 2}] " +
			"user ann (/api/v1)", 200},
		{"POST", "/tasktrackers/t1/drain", `{}`, "drain t1 delayed by user ann (/api/v1)", 200},
		{"POST", "/tasktrackers/t1/drain", `{"how":"off"}`, "", 400},
		{"DELETE", "/tasktrackers/t1/drain", "", "drain t1 off by user ann (/api/v1)", 200},
		{"PUT", "/scheduler", "", "", 405},
		{"GET", "/jobs?sort=nothing", "", "", 400},
		{"GET", "/jobs?since=yesterday", "", "", 400},
		{"GET", "/jobs?state=RUNING", "", "", 400},
		{"GET", "/jobs?state=running", "", "", 200},
		{"GET", "/jobs/" + id + "/attempts?state=DONE", "", "", 400},
		{"GET", "/jobs/" + id + "/attempts?type=MAPS", "", "", 400},
		{"GET", "/jobs/" + id + "/attempts?type=map&state=running", "", "", 200},
		{"GET", "/jobs?user=a&user=b", "", "", 400},
		{"GET", "/jobs?size=1001", "", "", 400},
		{"GET", "/jobs/" + jobTwo.String(), "", "", 403},
		{"GET", "/nothing", "", "", 404},
	} {
		f.log = nil
		w := send(h, aUser, c.method, c.path, c.body, token, "Bearer x")
		require.Equal(t, c.code, w.Code, "%s %s: %s", c.method, c.path, w.Body)
		require.Equal(t, c.want, strings.Join(f.log, "\n"), c.path)
		if c.code >= 400 {
			require.Regexp(t, `(?s)^\{\s+"error": \{\s+"kind": "[A-Z_]+"`, w.Body.String())
		}
	}
	// Without a token, only a page of the daemon itself can make a change.
	f.log = nil
	for _, header := range [][]string{nil, {token, "Basic x"}, {"Origin", "http://example.com"}} {
		w := send(h, anAdmin, "DELETE", "/jobs/"+id, "", header...)
		require.Equal(t, http.StatusForbidden, w.Code)
		require.Empty(t, f.log)
	}
	require.Equal(t, 204, send(h, anAdmin, "DELETE", "/jobs/"+id, "", webguard.ChangeHeader, "1").Code)
	require.Len(t, f.log, 1)
	// A job that has ended cannot be killed. For a job that the caller may not see, the JobTracker decides.
	w := send(h, anAdmin, "DELETE", "/jobs/"+jobTwo.String(), "", token, "Bearer x")
	require.Equal(t, http.StatusConflict, w.Code)
	require.Contains(t, w.Body.String(), `"why": "the job has ended"`)
	require.Len(t, f.log, 1)
	require.Equal(t, 204, send(h, aUser, "DELETE", "/jobs/"+jobTwo.String(), "", token, "Bearer x").Code)
	require.Len(t, f.log, 2)
}

// TestEvents follows events over a connection.
func TestEvents(t *testing.T) {
	s, _ := newServer()
	check := newChecker(t)
	h := handler(s.routes())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := anAdmin
		if r.Header.Get("As") != "" {
			p = aUser
		}
		h.ServeHTTP(w, r.WithContext(auth.With(r.Context(), p)))
	}))
	defer server.Close()
	open := func(ctx context.Context, query string, header ...string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, "GET", server.URL+base+"/events"+query, nil)
		require.NoError(t, err)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		return a
	}
	// read returns the first n events of a stream.
	read := func(n int, query string, header ...string) (got []string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := open(ctx, query, header...)
		defer a.Body.Close()
		require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
		lines := bufio.NewScanner(a.Body)
		for event := ""; len(got) < n && lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "{}" {
				var v any
				require.NoError(t, json.Unmarshal([]byte(data), &v))
				check.value(object{"$ref": "#/components/schemas/JobEvent"}, v, "event")
			}
			if lines.Text() == "" && event != "retry: 1000 " {
				got = append(got, strings.TrimSpace(event))
			}
			if event += lines.Text() + " "; lines.Text() == "" {
				event = ""
			}
		}
		if len(got) < n {
			require.NoError(t, lines.Err())
		}
		return got
	}
	add := func(id job.ID, attempt *job.AttemptID, state string) {
		s.Events.Add(feed.Event{TimeMs: 5, Job: id, Attempt: attempt, State: state})
	}
	hidden := attemptOne
	hidden.Job = jobTwo
	add(jobOne, nil, "RUNNING")
	add(jobTwo, &hidden, "FAILED")
	add(jobTwo, nil, "FAILED")
	add(jobOne, &attemptOne, "SUCCEEDED")
	one := `id: 7-1 event: job data: {"time_ms":5,"job":"job_2026_0001","state":"RUNNING"}`
	two := `id: 7-2 event: attempt data: {"time_ms":5,"job":"job_2026_0002","attempt":"` + hidden.String() +
		`","state":"FAILED"}`
	three := `id: 7-3 event: job data: {"time_ms":5,"job":"job_2026_0002","state":"FAILED"}`
	four := `id: 7-4 event: attempt data: {"time_ms":5,"job":"job_2026_0001","attempt":"` + attemptOne.String() +
		`","state":"SUCCEEDED"}`
	const gap = "event: gap data: {}"
	require.Equal(t, []string{one, two, three, four}, read(4, "", "Last-Event-ID", "7-0"))
	require.Equal(t, []string{three, four}, read(2, "", "Last-Event-ID", "7-2"))
	require.Equal(t, []string{one, three, four}, read(3, "", "Last-Event-ID", "7-0", "As", "ann"), "not a hidden attempt")
	require.Equal(t, []string{one, four}, read(2, "?job="+jobOne.String(), "Last-Event-ID", "7-0"))
	require.Equal(t, []string{gap}, read(1, "", "Last-Event-ID", "6-2"), "before a restart")
	add(jobOne, nil, "SUCCEEDED")
	require.Equal(t, []string{gap, two}, read(2, "", "Last-Event-ID", "7-0"))
	require.Equal(t, http.StatusBadRequest, open(t.Context(), "?job=x").StatusCode)

	// One user's streams leave room for others.
	var leave func()
	for i := range callerStreams {
		var err error
		leave, err = s.streams.enter(aUser)
		require.NoError(t, err, i)
	}
	require.Equal(t, http.StatusTooManyRequests, open(t.Context(), "", "As", "ann").StatusCode)
	require.Len(t, read(1, "", "Last-Event-ID", "7-2"), 1)
	leave()
	require.Len(t, read(1, "", "Last-Event-ID", "7-2", "As", "ann"), 1)
}

// TestOrderOfJobs checks that the scheduler's jobs are in the order of service, if it has one.
func TestOrderOfJobs(t *testing.T) {
	s := &status.Scheduler{Name: "fifo", Jobs: []*status.Job{{ID: jobOne}, {ID: jobTwo, Priority: job.High}}}
	require.Equal(t, []string{jobTwo.String(), jobOne.String()}, ofScheduler(s).Order)
	s.Name = "fair"
	require.Empty(t, ofScheduler(s).Order)
}

// TestSizes checks what the manager receives when a caller changes the size of an MR-cluster.
func TestSizes(t *testing.T) {
	f := &fake{}
	h := Manager(fakePool{f}, record)
	for body, want := range map[string]string{`{"operator_size":6}`: "grow logs 6", `{"operator_size":0}`: "grow logs 0",
		`{}`: "", `{"operator_size":"6"}`: "", `{"operator_size":1.5}`: "", `{"size":6}`: "", ``: ""} {
		f.log = nil
		w := send(h, anAdmin, "PATCH", "/mrclusters/logs", body, "Authorization", "Bearer x")
		if want == "" {
			require.Equal(t, http.StatusBadRequest, w.Code, body)
			require.Empty(t, f.log, body)
			continue
		}
		require.Equal(t, http.StatusNoContent, w.Code, body)
		require.Equal(t, []string{want}, f.log)
	}
	f.log = nil
	w := send(h, anAdmin, "PATCH", "/mrclusters/logs", `{"operator_size":6}`)
	require.Equal(t, http.StatusForbidden, w.Code, "another site may have sent the request")
	require.Empty(t, f.log)
}
