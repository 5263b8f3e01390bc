package webui

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// fakeLogs has the text of each log by its name. The log "syslog" is hidden.
type fakeLogs map[string]string

func (f fakeLogs) OpenLog(_ *http.Request, a *status.Attempt, name string, start, end int64) (io.ReadCloser, int64,
	error) {
	if name == "syslog" {
		return nil, 0, failure.New(failure.Permission, "read logs of", a.ID.String(), nil)
	}
	text := f[name]
	size := int64(len(text))
	if start < 0 {
		start = max(size+start, 0)
	}
	if end < 0 {
		end += size
	}
	start = min(start, size)
	return io.NopCloser(strings.NewReader(text[start:max(min(end+1, size), start)])), start, nil
}

// asked is a source that keeps the last query.
type asked struct {
	*fakeJobs
	last status.Query
}

func (a *asked) Status(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	a.last = q
	return a.fakeJobs.Status(ctx, id, q)
}

// TestFollowedLog checks that a request that follows a log does not fetch all attempts of the job.
func TestFollowedLog(t *testing.T) {
	jobs := &asked{fakeJobs: sample(4)}
	h := JobTracker(jobs, Parts{Logs: fakeLogs{"stderr": "text"}})
	const attempt = "attempt_202611210753_0001_m_000001_0"
	for _, path := range []string{"/jobs/job_202611210753_0001/log?start=1&attempt=" + attempt, "/attempts/" + attempt} {
		code, _, _ := get(t, h, path)
		require.Equal(t, http.StatusOK, code)
		require.NotNil(t, jobs.last.Only, path)
		require.Equal(t, attempt, jobs.last.Only.String())
	}
	_, body, _ := get(t, h, "/jobs/job_202611210753_0001/logs")
	require.Contains(t, body, "log?attempt=attempt_", "the script names the attempt")
}

// TestLogs checks what the page of a job's logs shows, and what it sends to the script and to files.
func TestLogs(t *testing.T) {
	var long strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&long, "line %d of the log\n", i)
	}
	h := JobTracker(sample(4), Parts{Logs: fakeLogs{"stderr": long.String(), "stdout": evil + "\xff\n"}})
	const page = "/jobs/job_202611210753_0001"
	_, body, _ := get(t, h, page)
	require.Contains(t, body, ">Logs</a>")
	_, body, _ = get(t, JobTracker(sample(1), Parts{}), page)
	require.NotContains(t, body, ">Logs</a>")

	// The page shows the end of the first failed attempt's log, and leads to all of it.
	code, body, _ := get(t, h, page+"/logs")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `<option value="attempt_202611210753_0001_m_000002_0" selected>`)
	require.Contains(t, body, "line 39999 of the log\n</pre>")
	require.NotContains(t, body, "line 1 of")
	require.Less(t, len(body), 80<<10)
	require.NotContains(t, body, "data-live", "the page does not replace what the reader has scrolled to")
	size := long.Len()
	require.Contains(t, body, fmt.Sprintf(`data-next="%d"`, size))
	require.Contains(t, body, fmt.Sprintf("start=%d", size-2*logShown))
	_, body, _ = get(t, h, page+fmt.Sprintf("/logs?start=%d", size-2*logShown))
	require.NotContains(t, body, "line 39999 of")
	require.Contains(t, body, fmt.Sprintf(`data-next="%d"`, size-logShown))
	_, body, _ = get(t, h, page+"/logs?start=0")
	require.Contains(t, body, ">line 0 of the log\n")
	require.Contains(t, body, "from the beginning")

	_, body, _ = get(t, h, page+"/logs?q=LINE+7770+")
	require.Contains(t, body, ">line 7770 of the log\n</pre>")
	require.Contains(t, body, "1 line found")
	require.NotContains(t, body, "data-next", "lines that were found do not follow the log")
	_, body, _ = get(t, h, page+"/logs?q=line")
	require.Contains(t, body, "40000 lines found")
	require.Contains(t, body, "line 39999 of the log\n</pre>")
	require.Less(t, len(body), 80<<10)
	_, body, _ = get(t, h, page+"/logs?q=nothing")
	require.Contains(t, body, "No line matches.")

	_, body, _ = get(t, h, page+"/logs?log=stdout")
	require.Contains(t, body, "&lt;script&gt;")
	require.NotContains(t, body, evil)
	require.Contains(t, body, "\uFFFD")
	require.Contains(t, body, fmt.Sprintf(`data-next="%d"`, len(evil)+2), "it counts bytes")
	_, body, _ = get(t, h, page+"/logs?log=debugout")
	require.Contains(t, body, "The log is empty.")
	_, body, _ = get(t, h, page+"/logs?log=syslog")
	require.Contains(t, body, ": permission</p>")

	code, body, header := get(t, h, page+"/log?start=5")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, long.String()[5:], body)
	require.Equal(t, "text/plain; charset=utf-8", header.Get("Content-Type"))
	_, body, header = get(t, h, page+"/log?download=1&log=stdout&attempt=attempt_202611210753_0001_m_000001_0")
	require.Equal(t, evil+"\xff\n", body)
	require.Equal(t, "attachment; filename=attempt_202611210753_0001_m_000001_0.stdout", header.Get("Content-Disposition"))

	for path, want := range map[string]int{"/logs?log=passwd": 404, "/logs?attempt=x": 404, "/log?start=-1": 400,
		"/log": 400, "/log?start=0&log=syslog": 403, "/log?start=0&attempt=attempt_202611210753_0001_m_000009_0": 404} {
		code, _, _ = get(t, h, page+path)
		require.Equal(t, want, code, path)
	}
	code, _, _ = get(t, h, "/jobs/job_202611210753_0009/log?start=0")
	require.Equal(t, http.StatusNotFound, code)
	_, body, _ = get(t, h, "/jobs/job_202611210753_0002/logs")
	require.Contains(t, body, "No attempt has started.")
}
