package daemon

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/api"
	"github.com/howdah/howdah/internal/auth"
)

// changeLog is a log that keeps only the lines about changes.
type changeLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *changeLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, line, ok := strings.Cut(string(b), "msg=\"change "); ok {
		l.lines = append(l.lines, strings.TrimSpace(line))
	}
	return logWriter().Write(b)
}

// TestAPI checks who may read and change a job at /api/v1, which changes its pages offer, which lines
// the changes leave in the log, and which events the job causes.
func TestAPI(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapreduce.cluster.acls.enabled", "true", "test")
	audit := &changeLog{}
	c.logger = slog.New(slog.NewTextHandler(audit, nil))
	c.start()
	tracker := newFakeTracker(t, c, "t1")
	tracker.hold("m")
	tracker.run()
	h := (&api.Server{Jobs: c.Jobs(), Confs: c.History(), Live: c.Jobs(), Use: c.Trend, Events: c.Events()}).Handler()
	// send returns the status and the body of an answer to a user. "" means an administrator.
	send := func(user, method, path, body string) (int, string) {
		r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer of the test")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(auth.With(c.ctx(), auth.Principal{User: user, Admin: user == ""})))
		return w.Code, w.Body.String()
	}
	s, err := c.client().Submit(c.ctx(), c.secretJob("first"))
	require.NoError(t, err)
	job1 := "/jobs/" + s.ID.String()
	attempt1 := "/attempts/" + strings.Replace(s.ID.String(), "job", "attempt", 1) + "_m_000000_0"
	require.Eventually(t, func() bool {
		_, body := send("", "GET", attempt1, "")
		return strings.Contains(body, `"state": "RUNNING"`)
	}, time.Minute, 5*time.Millisecond)
	due := time.Now().Add(time.Hour).Truncate(time.Second)
	const low, fair = `{"priority":"LOW"}`, `{"name":"fair"}`
	for _, x := range []struct{ method, path, body string }{{"GET", job1, ""}, {"GET", job1 + "/conf", ""},
		{"GET", job1 + "/waiting", ""}, {"PATCH", job1, low}, {"DELETE", job1, ""}, {"DELETE", attempt1, ""},
		{"DELETE", attempt1 + "?fail=true", ""}, {"PATCH", "/scheduler", fair}, {"POST", "/tasktrackers/t1/drain", "{}"},
		{"DELETE", "/tasktrackers/t1/drain", ""}} {
		code, body := send("mallory", x.method, x.path, x.body)
		require.Equal(t, http.StatusForbidden, code, "%s %s: %s", x.method, x.path, body)
		require.Contains(t, body, `"kind": "PERMISSION"`)
	}
	for user, want := range map[string][2]bool{"mallory": {}, "viewer": {}, "changer": {true, false}, "": {true, true}} {
		ctx := auth.With(c.ctx(), auth.Principal{User: user, Admin: user == ""})
		require.Equal(t, want, [2]bool{c.MayChange(ctx, s.ID), c.MayAdminister(ctx)}, user)
	}
	code, _ := send("viewer", "PATCH", job1, low)
	require.Equal(t, http.StatusForbidden, code, "a user who may only see the job")
	code, _ = send("viewer", "PATCH", job1, `{"deadline":"+2h"}`)
	require.Equal(t, http.StatusForbidden, code, "a user who may only see the job")
	code, body := send("changer", "PATCH", job1, low)
	require.Equal(t, http.StatusNoContent, code, body)
	code, body = send("changer", "PATCH", job1, `{"deadline":"1"}`)
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, body, "it passed ")
	code, body = send("changer", "PATCH", job1, `{"deadline":"2101-05-01T18:00:00Z"}`)
	require.Equal(t, http.StatusBadRequest, code, body)
	code, body = send("changer", "PATCH", job1, `{"deadline":"`+due.Format(time.RFC3339)+`"}`)
	require.Equal(t, http.StatusNoContent, code, body)
	code, _ = send("changer", "GET", job1, "")
	require.Equal(t, http.StatusForbidden, code, "a user who may only change the job")
	_, body = send("viewer", "GET", job1, "")
	require.Contains(t, body, `"priority": "LOW"`)
	require.Contains(t, body, fmt.Sprintf(`"deadline_ms": %d,`, due.UnixMilli()))
	code, body = send("", "PATCH", "/scheduler", fair)
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, `"name": "fair"`)
	require.Contains(t, body, `"by": "an administrator (/api/v1)"`)
	code, _ = send("changer", "DELETE", job1+"?why=late", "")
	require.Equal(t, http.StatusNoContent, code)
	require.Eventually(t, func() bool {
		_, body = send("", "GET", job1, "")
		return strings.Contains(body, `"state": "KILLED"`)
	}, time.Minute, 5*time.Millisecond)
	require.Contains(t, body, "killed by user changer (/api/v1): late")
	code, body = send("", "PATCH", job1, `{"deadline":"none"}`)
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "the job has ended")
	code, body = send("viewer", "DELETE", job1, "")
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "the job has ended")
	code, _ = send("changer", "DELETE", job1, "")
	require.Equal(t, http.StatusNoContent, code, "a user who may not see that the job has ended")

	audit.mu.Lock()
	log := strings.Join(audit.lines, "\n")
	audit.mu.Unlock()
	for _, want := range []string{
		`rejected" change="kill attempt" on=` + attempt1[len("/attempts/"):] + ` by="user mallory" reason="killed by`,
		`rejected" change="fail attempt" on=`,
		`rejected" change="set scheduler" on=fair by="user mallory" reason="user mallory (/api/v1)" error=`,
		`rejected" change="drain delayed" on=t1 by="user mallory"`, `rejected" change="drain off" on=t1`,
		`rejected" change="set deadline +2h" on=` + s.ID.String() + ` by="user viewer" error=`,
		`made" change="set deadline ` + due.Format(time.RFC3339) + `" on=` + s.ID.String() + ` by="user changer"`,
		`rejected" change="set priority LOW" on=` + s.ID.String() + ` by="user viewer" error=`,
		`made" change="set priority LOW" on=` + s.ID.String() + ` by="user changer"`,
		`made" change="set scheduler" on=fair by="an administrator" reason="an administrator (/api/v1)"`,
		`made" change="kill job" on=` + s.ID.String() + ` by="user changer" reason="killed by user changer (/api/v1): late"`,
	} {
		require.Contains(t, log, want)
	}

	events, lost, _ := c.Events().After(0)
	require.False(t, lost)
	var jobs, attempts []string
	for _, e := range events {
		require.Equal(t, s.ID, e.Job)
		if e.Attempt == nil {
			jobs = append(jobs, e.State)
		} else if e.Attempt.Type.String() == "MAP" {
			attempts = append(attempts, e.State)
		}
	}
	require.Equal(t, []string{"PREP", "RUNNING", "KILLED"}, jobs)
	require.Equal(t, []string{"KILLED"}, attempts)
}
