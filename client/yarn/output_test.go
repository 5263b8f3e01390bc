package yarn

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const said = `INFO client.DefaultNoHARMFailoverProxyProvider: Connecting to ResourceManager at /127.0.0.1:8032
INFO mapreduce.JobSubmitter: Submitting tokens for job: job_1795286664450_0002
INFO mapreduce.Job: The url to track the job: http://localhost:28066/proxy/application_1795286664450_0002/
INFO mapreduce.Job: Running job: job_1795286664450_0002
INFO mapreduce.Job:  map 0% reduce 0%
INFO mapreduce.Job:  map 67% reduce 11%
INFO mapreduce.Job: Task Id : attempt_1795286664450_0002_m_000001_0, Status : FAILED
Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 1
INFO mapreduce.Job: Counters: 54
	File System Counters
		FILE: Number of bytes read=79263
	Job Counters 
		Launched map tasks=3
		Data-local map tasks=2
		No such counter=9
	Map-Reduce Framework
		Map input records=3
	howdah/org.apache.hadoop.mapreduce.TaskCounter
		MAP_INPUT_RECORDS=3000
	howdah/a%2Cb+%3D
		x=y=8
		broken
		z=no number
INFO streaming.StreamJob: Output directory: /out
	MAP_INPUT_RECORDS=1
`

// TestARefusedJobIsNoJob checks a job that YARN rejects after the client has printed its ID.
func TestARefusedJobIsNoJob(t *testing.T) {
	r := &run{hadoop: &hadoop{java: "java"}}
	r.told.read(strings.NewReader(`INFO mapreduce.JobSubmitter: Submitting tokens for job: job_1795286664450_0003
ERROR streaming.StreamJob: Error Launching job : Failed to submit application_1795286664450_0003 to YARN : unknown ` +
		`queue: nope
`))
	res, err := r.end(t.Context(), errors.New("exit status 5"))
	require.Nil(t, res)
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "unknown queue: nope")
}

// TestCtrlCReachesHadoopsClientToo checks that an interrupted job does not count as failed and
// keeps its files, even if Hadoop's client stops before this process notices the interrupt.
func TestCtrlCReachesHadoopsClientToo(t *testing.T) {
	home := t.TempDir()
	script := filepath.Join(home, "hadoop")
	require.NoError(t, os.WriteFile(script,
		[]byte("#!/bin/sh\necho 'INFO mapreduce.Job: Running job: job_1_0001'\nexit 130\n"), 0o755))
	r := &run{Job: Job{Job: &mapreduce.Job{}, Conf: conf.New(), Poll: time.Hour}, hadoop: &hadoop{script: script},
		local: home}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.submit(unheard{ctx}, &streaming{conf: r.Conf})
	require.True(t, failure.Is(err, failure.Interrupted), "%v", err)
	require.True(t, r.kept)
}

// unheard is a context that has ended but has not closed its Done channel.
type unheard struct{ context.Context }

func (unheard) Done() <-chan struct{} { return nil }

func TestReasonsOfHadoopsOwn(t *testing.T) {
	var x told
	x.read(strings.NewReader(`2026-11-21 21:38:14,123 INFO mapreduce.Job: Task Id : ` +
		`attempt_1795286664450_0002_m_000001_0, Status : FAILED
[2026-11-21 21:38:13.900]Container [pid=7] is running beyond physical memory limits.
2026-11-21 21:38:15,123 INFO mapreduce.Job: Task Id : attempt_1795286664450_0002_m_000001_1, Status : FAILED
`))
	require.Len(t, x.failures(), 1, "the reason of the second is not said yet")
	require.Contains(t, x.failures()[0].why, "beyond physical memory limits")
}

