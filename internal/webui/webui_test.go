package webui

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
	mrstatus "github.com/howdah/howdah/mrcluster/status"
)

// fakeJobs returns prepared replies.
type fakeJobs struct {
	cluster   *status.Cluster
	scheduler *status.Scheduler
	jobs      []*status.Job
}

func (f *fakeJobs) Cluster(context.Context) (*status.Cluster, error) { return f.cluster, nil }

func (f *fakeJobs) Scheduler(context.Context, string) (*status.Scheduler, error) {
	return f.scheduler, nil
}

func (f *fakeJobs) List(context.Context, status.Filter) ([]*status.Job, error) { return f.jobs, nil }

func (f *fakeJobs) Status(_ context.Context, id job.ID, _ status.Query) (*status.Job, error) {
	for _, j := range f.jobs {
		if j.ID == id {
			return j, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find job", id.String(), nil)
}

const evil = `<script>alert("x")</script>`

// sample returns a cluster in which most texts are script injections.
func sample(attempts int) *fakeJobs {
	id := job.ID{Cluster: "202611210753", Seq: 1}
	j := &status.Job{ID: id, Name: evil, User: evil, Queue: evil, State: job.Running, SubmitMs: 1_000, StartMs: 2_000,
		Pool: evil, Profile: evil, ProfileFrom: evil, DeadlineMs: 5_000, PredictedFinishMs: 6_000, Diagnostics: evil,
		JobFile: "file:/staging/" + evil,
		Maps:    status.Tasks{Total: 3, Done: 1, Borrowed: 1, Progress: 0.5}, Reduces: status.Tasks{Total: 1},
		Counters: &job.Counters{User: []job.UserCounter{{Group: evil, Name: evil, Value: 1234567}}}}
	for i := range attempts {
		state := []job.AttemptState{job.AttemptSucceeded, job.AttemptRunning, job.AttemptFailed}[i%3]
		start := 3_000 + int64(i)*100
		j.Attempts = append(j.Attempts, &status.Attempt{ID: job.Attempt{Task: job.Task{Job: 1,
			Index: int32(i)}}.ID(id.Cluster),
			State: state, Slot: job.Reduce, Tracker: evil, StartMs: start, FinishMs: start + 1_000, Diagnostics: evil,
			Status: evil, LogURL: "javascript:alert(1)//",
			Limits: []status.LimitChange{{AtMs: 3_500, CPU: 700, Why: evil}, {AtMs: 3_600, Memory: 300}, {AtMs: 3_700}}})
	}
	done := &status.Job{ID: job.ID{Cluster: id.Cluster, Seq: 2}, Name: "done", State: job.Succeeded, SubmitMs: 1_000,
		FinishMs: 9_000, Maps: status.Tasks{Progress: 1}, Reduces: status.Tasks{Progress: 1}}
	return &fakeJobs{
		cluster: &status.Cluster{ID: evil, StartedMs: 500, Epoch: 1, Scheduler: evil, Version: evil,
			Trackers: []*status.Tracker{
				{Name: evil, Addr: evil, Rack: evil, Maps: status.Slots{Total: 2, Used: 1}, Blacklisted: true, Why: evil},
				{Name: "tt2", Drain: &status.Drain{How: evil, Why: evil, Attempts: 3, Outputs: 5}},
				{Name: "tt3", Drain: &status.Drain{How: "delayed", DoneMs: 7}}}},
		jobs: []*status.Job{j, done},
		scheduler: &status.Scheduler{Name: evil, Speculation: evil, SinceMs: 1, By: evil, Problem: evil,
			Files:        []string{evil},
			UntilRestart: true, Jobs: []*status.Job{j},
			Groups: []*status.Group{{Name: evil, Jobs: 1, Weight: 1.5, Reduces: status.Shares{Max: 4, Demand: 9},
				Maps: status.Shares{Min: 3, Max: -1, Fair: 7, Running: 5, Borrowed: 2}}}},
	}
}

func get(t *testing.T, h http.Handler, path string) (int, string, http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String(), w.Header()
}

func TestPagesEscapeEverything(t *testing.T) {
	h := JobTracker(sample(5), Parts{})
	tracker := TaskTracker(func() (Tracker, error) {
		return Tracker{Name: evil, JobTracker: evil, Web: evil, Version: evil, Unhealthy: evil, Draining: true,
			Attempts: []TrackerAttempt{{ID: evil, State: evil, Phase: evil, Status: evil, Text: evil,
				CPUMillis: 61_000, Memory: 5 << 20, MemoryLimit: 2 << 30, CPUWeight: 250, CPUQuota: 1500}}}, nil
	})
	for _, c := range []struct {
		h    http.Handler
		path string
	}{{h, "/"}, {h, "/scheduler"}, {h, "/scheduler?advanced"}, {h, "/jobs/job_202611210753_0001"},
		{h, "/attempts/attempt_202611210753_0001_m_000001_0"},
		{h, "/jobs"}, {h, "/jobs?q=" + url.QueryEscape(evil)}, {h, "/jobs/job_202611210753_0001/counters"},
		{h, "/jobs/job_202611210753_0001/attempts?type=" + "%22%3E%3Cscript%3Ealert(1)"}, {tracker, "/"}} {
		code, body, _ := get(t, c.h, c.path)
		require.Equal(t, http.StatusOK, code, body)
		require.NotContains(t, body, "<script>alert", c.path)
		require.NotContains(t, body, `"><script`, c.path)
		require.NotContains(t, body, "javascript:", c.path)
		require.Contains(t, body, "&lt;script&gt;", c.path)
	}
}

var (
	keyedRow = regexp.MustCompile(`(?s)<tr[^>]* data-key="([^"]*)">(.*?)</tr>`)
	firstID  = regexp.MustCompile(`href="/(?:jobs|attempts)/([^"]*)"`)
	labeled  = regexp.MustCompile(`aria-label="([0-9]+%)"><span style="width:([0-9]+%)">`)
)

// TestReusedRowsAgreeWithTheirLabels checks what the script relies on when it reuses rows of a page: a
// row's key is unique in its table and names what the row shows. It also checks that a bar's label is its length.
func TestReusedRowsAgreeWithTheirLabels(t *testing.T) {
	jobs := sample(30)
	for i, a := range jobs.jobs[0].Attempts {
		a.Progress = float32(i) / 30
		if a.State == job.AttemptSucceeded && i == 27 {
			a.FinishMs = a.StartMs + 60_000 // is slow
		}
	}
	h := JobTracker(jobs, Parts{})
	for path, least := range map[string]int{"/": 2, "/scheduler": 1, "/jobs/job_202611210753_0001": 1,
		"/jobs/job_202611210753_0001/attempts": 30} {
		_, body, _ := get(t, h, path)
		named := 0
		for _, table := range strings.Split(body, "</table>") {
			seen := map[string]bool{}
			for _, row := range keyedRow.FindAllStringSubmatch(table, -1) {
				require.False(t, seen[row[1]], "%s: two rows with the key %s", path, row[1])
				seen[row[1]] = true
				if id := firstID.FindStringSubmatch(row[2]); id != nil && !strings.HasSuffix(row[1], " more") {
					require.Equal(t, row[1], id[1], path)
					named++
				}
			}
		}
		require.GreaterOrEqual(t, named, least, path)
		for _, bar := range labeled.FindAllStringSubmatch(body, -1) {
			require.Equal(t, bar[1], bar[2], path)
		}
	}
}

// TestNoTextReverses checks that no text of a user changes the direction of the text after it.
func TestNoTextReverses(t *testing.T) {
	jobs := sample(5)
	for _, j := range jobs.jobs {
		j.Name, j.User, j.Diagnostics = "gpj\u202eexe", "\u2067ann", "\x1b[1mwhy"
	}
	h := JobTracker(jobs, Parts{Logs: fakeLogs{"stderr": "\u202e"}})
	for _, path := range []string{"/", "/jobs", "/jobs/job_202611210753_0001", "/jobs/job_202611210753_0001/logs",
		"/attempts/attempt_202611210753_0001_m_000001_0", "/scheduler"} {
		_, body, _ := get(t, h, path)
		require.NotContains(t, body, "\u202e", path)
		require.NotContains(t, body, "\u2067", path)
		require.NotContains(t, body, "\x1b", path)
		require.Contains(t, body, "\uFFFD", path)
	}
}

func TestJobPageShowsWhatMatters(t *testing.T) {
	const page = "/jobs/job_202611210753_0001"
	h := JobTracker(sample(250), Parts{})
	_, body, _ := get(t, h, page)
	for _, want := range []string{"data-live", "<td>TaskTracker</td>",
		`<a href="/jobs/job_202611210753_0001" class="on" aria-current="page">Overview</a>`,
		`<td class="n">83</td><td><a href="/attempts/attempt_202611210753_0001_m_000002_0">`} {
		require.Contains(t, body, want)
	}
	_, body, _ = get(t, h, page+"/counters")
	require.Contains(t, body, "1,234,567")

	_, body, _ = get(t, h, page+"/attempts")
	require.Contains(t, body, "page 1 of 3, 250 attempts")
	require.Equal(t, 1, strings.Count(body, `<td><a href="/attempts/attempt_202611210753_0001_m_000002_0">m_000002_0</a>`+
		`</td>`), "a failed attempt comes first")

	_, body, _ = get(t, h, "/attempts/attempt_202611210753_0001_m_000001_0")
	for _, want := range []string{"Share of the node", ">700m<", ">300 MiB<"} {
		require.Contains(t, body, want)
	}

	_, body, _ = get(t, h, page+"/attempts?state=failed&page=99")
	require.Contains(t, body, "attempt_202611210753_0001_m_000002_0")
	require.NotContains(t, body, ">m_000001_0</a></td>")

	_, body, _ = get(t, h, page+"/attempts?task=task_202611210753_0001_m_000007")
	require.Equal(t, 1, strings.Count(body, `<td><a href="/attempts/`))

	_, body, _ = get(t, h, "/jobs/job_202611210753_0002")
	require.NotContains(t, body, "data-live", "a finished job no longer changes")
}

// TestAttemptsOfLocalFiles checks that only running attempts have a bar, and that the column for
// locality is missing if no attempt has one.
func TestAttemptsOfLocalFiles(t *testing.T) {
	jobs := sample(3)
	_, body, _ := get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/attempts")
	require.Contains(t, body, "<th>Locality</th>")
	for i, a := range jobs.jobs[0].Attempts {
		a.Locality = job.NoData
		if a.Progress = 1; i == 1 {
			a.FinishMs, a.Progress = 0, 0.5
		}
	}
	_, body, _ = get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/attempts")
	require.NotContains(t, body, "Locality")
	require.Equal(t, 1, strings.Count(body, `class="bar"`))
	require.Contains(t, body, `style="width:50%"`)
}

func TestJobsPage(t *testing.T) {
	jobs := &fakeJobs{}
	for i := range 250 {
		jobs.jobs = append(jobs.jobs, &status.Job{ID: job.ID{Cluster: "202611210753", Seq: int32(i + 1)},
			Name: fmt.Sprintf("Sort %03d", i), User: []string{"ada", "bob"}[i%2], Queue: "q", State: job.Succeeded,
			SubmitMs: 1_000, FinishMs: 2_000 + int64(i*7%250)})
	}
	jobs.jobs[4].State = job.Failed
	jobs.jobs[5].SubmitMs = time.Now().UnixMilli()
	h := JobTracker(jobs, Parts{})
	list := func(query string) (ids []string) {
		code, body, _ := get(t, h, "/jobs"+query)
		require.Equal(t, http.StatusOK, code)
		for _, part := range strings.Split(body, `<tr><td><a href="/jobs/`)[1:] {
			ids = append(ids, part[len("job_202611210753_"):len("job_202611210753_0000")])
		}
		return ids
	}
	require.Len(t, list(""), 100)
	require.Equal(t, "0250", list("")[0], "the latest is first")
	require.Equal(t, "0001", list("?sort=-id")[0])
	require.Equal(t, []string{"0050", "0049"}, list("?page=3")[:2])
	require.Equal(t, []string{"0008"}, list("?q=sort+007"))
	require.Equal(t, []string{"0007"}, list("?q=_0007"))
	require.Equal(t, []string{"0005"}, list("?state=FAILED"))
	require.Equal(t, []string{"0006"}, list("?since=1h"))
	require.Equal(t, "0249", list("?user=ada")[0])
	require.Empty(t, list("?queue=other"))
	require.Equal(t, "0108", list("?sort=finished")[0], "107 * 7 mod 250 is 249")
	_, body, _ := get(t, h, "/jobs?user=ada&sort=name")
	require.Contains(t, body, `<a href="/jobs?sort=-name&amp;user=ada">Name ↓</a>`)
	require.Contains(t, body, `<option selected>ada</option>`)
	require.Contains(t, body, `<a href="/jobs?page=2&amp;sort=name&amp;user=ada">next</a>`)
}

func TestCountersPage(t *testing.T) {
	jobs := sample(3)
	j, other := jobs.jobs[0], jobs.jobs[1]
	one := func(records int64) *job.Counters {
		c := &job.Counters{User: []job.UserCounter{{Group: "own", Name: "hits", Value: records / 10}}}
		c.Builtin[job.MapInputRecords] = records
		return c
	}
	j.Counters, other.Counters = one(300), one(200)
	j.ByType = [2]*job.Counters{one(300), {}}
	_, body, _ := get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/counters")
	require.Contains(t, body, `<tr><td>Map input records</td><td class="n">300</td><td class="n">0</td>`+
		`<td class="n">300</td></tr>`)
	_, body, _ = get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/counters?with=job_202611210753_0002")
	require.Contains(t, body, `<td class="n">300</td><td class="n">200</td><td class="n">&#43;50.0%</td></tr>`)
	require.Contains(t, body, `<td>hits</td><td class="n">30</td><td class="n">0</td><td class="n">30</td>`+
		`<td class="n">20</td>`)
	j.ByType = [2]*job.Counters{}
	_, body, _ = get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/counters")
	require.Contains(t, body, `<tr><td>Map input records</td><td class="n">300</td></tr>`, "only the total is known")
	for with, want := range map[string]int{"x": http.StatusBadRequest, "job_202611210753_0009": http.StatusNotFound} {
		code, _, _ := get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/counters?with="+with)
		require.Equal(t, want, code, with)
	}
}

// fakeConfs returns the same configuration for all jobs.
type fakeConfs []hadoop.Property

func (f fakeConfs) Conf(context.Context, job.ID) (string, []hadoop.Property, error) {
	return "file:/x", f, nil
}

func TestConfPage(t *testing.T) {
	h := JobTracker(sample(1), Parts{Confs: fakeConfs{
		{Name: "own.key", Value: evil, Source: []string{"core-site.xml", "programmatically"}},
		{Name: "mapreduce.job.reduces", Value: "7", Source: []string{"-D"}}}})
	const page = "/jobs/job_202611210753_0001/conf"
	_, body, _ := get(t, h, page)
	require.Contains(t, body, `<td class="why">7</td><td class="why">-D</td><td class="why">1</td>`)
	require.Contains(t, body, "2 of 2 settings")
	require.Contains(t, body, `<td class="why">programmatically</td>`)
	require.NotContains(t, body, evil)
	_, body, _ = get(t, h, page+"?q=REDUCES")
	require.Contains(t, body, "1 of 2 settings")
	require.NotContains(t, body, "own.key")
	code, body, _ := get(t, JobTracker(sample(1), Parts{}), page)
	require.Equal(t, http.StatusNotFound, code, "a journal has no configurations")
	require.NotContains(t, body, "Configuration")
}

func TestFailuresAreGrouped(t *testing.T) {
	var attempts []*status.Attempt
	for i, why := range []string{"disk full at offset 17", "no such key 5", "disk full at offset 2904",
		"disk full at offset 3"} {
		attempts = append(attempts, &status.Attempt{ID: job.Attempt{Task: job.Task{Job: 1, Index: int32(9 - i)}}.ID("c"),
			State: job.AttemptFailed, Tracker: fmt.Sprint("tt", i%3), Diagnostics: why})
	}
	attempts = append(attempts, &status.Attempt{State: job.AttemptKilled, Diagnostics: "disk full at offset 1"})
	g := newFailures(attempts)
	require.Len(t, g, 2)
	require.Equal(t, []int{3, 1}, []int{g[0].Number, g[1].Number})
	require.Equal(t, 2, g[0].Trackers)
	require.Equal(t, "disk full at offset 3", g[0].Attempt.Diagnostics, "the attempt with the lowest ID")
}

func TestSkew(t *testing.T) {
	j := &status.Job{}
	for i := range 10 {
		a := &status.Attempt{ID: job.Attempt{Task: job.Task{Job: 1, Index: int32(i)}}.ID("c"), State: job.AttemptSucceeded,
			StartMs: 1_000, FinishMs: 2_000, Tracker: fmt.Sprint("tt", i%3), Locality: job.NoData, Counters: &job.Counters{}}
		a.Counters.Builtin[job.MapInputRecords] = 100
		j.Attempts = append(j.Attempts, a)
	}
	j.Attempts[3].FinishMs, j.Attempts[3].Counters.Builtin[job.MapInputRecords] = 5_000, 700
	j.Attempts[4].State, j.Attempts[4].FinishMs, j.Attempts[4].Locality = job.AttemptRunning, 0, job.OffSwitch
	skews, slowest := newSkews(j, 3_000)
	require.Equal(t, skew{"map", "Duration", "1.0 s", "1.0 s", "4.0 s", "4.0 s", "4.0 s"}, skews[0])
	require.Equal(t, skew{"map", "Input records", "100", "100", "700", "700", "700"}, skews[1])
	require.Len(t, slowest, 2)
	require.Equal(t, "4.0", slowest[0].Times)
	require.Equal(t, "7.0 times as many input records as the median", slowest[0].Why)
	require.Equal(t, "its input is on another node", slowest[1].Why)
}

// TestLargeTimeline checks that a timeline of many attempts has a row for all TaskTrackers, includes
// every attempt, and stays small; and that an interval of it has bars.
func TestLargeTimeline(t *testing.T) {
	jobs := sample(0)
	j := jobs.jobs[0]
	for i := range 100_000 {
		start := int64(1_000_000 + i/1000*1000)
		a := &status.Attempt{ID: job.Attempt{Task: job.Task{Job: 1, Index: int32(i)}}.ID("c"), State: job.AttemptSucceeded,
			Tracker: fmt.Sprintf("tt%03d", i%250), StartMs: start, FinishMs: start + 1_000, Locality: job.NoData}
		if i%1000 == 7 {
			a.State = job.AttemptFailed
		}
		j.Attempts = append(j.Attempts, a)
	}
	lanes := newTimeline(j, 0, httptest.NewRequest(http.MethodGet, "/", nil))
	require.True(t, lanes.Summed)
	require.Len(t, lanes.Areas, 36, "250 TaskTrackers, 7 a row")
	require.Equal(t, "tt000 to tt006: 2800 attempts, at most 28 at a time", lanes.Areas[0].Text)
	require.Len(t, lanes.Bars, 100, "a mark for each second in which an attempt failed")
	require.Equal(t, "1m30s", lanes.Ticks[9].Text)
	h := JobTracker(jobs, Parts{})
	_, body, _ := get(t, h, "/jobs/job_202611210753_0001")
	require.Less(t, len(body), 300_000)
	for range 3 {
		lanes = newTimeline(j, 0, httptest.NewRequest(http.MethodGet,
			"/"+strings.TrimSuffix(lanes.Ticks[0].Zoom, "#timeline"), nil))
	}
	require.NotEmpty(t, lanes.Whole)
	lanes = newTimeline(j, 0, httptest.NewRequest(http.MethodGet, "/?from=9223372036854775807&to=1", nil))
	require.Empty(t, lanes.Whole, "no interval")
}

func TestTimelineShowsPhases(t *testing.T) {
	j := &status.Job{Attempts: []*status.Attempt{{ID: job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce}, N: 1}.ID("c"),
		State: job.AttemptSucceeded, StartMs: 1_000, ShuffleMs: 2_000, SortMs: 3_000, FinishMs: 5_000, Locality: job.NoData}}}
	lanes := newTimeline(j, 0, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Len(t, lanes.Bars, 3)
	require.Equal(t, bar{250, 34, 250, "reduce succeeded sort", "attempt_c_0001_r_000000_1",
		"SUCCEEDED, 4.0 s, attempt 2 of its task, sort 1.0 s"}, lanes.Bars[1])
	require.Equal(t, 500.0, lanes.Bars[2].W)
	lanes = newTimeline(j, 0, httptest.NewRequest(http.MethodGet, "/?from=2000&to=3000", nil))
	require.Len(t, lanes.Bars, 1, "the interval shows only the reduce phase")
}

func TestClusterPageCounts(t *testing.T) {
	_, body, _ := get(t, JobTracker(sample(1), Parts{}), "/")
	for _, want := range []string{" · 1 restart<", "3 attempts and 5 map outputs left"} {
		require.Contains(t, body, want)
	}
}

// The page lists a limited number of TaskTrackers, and first those with a problem.
func TestClusterPageListsTrackersInParts(t *testing.T) {
	jobs := sample(1)
	jobs.cluster.Trackers = nil
	for i := range 250 {
		jobs.cluster.Trackers = append(jobs.cluster.Trackers, &status.Tracker{Name: fmt.Sprintf("tt%03d", i)})
	}
	jobs.cluster.Trackers[249].Blacklisted = true
	h := JobTracker(jobs, Parts{})
	_, body, _ := get(t, h, "/")
	require.Contains(t, body, "<b>250</b> TaskTrackers<small>249 healthy")
	require.Contains(t, body, "page 1 of 3")
	require.Equal(t, 100, strings.Count(body, " ago</td>"))
	require.Less(t, strings.Index(body, "tt249"), strings.Index(body, "tt000"))
	_, body, _ = get(t, h, "/?page=3")
	require.Equal(t, 50, strings.Count(body, " ago</td>"))
	require.Contains(t, body, "tt248")
	require.Contains(t, body, `<a href="?page=2#trackers">previous</a> page 3 of 3;`)
}

func TestSchedulerPage(t *testing.T) {
	jobs := sample(1)
	h := JobTracker(jobs, Parts{})
	_, body, _ := get(t, h, "/scheduler")
	require.Contains(t, body, "until the JobTracker restarts")
	require.Contains(t, body, "5 running <small>2 borrowed</small>")
	require.Contains(t, body, "1 in reduce slots")
	require.Contains(t, body, "missed")
	require.NotContains(t, body, "Weight")
	_, body, _ = get(t, h, "/scheduler?advanced")
	require.Contains(t, body, "1.50")
	require.Contains(t, body, "no single order")
	jobs.scheduler = &status.Scheduler{Name: "fifo"}
	_, body, _ = get(t, h, "/scheduler")
	require.NotContains(t, body, "Pools")
}

func TestUseOverTime(t *testing.T) {
	record := trend.Record{Times: []int64{0, 30_000, 60_000}, Series: []trend.Series{
		{Name: "map slots", Values: []trend.Value{{Limit: 4}, {Used: 2, Limit: 4}, {Used: 4, Limit: 4}}},
		{Name: PoolSeries + evil, Values: []trend.Value{{Limit: 1}, {Limit: 1}, {Used: 3, Borrowed: 2, Limit: 1}}}}}
	h := JobTracker(sample(1), Parts{Record: func() trend.Record { return record }})
	_, body, _ := get(t, h, "/")
	require.Contains(t, body, `<path class="used" d="M0 74H500V55H1000V36H1000V74H0Z"/>`)
	require.Contains(t, body, ">map slots: 4 of 4</text>")
	require.Contains(t, body, ">40s ago</text>")
	require.NotContains(t, body, "3 of 1", "pools are on the scheduler's page")
	_, body, _ = get(t, h, "/scheduler")
	require.Contains(t, body, "&lt;/script&gt;: 3 of 1</text>")
	require.Contains(t, body, `<path class="borrowed"`)
	require.NotContains(t, body, "map slots: 4 of 4")
	record.Times = record.Times[:1]
	_, body, _ = get(t, h, "/")
	require.NotContains(t, body, "Slots in use", "a single point is no record")
}

func TestOldAddresses(t *testing.T) {
	h := JobTracker(sample(1), Parts{})
	for path, want := range map[string]string{
		"/jobtracker.jsp": "/",
		"/jobdetails.jsp?jobid=job_202611210753_0001&refresh=30": "/jobs/job_202611210753_0001",
		"/jobtasks.jsp?jobid=job_202611210753_0001&type=map":     "/jobs/job_202611210753_0001/attempts?type=map",
		"/jobconf.jsp?jobid=job_202611210753_0001":               "/jobs/job_202611210753_0001/conf",
		"/taskdetails.jsp?tipid=task_202611210753_0001_m_000000": "/jobs/job_202611210753_0001" +
			"/attempts?task=task_202611210753_0001_m_000000",
		"/taskstats.jsp?attemptid=attempt_202611210753_0001_m_000000_0": "/attempts/attempt_202611210753_0001_m_000000_0",
		"/jobqueue_details.jsp?queueName=x":                             "/scheduler",
		"/machines.jsp?type=active":                                     "/#trackers",
	} {
		code, _, header := get(t, h, path)
		require.Equal(t, http.StatusFound, code, path)
		require.Equal(t, want, header.Get("Location"), path)
	}
	for _, path := range []string{"/jobdetails.jsp?jobid=//evil.example", "/jobdetails.jsp", "/jobconf.jsp?jobid=x",
		"/taskdetails.jsp?tipid=x"} {
		code, _, _ := get(t, h, path)
		require.Equal(t, http.StatusBadRequest, code, path)
	}
}

func TestNotFound(t *testing.T) {
	h := JobTracker(sample(1), Parts{})
	for _, path := range []string{"/jobs/job_202611210753_0009", "/jobs/nonsense", "/attempts/x",
		"/attempts/attempt_202611210753_0001_m_000099_0", "/nothing", "/static/nothing", "/static/"} {
		code, _, _ := get(t, h, path)
		require.Equal(t, http.StatusNotFound, code, path)
	}
	code, body, _ := get(t, h, "/static/style.css")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "prefers-color-scheme")
}

