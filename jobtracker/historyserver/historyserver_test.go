package historyserver

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/redact"
	"github.com/howdah/howdah/internal/rest"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// A server without a history says which settings name one.
func TestNoHistory(t *testing.T) {
	_, err := New(Config{})
	require.True(t, failure.Is(err, failure.Config))
	require.EqualError(t, err, "find a history: no directory is configured; use the cluster's configuration "+
		"(--config DIR), or set howdah.jobtracker.dir or mapreduce.jobhistory.done-dir")
}

func open(t testing.TB, cfg Config) *Server {
	t.Helper()
	fs, err := schemes.Resolver(conf.New(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { fs.Close() })
	cfg.FS, cfg.Log = fs, slog.New(slog.NewTextHandler(io.Discard, nil))
	cfg.Acting = &auth.Acting{}
	if cfg.Rules == nil {
		cfg.Rules = &acl.Rules{}
	}
	cfg.Mask, err = redact.New(conf.New())
	require.NoError(t, err)
	s, err := New(cfg)
	require.NoError(t, err)
	return s
}

func restOf(s *Server) http.Handler {
	return (&rest.Server{History: s, Started: time.UnixMilli(1), Version: "1.2.3"}).Handler()
}

// get sends a request of a user. "" means an administrator.
func get(h http.Handler, path, user string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://h:19888"+path, nil)
	r = r.WithContext(auth.With(r.Context(), auth.Principal{User: user, Admin: user == ""}))
	for _, accept := range header {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// recorded contains answers of the JobHistoryServer of Hadoop 3.4.2 for the jobs in testdata/done,
// by path and query. Its tasks and attempts are sorted by ID, because Hadoop orders them by hash codes.
func recorded(t *testing.T) map[string]struct {
	Code int
	Body map[string]any
} {
	b, err := os.ReadFile("testdata/hadoop-3.4.2.json")
	require.NoError(t, err)
	var all map[string]struct {
		Code int
		Body map[string]any
	}
	require.NoError(t, json.Unmarshal(b, &all))
	require.Len(t, all, 88)
	return all
}

func TestAnswersOfHadoop(t *testing.T) {
	h := restOf(open(t, Config{Done: "file:" + abs(t, "testdata/done")}))
	for path, want := range recorded(t) {
		w := get(h, path, "")
		require.Equal(t, want.Code, w.Code, path)
		require.Equal(t, "application/json;charset=utf-8", w.Header().Get("Content-Type"))
		var got map[string]any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
		if e, ok := want.Body["RemoteException"].(map[string]any); ok {
			// Hadoop's text names classes of Java.
			mine := got["RemoteException"].(map[string]any)
			require.NotEmpty(t, mine["message"])
			mine["message"] = e["message"]
		}
		if strings.HasSuffix(path, "/jobattempts") { // Hadoop's page of logs has another address
			a := got["jobAttempts"].(map[string]any)["jobAttempt"].([]any)[0].(map[string]any)
			require.Contains(t, a["logsLink"], "http://h:19888/jobs/job_")
			want.Body["jobAttempts"].(map[string]any)["jobAttempt"].([]any)[0].(map[string]any)["logsLink"] = a["logsLink"]
		}
		require.Equal(t, want.Body, got, path)
		require.Equal(t, flat(want.Body), flatXML(t, get(h, path, "", "application/xml").Body.Bytes(),
			want.Code == http.StatusOK), path)
	}
}

func abs(t testing.TB, name string) string {
	dir, err := filepath.Abs(name)
	require.NoError(t, err)
	return dir
}

// flat returns the names and texts in an answer, sorted. The message of an error is missing.
func flat(v any) []string {
	var out []string
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch x := v.(type) {
		case map[string]any:
			if name != "" {
				out = append(out, name)
			}
			for k, v := range x {
				walk(k, v)
			}
		case []any:
			for _, v := range x {
				walk(name, v)
			}
		default:
			text, _ := json.Marshal(x)
			if s, ok := x.(string); ok {
				text = []byte(s)
			}
			if out = append(out, name); name != "message" && len(text) > 0 {
				out = append(out, name+"="+string(text))
			}
		}
	}
	walk("", v)
	slices.Sort(out)
	return out
}

func flatXML(t *testing.T, b []byte, ok bool) []string {
	var out, path []string
	require.True(t, bytes.HasPrefix(b, []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`)), "%s", b)
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			path = append(path, x.Name.Local)
			out = append(out, x.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			name := path[len(path)-1]
			if text := string(x); name == "progress" {
				out = append(out, name+"="+strings.TrimSuffix(text, ".0"))
			} else if ok || name != "message" {
				out = append(out, name+"="+text)
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestConf(t *testing.T) {
	s := open(t, Config{Done: "file:" + abs(t, "testdata/done")})
	h := restOf(s)
	file := "file:" + abs(t, "testdata/done/2026/11/28/000000/job_1795836493560_0002_conf.xml")
	w := get(h, "/ws/v1/history/mapreduce/jobs/job_1795836493560_0002/conf", "")
	require.JSONEq(t, `{"conf":{"path":"`+file+`","property":[
		{"name":"mapreduce.job.reduces","value":"2","source":["programmatically","job.xml","`+file+`"]},
		{"name":"store.password","value":"<redacted>","source":["job.xml","`+file+`"]},
		{"name":"a<b","value":"${c} & d","source":["`+file+`"]}]}}`, w.Body.String())
	w = get(h, "/ws/v1/history/mapreduce/jobs/job_1795836493560_0003/conf", "")
	require.Equal(t, http.StatusNotFound, w.Code)
	require.Contains(t, w.Body.String(), "unable to load configuration for job: job_1795836493560_0003")
}

// Requests are read as Hadoop reads them, whatever they contain.
func TestHostileRequests(t *testing.T) {
	h := restOf(open(t, Config{Done: "file:" + abs(t, "testdata/done")}))
	long := strings.Repeat("9", 5000)
	const job2 = "/ws/v1/history/mapreduce/jobs/job_1795836493560_0002"
	for path, code := range map[string]int{
		"/ws/v1/history/mapreduce/jobs?limit=" + long:                      400,
		"/ws/v1/history/mapreduce/jobs?limit=9223372036854775807":          200,
		"/ws/v1/history/mapreduce/jobs?limit=9223372036854775808":          400,
		"/ws/v1/history/mapreduce/jobs?limit=-9223372036854775808":         400,
		"/ws/v1/history/mapreduce/jobs?limit=1e3":                          400,
		"/ws/v1/history/mapreduce/jobs?state=" + long:                      400,
		"/ws/v1/history/mapreduce/jobs?user=%00%ff%3Cscript%3E":            200,
		"/ws/v1/history/mapreduce/jobs?startedTimeBegin=99999999999999999": 200,
		"/ws/v1/history/mapreduce/jobs/job_" + long + "_0001":              404,
		"/ws/v1/history/mapreduce/jobs/job_1_" + long:                      404,
		"/ws/v1/history/mapreduce/jobs/..%2f..%2fetc%2fpasswd":             404,
		"/ws/v1/history/mapreduce/jobs/%00":                                404,
		job2 + "/tasks?type=" + long:                                       400,
		job2 + "/tasks/task_1795836493560_0002_m_" + long:                  404,
		job2 + "/tasks/task_1795836493560_0002_m_000000/attempts/" + long:  404,
		job2 + "/" + long:                       404,
		"/ws/v1/mapreduce/jobs":                 404, // there is no JobTracker
		"/ws/v1/mapreduce/jobs/job_1_0001/conf": 404,
		"/ws/v2":                                404,
	} {
		w := get(h, path, "")
		require.Equal(t, code, w.Code, "%.100s\n%s", path, w.Body)
		require.Less(t, w.Body.Len(), 2500, "the answer repeats the request")
		require.True(t, json.Valid(w.Body.Bytes()))
	}
	for accept, kind := range map[string]string{"": "json", "*/*": "json",
		"text/html,application/xml;q=0.9,*/*;q=0.8": "xml",
		"application/xml;q=0.1,application/json":    "json", "application/xml;q=x": "xml", long: "json"} {
		w := get(h, "/ws/v1/history/info", "", accept)
		require.Equal(t, "application/"+kind+";charset=utf-8", w.Header().Get("Content-Type"), "%.60s", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("PUT", "/ws/v1/history/info", strings.NewReader(long)))
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

// facts returns the facts of a job of ann that succeeded, in the form of a journal.
func facts(t testing.TB, seq int32, name, view string) []byte {
	spec := &job.Spec{Name: name, User: "ann", Queue: "prod", Splits: []job.SplitMeta{{Length: 5}},
		Conf: []job.Property{{Name: conf.JobACLViewJob.Name, Value: view}}}
	a := job.Attempt{Task: job.Task{Job: seq, Type: job.Map}}
	c := &job.Counters{}
	c.Builtin[job.MapInputRecords] = 7
	c.Add("mine", "odd", 3)
	b := history.AppendHeader(nil)
	for _, e := range []event.Event{
		{Type: event.Started, Time: 1, Name: "202611210753"},
		{Type: event.TrackerJoined, Time: 1, Tracker: 1, Name: "t", Host: "n1", Rack: "/r", Addr: "n1:50060"},
		{Type: event.JobSubmitted, Time: 10, Job: seq, Spec: spec},
		{Type: event.JobStarted, Time: 11, Job: seq},
		{Type: event.AttemptStarted, Time: 12, Job: seq, Attempt: a, Tracker: 1},
		{Type: event.AttemptFinished, Time: 20, Job: seq, Attempt: a, Tracker: 1, State: job.AttemptSucceeded, Counters: c},
		{Type: event.TaskFinished, Time: 20, Job: seq, Attempt: a, TaskState: job.TaskSucceeded},
		{Type: event.JobFinished, Time: 30, Job: seq, JobState: job.Succeeded, Counters: c},
	} {
		var err error
		b, err = history.AppendRecord(b, &e)
		require.NoError(t, err)
	}
	return b
}

func write(t testing.TB, name string, b []byte) {
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, b, 0o600))
}

// The JobTracker's own history is shown as its export to Hadoop would be. The index spares the next
// start the reading of all facts.
func TestOwnHistory(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Archive: filepath.Join(dir, "history"), Index: filepath.Join(dir, "x", "index")}
	file := filepath.Join(cfg.Archive, "000000", "job_202611210753_0001.facts")
	write(t, file, facts(t, 1, "a-b\tü", ""))
	write(t, filepath.Join(cfg.Archive, "000000", "job_202611210753_0002.facts.part"), facts(t, 2, "part", ""))
	write(t, filepath.Join(cfg.Archive, "000001", "job_202611210753_1001.facts"), facts(t, 1001, "later", "")[:90])
	const list = `{"jobs":{"job":[{"submitTime":10,"startTime":11,"finishTime":30,"id":"job_202611210753_0001",` +
		`"name":"a-b\tü","queue":"prod","user":"ann","state":"SUCCEEDED","mapsTotal":1,"mapsCompleted":1,` +
		`"reducesTotal":0,"reducesCompleted":0}]}}`
	s := open(t, cfg)
	require.Equal(t, list, get(restOf(s), "/ws/v1/history/mapreduce/jobs", "").Body.String())
	const path = "/ws/v1/history/mapreduce/jobs/job_202611210753_0001/tasks/task_202611210753_0001_m_000000/attempts"
	require.Equal(t, `{"taskAttempts":{"taskAttempt":[{"startTime":12,"finishTime":20,"elapsedTime":8,"progress":100.0,`+
		`"id":"attempt_202611210753_0001_m_000000_0","rack":"/r","state":"SUCCEEDED","status":"map",`+
		`"nodeHttpAddress":"n1:50060","diagnostics":"","type":"MAP",`+
		`"assignedContainerId":"container_202611210753_0001_01_000002"}]}}`, get(restOf(s), path, "").Body.String())
	require.Equal(t, `{"jobCounters":{"id":"job_202611210753_0001","counterGroup":[{"counterGroupName":`+
		`"org.apache.hadoop.mapreduce.TaskCounter","counter":[{"name":"MAP_INPUT_RECORDS","totalCounterValue":7,`+
		`"mapCounterValue":7,"reduceCounterValue":0}]},{"counterGroupName":"mine","counter":[{"name":"odd",`+
		`"totalCounterValue":3,"mapCounterValue":3,"reduceCounterValue":0}]}]}}`,
		get(restOf(s), "/ws/v1/history/mapreduce/jobs/job_202611210753_0001/counters", "").Body.String())

	write(t, file, []byte("damaged"))
	s = open(t, cfg)
	require.Equal(t, list, get(restOf(s), "/ws/v1/history/mapreduce/jobs", "").Body.String(), "from the index")
	require.Equal(t, http.StatusInternalServerError,
		get(restOf(s), "/ws/v1/history/mapreduce/jobs/job_202611210753_0001", "").Code)

	// A cut line of the index is written again.
	write(t, file, facts(t, 1, "a-b\tü", ""))
	b, err := os.ReadFile(cfg.Index)
	require.NoError(t, err)
	write(t, cfg.Index, b[:len(b)-9])
	for range 2 {
		require.Equal(t, list, get(restOf(open(t, cfg)), "/ws/v1/history/mapreduce/jobs", "").Body.String())
	}
	write(t, cfg.Index, []byte("something else"))
	require.Equal(t, list, get(restOf(open(t, cfg)), "/ws/v1/history/mapreduce/jobs", "").Body.String())
}

// Everybody sees summaries. Details are for those who may see the job.
func TestWhoMaySee(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Archive: filepath.Join(dir, "history"), Index: filepath.Join(dir, "index"),
		Rules: &acl.Rules{Enabled: true, Me: "mapred", Admins: acl.Parse("chief"),
			Queues: map[string]acl.Queue{"prod": {Administer: acl.Parse("boss")}}}}
	write(t, filepath.Join(cfg.Archive, "000000", "job_202611210753_0001.facts"), facts(t, 1, "x", "bob"))
	s := open(t, cfg)
	h, pages := restOf(s), webui.History(s)
	for user, may := range map[string]bool{"": true, "ann": true, "bob": true, "boss": true, "chief": true, "mapred": true,
		"eve": false} {
		require.Equal(t, http.StatusOK, get(h, "/ws/v1/history/mapreduce/jobs", user).Code)
		require.Equal(t, http.StatusOK, get(pages, "/jobs", user).Code)
		for _, part := range []string{"", "/counters", "/tasks", "/jobattempts", "/tasks/task_202611210753_0001_m_000000"} {
			w := get(h, "/ws/v1/history/mapreduce/jobs/job_202611210753_0001"+part, user)
			require.Equal(t, may, w.Code == http.StatusOK, "%q %s", user, w.Body)
			require.True(t, may || w.Code == http.StatusForbidden &&
				strings.Contains(w.Body.String(), `"javaClassName":"org.apache.hadoop.yarn.webapp.ForbiddenException"`))
		}
		require.Equal(t, may, get(h, "/ws/v1/history/mapreduce/jobs/job_202611210753_0001/conf", user).Code == 404)
		require.Equal(t, may, get(pages, "/jobs/job_202611210753_0001", user).Code == http.StatusOK)
		require.Equal(t, may, get(pages, "/attempts/attempt_202611210753_0001_m_000000_0", user).Code == http.StatusOK)
	}
}

// The list follows the files: new ones, moved ones, and deleted ones.
func TestChanges(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Config{Done: "file:" + dir + "/done", Intermediate: "file:" + dir + "/new"})
	ids := func() (all []string) {
		s.Refresh(t.Context())
		require.NoError(t, s.Ended(t.Context(), func(j *hadoop.Summary) bool {
			all = append(all, j.ID.String())
			return true
		}))
		return all
	}
	require.Empty(t, ids())
	const name2 = "job_1795836493560_0002-1795836511703-root-word+count-1795836546895-3-2-SUCCEEDED-root.default-" +
		"1795836521859.jhist"
	b, err := os.ReadFile("testdata/done/2026/11/28/000000/" + name2)
	require.NoError(t, err)
	write(t, dir+"/new/root/"+name2, b)
	write(t, dir+"/new/root/job_1_0009.summary", b)
	write(t, dir+"/new/root/_job_1_0008-1-u-n-1-1-1-KILLED-q-1.jhist", b)
	write(t, dir+"/new/root/job_1_0010-1-u-n-1-1-1-KILLED-q-1.jhist", b)
	require.NoError(t, os.Symlink(dir+"/new/root/"+name2, dir+"/new/root/job_1_0011-1-u-n-1-1-1-KILLED-q-1.jhist"))
	require.Equal(t, []string{"job_1_0010", "job_1795836493560_0002"}, ids())
	id := job.ID{Cluster: "1795836493560", Seq: 2}
	_, err = s.Report(admin(t), job.ID{Cluster: "1", Seq: 10})
	require.ErrorContains(t, err, "the file is about job job_1795836493560_0002")

	secret := dir + "/secret.xml"
	write(t, secret, []byte("<configuration><property><name>a</name><value>b</value></property></configuration>"))
	conf := dir + "/new/root/" + id.String() + "_conf.xml"
	require.NoError(t, os.Symlink(secret, conf))
	_, _, err = s.Conf(admin(t), id)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.NoError(t, os.Remove(conf))
	require.NoError(t, syscall.Mkfifo(conf, 0o600))
	_, _, err = s.Conf(admin(t), id)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.NoError(t, os.Remove(conf))
	require.NoError(t, os.Rename(secret, conf))
	_, list, err := s.Conf(admin(t), id)
	require.NoError(t, err)
	require.Len(t, list, 1)

	// Another history server moves the file after the latest scan.
	day := time.Now().Format("/done/2006/01/02/000000/")
	write(t, dir+day+name2, b)
	require.NoError(t, os.Remove(dir+"/new/root/"+name2))
	r, err := s.Report(admin(t), id)
	require.NoError(t, err)
	require.Equal(t, "word count", r.Name)
	require.NoError(t, os.RemoveAll(dir+"/new/root"))
	require.Equal(t, []string{"job_1795836493560_0002"}, ids())

	old := dir + "/done/2020/01/02/000000/job_1_0012-1-u-n-1-1-1-KILLED-q-1.jhist"
	write(t, old, b)
	require.Len(t, ids(), 2)
	s.cfg.MaxAge = time.Hour
	s.clean(t.Context())
	require.NoFileExists(t, old)
	require.Equal(t, []string{"job_1795836493560_0002"}, ids())
}

func admin(t *testing.T) context.Context { return auth.With(t.Context(), auth.Principal{Admin: true}) }

func TestDamagedHistories(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Config{Done: "file:" + dir})
	const name = "job_1795836493560_0002-1795836511703-root-word+count-1795836546895-3-2-SUCCEEDED-root.default-" +
		"1795836521859.jhist"
	b, err := os.ReadFile("testdata/done/2026/11/28/000000/" + name)
	require.NoError(t, err)
	for _, n := range []int{0, 1, 12, 4000, len(b) / 2, len(b) - 1} {
		write(t, filepath.Join(dir, name), b[:n])
		_, err := s.Report(admin(t), job.ID{Cluster: "1795836493560", Seq: 2})
		require.True(t, failure.Is(err, failure.Corrupt), "%d: %v", n, err)
	}
	write(t, filepath.Join(dir, name), b)
	_, err = s.Report(admin(t), job.ID{Cluster: "1795836493560", Seq: 2})
	require.NoError(t, err)
}

// A client must not wait for a history that is too large.
func TestLargeHistory(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "job_1_0002-1-root-x-9-3-2-SUCCEEDED-q-5.jhist")
	write(t, name, nil)
	require.NoError(t, os.Truncate(name, maxHistory+1)) // occupies no blocks
	s := open(t, Config{Done: "file:" + dir})
	for path, h := range map[string]http.Handler{"/jobs/job_1_0002": webui.History(s),
		"/ws/v1/history/mapreduce/jobs/job_1_0002": (&rest.Server{History: s}).Handler()} {
		w := get(h, path, "")
		require.Equal(t, http.StatusInternalServerError, w.Code, path)
		require.Contains(t, w.Body.String(), "the file has more than 1024 MiB")
	}
}

func TestPages(t *testing.T) {
	s := open(t, Config{Done: "file:" + abs(t, "testdata/done")})
	h := webui.History(s)
	require.Equal(t, "/jobs", get(h, "/", "").Header().Get("Location"))
	list := get(h, "/jobs", "").Body.String()
	for _, want := range []string{"job_1795836493560_0001", "job_1795836493560_0004", "word count", "4 jobs"} {
		require.Contains(t, list, want)
	}
	list = get(h, "/jobs?q=0002&user=root&queue=root.default&state=succeeded&page=7", "").Body.String()
	require.Contains(t, list, ">1 job<")
	list = get(h, "/jobs?q=Word&state=succeeded", "").Body.String()
	require.Contains(t, list, ">2 jobs<")
	require.NotContains(t, list, "job_1795836493560_0001")
	page := get(h, "/jobs/job_1795836493560_0004", "").Body.String()
	for _, want := range []string{"Task failed task_1795836493560_0004_m_000002", "subprocess failed with code 1",
		`<a href="/">History</a>`} {
		require.Contains(t, page, want)
	}
	require.Contains(t, get(h, "/jobs/job_1795836493560_0002/counters", "").Body.String(), "Map input records")
	require.Contains(t, get(h, "/jobs/job_1795836493560_0002/conf", "").Body.String(), "mapreduce.job.reduces")
	require.Equal(t, "/jobs/job_1", get(h, "/jobhistory/job/job_1", "").Header().Get("Location"))
	require.Equal(t, http.StatusNotFound, get(h, "/jobs/job_1_0001", "").Code)
	j, err := s.Status(admin(t), job.ID{Cluster: "1795836493560", Seq: 2}, status.Query{Attempts: true, Counters: true})
	require.NoError(t, err)
	require.Len(t, j.Attempts, 5)
	require.EqualValues(t, 3, j.Counters.Builtin[job.MapInputRecords])
	shuffled := [2]int64{}
	for _, a := range j.Attempts {
		require.Equal(t, a.Counters.Builtin[job.ShuffleCounter(a.ID.Type)], a.ShuffleBytes)
		shuffled[a.ID.Type] += a.ShuffleBytes
	}
	require.Equal(t, shuffled[job.Map], shuffled[job.Reduce])
	require.Positive(t, shuffled[job.Map])
}

// many creates the files of n jobs, whose names are all that the index needs.
func many(b *testing.B, n int) *Server {
	dir := b.TempDir()
	for i := range n {
		j := &hadoop.Job{ID: job.ID{Cluster: "1795836493560", Seq: int32(i + 1)}, State: job.Succeeded,
			Submit: int64(i), Launched: int64(i), Finished: time.Now().UnixMilli(),
			Spec: &job.Spec{Name: fmt.Sprint("job number ", i), User: fmt.Sprint("user", i%100), Queue: "default"}}
		name := filepath.Join(dir, j.Folder(), j.JHistName())
		if i%1000 == 0 || i == 0 || j.ID.Seq%1000 == 0 {
			require.NoError(b, os.MkdirAll(filepath.Dir(name), 0o700))
		}
		require.NoError(b, os.WriteFile(name, nil, 0o600))
	}
	return open(b, Config{Done: "file:" + dir})
}

const jobs100k = 100_000

// BenchmarkStart measures the time until the index of 100,000 jobs is complete.
func BenchmarkStart(b *testing.B) {
	s := many(b, jobs100k)
	for b.Loop() {
		s = open(b, Config{Done: s.sources[0].name})
		s.Refresh(b.Context())
	}
	require.Len(b, s.list, jobs100k)
}

// BenchmarkSearch measures requests to a server with 100,000 jobs.
func BenchmarkSearch(b *testing.B) {
	s := many(b, jobs100k)
	s.Refresh(b.Context())
	for name, h := range map[string]struct {
		http.Handler
		path string
	}{"list": {webui.History(s), "/jobs?page=500"}, "search": {webui.History(s), "/jobs?q=number+777&user=user77"},
		"rest":    {restOf(s), "/ws/v1/history/mapreduce/jobs?user=user77&state=SUCCEEDED"},
		"restall": {restOf(s), "/ws/v1/history/mapreduce/jobs"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.Equal(b, http.StatusOK, get(h, h.path, "").Code)
			}
		})
	}
	b.Run("rescan", func(b *testing.B) {
		for b.Loop() {
			s.Refresh(b.Context())
		}
	})
}