func TestWhatHadoopSays(t *testing.T) {
	var x told
	x.read(strings.NewReader(said))
	id, url, maps, reduces := x.snapshot()
	require.Equal(t, "job_1795286664450_0002", id.String())
	require.Equal(t, "http://localhost:28066/proxy/application_1795286664450_0002/", url)
	require.Equal(t, []float32{0.67, 0.11}, []float32{maps, reduces})
	require.EqualValues(t, 3, x.counters.Builtin[job.LaunchedMaps])
	require.EqualValues(t, 2, x.counters.Builtin[job.DataLocalMaps])
	require.EqualValues(t, 3000, x.counters.Builtin[job.MapInputRecords])
	require.Zero(t, x.counters.Builtin[job.FileBytesRead], "Hadoop's own process read those")
	require.Equal(t, []job.UserCounter{{Group: "a,b =", Name: "x=y", Value: 8}}, x.counters.User)
	require.Len(t, x.errors, 1)
	require.True(t, x.isAccepted())
	require.Len(t, x.failures(), 1)
	require.Equal(t, "attempt_1795286664450_0002_m_000001_0", x.failures()[0].id.String())
	require.Equal(t, "the program exited with code 1 without an error message", x.failures()[0].why)

	c, ok := newCluster(url, id)
	require.True(t, ok)
	require.Equal(t, []string{"http://localhost:28066", "application_1795286664450_0002"}, []string{c.base, c.app})
	for _, bad := range []string{"", "N/A", "http://host/proxy/application_1_0001/",
		"ftp://host/proxy/application_1795286664450_0002/"} {
		_, ok := newCluster(bad, id)
		require.False(t, ok, bad)
	}
}

// TestTheEndOfALongLineIsNoLine checks that the rest of a line that is too long does not look like
// a line of its own.
func TestTheEndOfALongLineIsNoLine(t *testing.T) {
	var x told
	long := strings.Repeat("x", maxLine)
	x.read(strings.NewReader("INFO mapreduce.Job: Counters: 2\n\tJob Counters \n" +
		"\t\t" + long[2:] + "\t\tLaunched map tasks=7\n" +
		"\t\tData-local map tasks=3\n" +
		"Exception: " + long + long + "ERROR: not this\n" +
		long + " map 50% reduce 10%\nERROR: last\n"))
	require.Zero(t, x.counters.Builtin[job.LaunchedMaps])
	require.EqualValues(t, 3, x.counters.Builtin[job.DataLocalMaps])
	require.Len(t, x.errors, 2)
	require.True(t, strings.HasPrefix(x.errors[0], "Exception: xx"), "the line that is too long")
	require.Equal(t, "ERROR: last", x.errors[1])
	require.Zero(t, x.maps)
}