// TestVisit checks that links lead to the cluster's TaskTrackers and nowhere else.
func TestVisit(t *testing.T) {
	jobs := sample(1)
	jobs.cluster.Trackers[1].Addr = "tt2:50060"
	h := JobTracker(jobs, Parts{})
	_, body, _ := get(t, h, "/")
	require.Contains(t, body, `<a href="/visit?to=%2F%2Ftt2%3A50060%2F">tt2</a>`)
	code, _, header := get(t, h, "/visit?to="+url.QueryEscape("http://tt2:50060/tasklog?attemptid=x&filter=stdout"))
	require.Equal(t, http.StatusSeeOther, code)
	require.Equal(t, "http://tt2:50060/tasklog?attemptid=x&filter=stdout", header.Get("Location"))
	for to, want := range map[string]int{"http://evil.example/": http.StatusNotFound, "http://tt2/": http.StatusNotFound,
		"": http.StatusBadRequest, "javascript:alert(1)//": http.StatusBadRequest, "/": http.StatusBadRequest,
		"http://tt2:50060@evil.example/": http.StatusNotFound} {
		code, _, _ := get(t, h, "/visit?to="+url.QueryEscape(to))
		require.Equal(t, want, code, to)
	}
	tracker := TaskTracker(func() (Tracker, error) { return Tracker{Web: "jt:50030"}, nil })
	code, _, _ = get(t, tracker, "/visit?to=http://jt:50030/")
	require.Equal(t, http.StatusSeeOther, code)
	code, _, _ = get(t, tracker, "/visit?to=http://evil.example/")
	require.Equal(t, http.StatusNotFound, code)
}

