package webui

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// logsOf are Logs that keep which attempts a page asks for. Attempts without a LogURL have no logs.
type logsOf struct {
	fakeLogs
	asked []string
}

func (l *logsOf) OpenLog(r *http.Request, a *status.Attempt, name string, start, end int64) (io.ReadCloser, int64,
	error) {
	l.asked = append(l.asked, short(a.ID.String())+" "+name)
	if _, ok := r.Context().Deadline(); !ok {
		panic("a page must not wait for a TaskTracker without end")
	}
	if a.LogURL == "" {
		name = "syslog" // is hidden
	}
	return l.fakeLogs.OpenLog(r, a, name, start, end)
}

// TestFailuresShowStandardError checks that a job's page shows the last lines of the standard error of
// one attempt per group, or why it does not.
func TestFailuresShowStandardError(t *testing.T) {
	jobs := sample(0)
	for i, why := range []string{"disk full at 7", "disk full at 8", "no such key"} {
		jobs.jobs[0].Attempts = append(jobs.jobs[0].Attempts, &status.Attempt{
			ID:    job.Attempt{Task: job.Task{Job: 1, Index: int32(i)}}.ID("202611210753"),
			State: job.AttemptFailed, Diagnostics: why, LogURL: []string{"http://tt1/", "http://tt2/", ""}[i]})
	}
	logs := &logsOf{fakeLogs: fakeLogs{"stderr": "1\n2\n3\n4\n" + evil + "\xff\n6\n\n"}}
	page := func(p Parts) string {
		code, body, _ := get(t, JobTracker(jobs, p), "/jobs/job_202611210753_0001")
		require.Equal(t, http.StatusOK, code)
		return body
	}
	body := page(Parts{Logs: logs})
	require.Equal(t, []string{"m_000000_0 stderr", "m_000002_0 stderr"}, logs.asked, "one attempt of each group")
	require.Contains(t, body, ">2\n3\n4\n&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;\uFFFD\n6</pre>")
	require.Contains(t, body, "Standard error is unavailable: "+
		"read logs of attempt_202611210753_0001_m_000002_0: permission<")
	require.Equal(t, 1, strings.Count(body, "<pre"))

	logs.fakeLogs["stderr"] = strings.Repeat("a", 2*tailBytes) + "\nthe end"
	require.Contains(t, page(Parts{Logs: logs}), ">the end</pre>", "no part of a line if there is a whole one")
	logs.fakeLogs["stderr"] = strings.Repeat("a", 2*tailBytes)
	require.Contains(t, page(Parts{Logs: logs}), ">"+strings.Repeat("a", tailBytes)+"</pre>")
	logs.fakeLogs["stderr"] = "\n"
	require.Contains(t, page(Parts{Logs: logs}), "Standard error is empty.")
	require.NotContains(t, page(Parts{}), "tandard error", "a history server has no logs")
}
