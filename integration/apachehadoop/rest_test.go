//go:build integration

package apachehadoop

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

const restBase = "/ws/v1/history/mapreduce/jobs"

// Our history server and Hadoop's answer every documented call about the same directory with the
// same names, types, and values.
func testREST(ctx context.Context, t *testing.T, c *Cluster) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	for _, name := range []string{"a", "b"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte("some words and some more\n"), 0o644))
	}
	_, err := c.Run(ctx, Shell, "-put", in, "/in")
	require.NoError(t, err)
	_, err = RunLocal(ctx, filepath.Join(dir, "local"), "wordcount", "-D", "mapreduce.job.reduces=2", in,
		filepath.Join(dir, "out"))
	require.NoError(t, err)
	parts := contents(t, filepath.Join(dir, "out"))
	want := parts["part-r-00000"] + parts["part-r-00001"]
	require.NotEmpty(t, want)
	for _, format := range []string{"binary", "json"} {
		_, err = c.Run(ctx, Examples, "wordcount", "-D", "mapreduce.jobhistory.jhist.format="+format, "-D",
			"mapreduce.job.reduces=2", "/in", "/out-"+format)
		require.NoError(t, err)
	}
	got, err := c.Run(ctx, Shell, "-cat", "/out-json/part-*")
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	_, err = c.Run(ctx, "org.apache.hadoop.streaming.HadoopStreaming", "-D", "mapreduce.map.maxattempts=2",
		"-D", "mapreduce.job.name=fails - at_once", "-input", "/in", "-output", "/failed", "-mapper", "false",
		"-reducer", "cat")
	require.Error(t, err)

	hadoops := &restServer{t: t, url: "http://" + c.Web("historyserver")}
	ours := startHistoryServer(t, ctx, c)
	var ids []string
	require.NoError(t, c.Await(ctx, "three jobs in the history", func() (bool, error) {
		ids = hadoops.ids(restBase, "jobs", "job")
		return len(ids) == 3, nil
	}))
	_, first, _ := hadoops.get(restBase, "application/json")
	job := first["jobs"].(map[string]any)["job"].([]any)[0].(map[string]any)
	middle, end := fmt.Sprint(job["startTime"]), fmt.Sprint(job["finishTime"])
	paths := []string{"/ws/v1/history", "/ws/v1/history/", "/ws/v1/history/info", restBase, restBase + "/job_1_0001",
		restBase + "/none", restBase + "/" + ids[0] + "/tasks/none/counters"}
	for _, q := range []string{"user=root", "user=nobody", "user=", "queue=root.default", "queue=other", "state=SUCCEEDED",
		"state=FAILED", "state=none", "state=", "limit=1", "limit=2&state=SUCCEEDED", "limit=0", "limit=x", "limit=",
		"startedTimeBegin=" + middle, "startedTimeEnd=" + middle, "startedTimeBegin=x", "startedTimeBegin=-1",
		"startedTimeBegin=2&startedTimeEnd=1", "finishedTimeBegin=" + end, "finishedTimeEnd=" + end, "finishedTimeEnd=x",
		"finishedTimeBegin=2&finishedTimeEnd=1"} {
		paths = append(paths, restBase+"?"+q)
	}
	for _, id := range ids {
		job := restBase + "/" + id
		paths = append(paths, job, job+"/jobattempts", job+"/counters", job+"/conf", job+"/tasks", job+"/tasks?type=m",
			job+"/tasks?type=r", job+"/tasks?type=x", job+"/tasks/none", job+"/tasks/task_1_0001_m_000000")
		for _, task := range hadoops.ids(job+"/tasks", "tasks", "task") {
			task = job + "/tasks/" + task
			paths = append(paths, task, task+"/counters", task+"/attempts", task+"/attempts/none")
			for _, attempt := range hadoops.ids(task+"/attempts", "taskAttempts", "taskAttempt") {
				paths = append(paths, task+"/attempts/"+attempt, task+"/attempts/"+attempt+"/counters")
			}
		}
	}
	require.Greater(t, len(paths), 80)
	for _, path := range paths {
		compareAnswers(t, hadoops, ours, path)
	}
	t.Logf("%d paths", len(paths))
}

func compareAnswers(t *testing.T, hadoops, ours *restServer, path string) {
	t.Helper()
	code, want, _ := hadoops.get(path, "application/json")
	mine, got, _ := ours.get(path, "application/json")
	require.Equal(t, code, mine, path)
	if strings.HasSuffix(path, "/conf") { // we hide secrets, which Hadoop shows
		for _, p := range got["conf"].(map[string]any)["property"].([]any) {
			if p := p.(map[string]any); p["value"] == "<redacted>" {
				for _, w := range want["conf"].(map[string]any)["property"].([]any) {
					if w := w.(map[string]any); w["name"] == p["name"] {
						w["value"] = p["value"]
					}
				}
			}
		}
	}
	require.Equal(t, normalized(want, ownValues), normalized(got, ownValues), path)
	if code == http.StatusOK { // Hadoop's own errors in XML are broken
		_, _, a := hadoops.get(path, "application/xml")
		_, _, b := ours.get(path, "application/xml")
		texts := !strings.HasSuffix(path, "/conf") // we hide secrets
		require.Equal(t, elements(t, a, texts), elements(t, b, texts), path)
	}
}