// TestVisitAsAdministrator checks that a link logs an administrator in only at an address from a holder
// of the secret.
func TestVisitAsAdministrator(t *testing.T) {
	secret := auth.NewSecret()
	token, _ := secret.Issue(auth.Claims{Admin: true, Expires: time.Now().Add(time.Hour).Unix()})
	jobs, pool := sample(1), fakePool{&mrstatus.Pool{}}
	jobs.cluster.Trackers[1].Addr = "tt2:50060"
	pool.Clusters = []*mrstatus.Cluster{{Endpoints: mrstatus.Endpoints{JobTrackerWeb: "jt2:50030"}}}
	for _, trusted := range []bool{false, true} {
		jobs.cluster.Trackers[1].Trusted, pool.Clusters[0].Endpoints.Trusted = trusted, trusted
		for at, page := range map[string]http.Handler{"http://tt2:50060/": JobTracker(jobs, Parts{}),
			"http://jt2:50030/": Manager(pool, nil)} {
			routes := http.NewServeMux()
			routes.Handle("/", page)
			r := httptest.NewRequest(http.MethodGet, "/visit?to="+url.QueryEscape(at), nil)
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			webguard.New(secret, r.Host).Server(routes).Handler.ServeHTTP(w, r)
			require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
			require.Equal(t, trusted, strings.HasPrefix(w.Header().Get("Location"), at+"login?token="))
		}
	}
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
		return Tracker{Attempts: []TrackerAttempt{{ID: "a", CPUMillis: 61_000, Memory: 5 << 20, MemoryLimit: 2 << 30,
			CPUWeight: 250, CPUQuota: 1500}, {ID: "b", Memory: 7 << 20}}}, nil
	})
	_, body, _ := get(t, h, "/")
	for _, want := range []string{">61 s<", ">250, at most 1.50 CPUs<", ">5 of 2,048<", ">7<"} {
		require.Contains(t, body, want)
	}
}

// TestFoot checks that every page of a daemon ends with the foot, errors too, and that its text is
// escaped.
func TestFoot(t *testing.T) {
	h := WithFoot("no TLS "+evil, JobTracker(sample(1), Parts{}))
	for _, path := range []string{"/", "/scheduler", "/nothing"} {
		_, body, _ := get(t, h, path)
		require.Contains(t, body, "<footer>Security: no TLS &lt;script&gt;", path)
	}
	_, body, _ := get(t, JobTracker(sample(1), Parts{}), "/")
	require.NotContains(t, body, "<footer>", "pages of a journal file")
}
