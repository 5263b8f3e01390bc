package inspect

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// start returns the routes of a process, and what it logs.
func start(t *testing.T, c *conf.Config, own ...prometheus.Collector) (*http.ServeMux, *bytes.Buffer) {
	log := &bytes.Buffer{}
	routes := http.NewServeMux()
	(&Process{Name: "JobTracker", Conf: c, Log: NewLog(log)}).Routes(routes.Handle, own...)
	t.Cleanup(func() { level.Set(slog.LevelInfo) })
	return routes, log
}

func call(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func TestConf(t *testing.T) {
	c := conf.New()
	file := filepath.Join(t.TempDir(), "x.xml")
	require.NoError(t, os.WriteFile(file, []byte(`<configuration>
<property><name>my.password</name><value>hunter2</value><final>true</final></property>
<property><name>copy</name><value>&lt;${my.password}&gt;</value></property></configuration>`), 0o600))
	require.NoError(t, c.LoadFile(file))
	h, _ := start(t, c)

	var all struct{ Properties []property }
	w := call(h, "GET", "/conf?format=json")
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &all))
	byKey := map[string]property{}
	for _, p := range all.Properties {
		byKey[p.Key] = p
	}
	require.Equal(t, "<redacted>", byKey["my.password"].Value)
	require.True(t, byKey["my.password"].Final)
	require.False(t, byKey["copy"].Final)
	require.Contains(t, byKey["copy"].Source, "x.xml")
	require.Equal(t, conf.New().Get(conf.HadoopLogDir.Name), byKey[conf.HadoopLogDir.Name].Value,
		"defaults are in effect, too")
	require.NotContains(t, w.Body.String(), "hunter2")

	w = call(h, "GET", "/conf")
	var list struct {
		Property []property `xml:"property"`
	}
	require.NoError(t, xml.Unmarshal(w.Body.Bytes(), &list))
	require.Len(t, list.Property, len(all.Properties))
	require.NotContains(t, w.Body.String(), "hunter2")
	require.Equal(t, "text/xml; charset=utf-8", w.Header().Get("Content-Type"))

	require.JSONEq(t, `{"property": {"key": "my.password", "value": "<redacted>", "isFinal": true, "resource": "`+
		byKey["my.password"].Source+`"}}`, call(h, "GET", "/conf?format=json&name=my.password").Body.String())
	require.Equal(t, http.StatusNotFound, call(h, "GET", "/conf?name=none").Code)
	require.Equal(t, http.StatusBadRequest, call(h, "GET", "/conf?format=yaml").Code)
}

func TestLogLevel(t *testing.T) {
	h, log := start(t, conf.New())
	has := func(want string) {
		t.Helper()
		require.Equal(t, "<!-- OUTPUT -->Effective Level: <b>"+want+"</b><br />\n",
			call(h, "GET", "/logLevel?log=x").Body.String())
	}
	has("INFO")
	require.Equal(t, http.StatusMethodNotAllowed, call(h, "GET", "/logLevel?log=x&level=DEBUG").Code)
	has("INFO")
	require.Equal(t, http.StatusBadRequest, call(h, "POST", "/logLevel?level=LOUD").Code)
	require.Equal(t, http.StatusOK, call(h, "POST", "/logLevel?log=x&level=debug").Code)
	has("DEBUG")
	require.Contains(t, log.String(), "log level set")
	NewLog(log).Debug("details")
	require.Contains(t, log.String(), "details")
	call(h, "POST", "/logLevel?level=FATAL")
	has("ERROR")
	require.Equal(t, 2, strings.Count(log.String(), "log level set"), "the log says why it is silent")
}