// ownValues are the fields whose values describe the server, or name Java's classes.
var ownValues = []string{"logsLink", "message", "startedOn", "hadoopBuildVersion", "hadoopVersionBuiltOn"}

// normalized sorts lists by ID or name, because Hadoop orders some by hash codes, and replaces the
// values of the fields own, which differ between servers, with their types.
func normalized(v any, own []string) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if x[k] = normalized(e, own); slices.Contains(own, k) {
				x[k] = typeOf(k, e)
			}
		}
	case []any:
		key := func(v any) string {
			m, _ := v.(map[string]any)
			return fmt.Sprint(m["id"], m["name"], m["counterGroupName"])
		}
		if len(x) > 0 && key(x[0]) != fmt.Sprint(nil, nil, nil) {
			slices.SortStableFunc(x, func(a, b any) int { return strings.Compare(key(a), key(b)) })
		}
		for i := range x {
			x[i] = normalized(x[i], own)
		}
	}
	return v
}

// typeOf returns the type of a field. The type of a time that is 0, and thus unknown, is different.
func typeOf(name string, v any) string {
	n, ok := v.(json.Number)
	switch {
	case !ok:
		return fmt.Sprintf("%T", v)
	case strings.Contains(n.String(), "."):
		return "float"
	case n == "0" && strings.HasSuffix(name, "Time") && !strings.HasPrefix(name, "elapsed"):
		return "no time"
	}
	return "integer"
}

// elements returns the elements of a document, with their texts if texts is true, sorted.
func elements(t *testing.T, b []byte, texts bool) (out []string) {
	d := xml.NewDecoder(bytes.NewReader(b))
	text := ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			slices.Sort(out)
			return out
		}
		require.NoError(t, err, "%s", b)
		switch x := token.(type) {
		case xml.StartElement:
			text = ""
		case xml.CharData:
			text += string(x)
		case xml.EndElement:
			if slices.Contains(ownValues, x.Name.Local) || !texts {
				text = ""
			}
			out = append(out, x.Name.Local+"="+text)
			text = ""
		}
	}
}

// restServer is a server at a URL.
type restServer struct {
	t   *testing.T
	url string
	job string // the part of the job's IDs that paths and answers replace with JOB; "" = none
}

func (s *restServer) get(path, accept string) (code int, body map[string]any, raw []byte) {
	s.t.Helper()
	r, err := http.NewRequest("GET", s.url+strings.ReplaceAll(path, "JOB", s.job), nil)
	require.NoError(s.t, err)
	r.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	raw, err = io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	if s.job != "" {
		raw = bytes.ReplaceAll(raw, []byte(s.job), []byte("JOB"))
	}
	if accept == "application/json" {
		require.Equal(s.t, "application/json;charset=utf-8", resp.Header.Get("Content-Type"), path)
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		require.NoError(s.t, d.Decode(&body), "%s: %s", path, raw)
	}
	return resp.StatusCode, body, raw
}

// ids returns the IDs of the elements in a list.
func (s *restServer) ids(path, list, element string) (ids []string) {
	_, body, _ := s.get(path, "application/json")
	all, _ := body[list].(map[string]any)[element].([]any)
	for _, v := range all {
		ids = append(ids, v.(map[string]any)["id"].(string))
	}
	return ids
}

// startHistoryServer starts our history server over the directories of Hadoop's.
func startHistoryServer(t *testing.T, ctx context.Context, c *Cluster) *restServer {
	ports, err := FreePorts(1)
	require.NoError(t, err)
	dir := c.URI() + "/tmp/hadoop-yarn/staging/history/"
	addr := "127.0.0.1:" + ports[0]
	cmd := exec.CommandContext(ctx, minicluster.Binary(t), "historyserver", "-D", "fs.defaultFS="+c.URI(),
		"-D", "hadoop.tmp.dir="+t.TempDir(), "-D", "mapreduce.jobhistory.done-dir="+dir+"done",
		"-D", "mapreduce.jobhistory.intermediate-done-dir="+dir+"done_intermediate",
		"-D", "mapreduce.jobhistory.webapp.address="+addr, "-D", "mapreduce.jobhistory.cleaner.enable=false")
	cmd.Env = append(os.Environ(), "HOWDAH_CONF_DIR=")
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	s := &restServer{t: t, url: "http://" + addr}
	require.NoError(t, c.Await(ctx, "the history server", func() (bool, error) {
		resp, err := http.Get(s.url + "/healthz")
		if err != nil {
			return false, nil
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK, nil
	}))
	return s
}