type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := a[r.URL.String()]
	if !ok {
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestWhyTheLastAttemptFailed(t *testing.T) {
	id, err := job.ParseID("job_1795286664450_0002")
	require.NoError(t, err)
	const rest = "/mapreduce/jobs/job_1795286664450_0002/tasks/task_1795286664450_0002_m_000001/attempts"
	const body = `{"taskAttempts":{"taskAttempt":[
		{"id":"attempt_1795286664450_0002_m_000001_0","state":"FAILED","diagnostics":"Error: java.lang.RuntimeException: ` +
		`PipeMapRed.waitOutputThreads(): subprocess failed with code 137\n\tat org.apache"},
		{"id":"attempt_1795286664450_0002_m_000001_1","state":"KILLED","diagnostics":"x"}]}}`
	for from, a := range map[string]answers{
		"the ApplicationMaster": {"http://rm/proxy/application_1795286664450_0002/ws/v1" + rest: body},
		"the history server":    {"http://history:19888/ws/v1/history" + rest: body},
	} {
		c := &cluster{base: "http://rm", app: "application_1795286664450_0002", http: http.Client{Transport: a}}
		got := c.failedAttempts(t.Context(), id, taskID().FindString("Task failed task_1795286664450_0002_m_000001\n"),
			"history:19888")
		require.Len(t, got, 1, from)
		require.Equal(t, "attempt_1795286664450_0002_m_000001_0", got[0].id.String())
		require.Equal(t, "the program exited with code 137 without an error message", got[0].why)
		require.Empty(t, c.failedAttempts(t.Context(), id, "task_1_1_m_000009", ""))
	}
}

func FuzzWhatHadoopSays(f *testing.F) {
	f.Add(said)
	f.Fuzz(func(t *testing.T, s string) {
		var x told
		x.read(strings.NewReader(s))
	})
}

// install creates executable files in a new directory and returns the directory.
func install(t *testing.T, names ...string) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range names {
		file := filepath.Join(home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	}
	return home
}

func TestHadoopIsFound(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", install(t, "bin/java"))

	home := install(t, "bin/hadoop", "share/hadoop/tools/lib/hadoop-streaming-3.4.2.jar")
	t.Setenv("HADOOP_HOME", home)
	h, err := find()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, "bin/hadoop"), h.script)
	require.Equal(t, filepath.Join(home, "share/hadoop/tools/lib/hadoop-streaming-3.4.2.jar"), h.jar)
	cmd, err := h.command(conf.New(), t.TempDir(), []string{"-input", "x"})
	require.NoError(t, err)
	require.Equal(t, []string{h.script, "jar", h.jar, "-input", "x"}, cmd.Args)

	home = install(t, "lib/hadoop-streaming-3.4.2.jar", "lib/hadoop-common-3.4.2.jar")
	t.Setenv("HADOOP_HOME", home)
	h, err = find()
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(home, "lib", "*")}, h.jars)

	for _, home := range []string{install(t), install(t, "bin/hadoop"), install(t, "lib/hadoop-streaming-3.4.2.jar")} {
		t.Setenv("HADOOP_HOME", home)
		_, err = find()
		require.Equal(t, failure.Config, failure.KindOf(err))
		require.ErrorContains(t, err, "HADOOP_HOME="+home)
	}
	t.Setenv("HADOOP_HOME", "")
	_, err = find()
	require.Equal(t, failure.Config, failure.KindOf(err))
	require.ErrorContains(t, err, "set HADOOP_HOME")

	home = install(t, "bin/hadoop", "share/hadoop/tools/lib/hadoop-streaming-3.4.2.jar")
	t.Setenv("PATH", filepath.Join(home, "bin"))
	h, err = find()
	require.NoError(t, err)
	require.NotEmpty(t, h.script)

	// A link named hadoop to howdah is not Hadoop.
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "hadoop")))
	t.Setenv("PATH", dir)
	_, err = find()
	require.ErrorContains(t, err, "hadoop command is howdah")
}

func TestArguments(t *testing.T) {
	c := conf.New()
	for key, value := range map[string]string{"mapreduce.map.memory.mb": "2048",
		"mapreduce.job.inputformat.class": "TextInputFormat", "yarn.app.x": "1",
		"mapreduce.job.reduces": "3", "mapreduce.map.java.opts": "-Xmx9g"} {
		c.Set(key, value, "-D")
	}
	c.Set("mapreduce.job.queuename", "q", "/etc/hadoop/mapred-site.xml:3")
	s := &streaming{conf: c, name: "words", program: "/p", staged: "hdfs://nn/s", output: "hdfs://nn/out", reduces: 3,
		cuts: "hdfs://nn/s/_partition.lst"}
	all := strings.Join(s.arguments(), " ")
	for _, part := range []string{"-D mapreduce.map.memory.mb=2048", "-D yarn.app.x=1", "-D mapreduce.job.reduces=3",
		"-D mapreduce.job.name=words", "-D mapreduce.map.java.opts=-Xmx200m",
		"-files file:///p#howdah-program,hdfs://nn/s/job.xml#howdah-job.xml",
		"-partitioner org.apache.hadoop.mapred.lib.TotalOrderPartitioner",
		"-reducer ./howdah-program --howdah-piped reduce"} {
		require.Contains(t, all, part)
	}
	require.NotContains(t, all, "inputformat.class")
	require.NotContains(t, all, "queuename", "Hadoop reads its own files")
	require.Equal(t, 1, strings.Count(all, "mapreduce.job.reduces="))
	s.reduces, s.cuts = 0, ""
	require.Contains(t, strings.Join(s.arguments(), " "), "-reducer NONE")
}