func TestLogs(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("text of "+name), 0o600))
		return file
	}
	log, secret := write("l/jt.log"), write("secret")
	for _, name := range []string{"jt.log.1", "jt.log-20261128.gz", "jt.log.secret", "tt.log", "sub/jt.log"} {
		write("l/" + name)
	}
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "l", "jt.log.2")))
	require.NoError(t, os.Symlink("tt.log", filepath.Join(dir, "l", "jt.log.3")))
	before := logFile
	defer func() { logFile = before }()
	logFile = func() (string, error) { return log, nil }
	h, _ := start(t, conf.New())
	list := call(h, "GET", "/logs/").Body.String()
	for name, want := range map[string]bool{"jt.log": true, "jt.log.1": true, "jt.log-20261128.gz": true,
		"jt.log.2": false, "jt.log.3": false, "jt.log.secret": false, "tt.log": false, "sub/jt.log": false,
		"../secret": false, "../l/jt.log": false, "/etc/passwd": false, "none": false, ".": false} {
		require.Equal(t, want, strings.Contains(list, `"/logs/`+name+`"`), name)
		r := httptest.NewRequest("GET", "/", nil)
		r.SetPathValue("name", name) // as if the mux did not clean paths
		w := httptest.NewRecorder()
		logs(w, r)
		require.Equal(t, want, w.Code == http.StatusOK, name)
		if want {
			require.Equal(t, "text of l/"+name, w.Body.String())
		}
		w = call(h, "GET", "/logs/"+url.PathEscape(name))
		require.NotContains(t, w.Body.String(), "text of secret")
	}
	logFile = func() (string, error) { return "", os.ErrNotExist }
	require.Equal(t, http.StatusNotFound, call(h, "GET", "/logs/").Code)
}

func TestJMX(t *testing.T) {
	jobs := prometheus.NewCounter(prometheus.CounterOpts{Name: "mapred_jobtracker_jobs_failed_total", Help: "x"})
	jobs.Add(3)
	beats := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "mapred_jobtracker_heartbeat_seconds", Help: "x"})
	beats.Observe(.5)
	beats.Observe(.25)
	nodes := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "howdah_mrcluster_nodes", Help: "x"}, []string{"cluster"})
	nodes.WithLabelValues("a,b").Set(7)
	outputs := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "mapred_tasktracker_shuffle_failed_outputs_total", Help: "x"})
	h, _ := start(t, conf.New(), jobs, beats, nodes, outputs)
	beans := func(query string) map[string]map[string]any {
		w := call(h, "GET", "/jmx"+query)
		var answer struct{ Beans []map[string]any }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body)
		out := map[string]map[string]any{}
		for _, b := range answer.Beans {
			out[b["name"].(string)] = b
		}
		return out
	}
	all := beans("")
	require.Equal(t, map[string]any{"name": "Hadoop:service=JobTracker,name=JobTrackerMetrics",
		"modelerType": "JobTrackerMetrics", "tag.Context": "mapred", "jobs_failed": 3.0, "heartbeat_num_ops": 2.0,
		"heartbeat_avg_time": 375.0}, all["Hadoop:service=JobTracker,name=JobTrackerMetrics"])
	require.Equal(t, 7.0, all[`Hadoop:service=JobTracker,name=PoolMetrics,cluster="a,b"`]["nodes"])
	require.Equal(t, 0.0, all["Hadoop:service=JobTracker,name=ShuffleServerMetrics"]["shuffle_failed_outputs"])
	require.Positive(t, all["java.lang:type=Memory"]["HeapMemoryUsage"].(map[string]any)["used"])
	require.Positive(t, all["java.lang:type=Threading"]["ThreadCount"])
	require.Positive(t, all["Hadoop:service=JobTracker,name=JvmMetrics"]["MemHeapUsedM"])

	require.Len(t, beans("?qry=java.lang:type=*"), 5)
	require.Len(t, beans("?qry=java.lang:type=Memor?"), 1)
	require.Empty(t, beans("?qry=java.lang"))
	require.Equal(t, map[string]any{"name": "java.lang:type=Runtime", "modelerType": "runtime", "VmName": "Go"},
		beans("?get=java.lang:type=Runtime::VmName")["java.lang:type=Runtime"])
	require.Equal(t, http.StatusNotFound, call(h, "GET", "/jmx?get=java.lang:type=Memory::x").Code)
}

func TestStacksAndProfiles(t *testing.T) {
	h, _ := start(t, conf.New())
	require.Contains(t, call(h, "GET", "/stacks").Body.String(), "inspect.stacks(")
	require.Contains(t, call(h, "GET", "/debug/pprof/heap?debug=1").Body.String(), "heap profile")
	require.Equal(t, http.StatusNotFound, call(h, "GET", "/debug/pprof/cmdline").Code)
	none := http.NewServeMux()
	(*Process)(nil).Routes(none.Handle)
	require.Equal(t, http.StatusOK, call(none, "GET", "/metrics").Code)
	require.Equal(t, http.StatusNotFound, call(none, "GET", "/stacks").Code)
}
