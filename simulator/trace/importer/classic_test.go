package importer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
)

// TestHadoop018 reads logs of Hadoop 0.18, which have no version line, no escapes, and no final
// dots.
func TestHadoop018(t *testing.T) {
	tr, err := Read([]string{"testdata/hadoop018.log"}, Options{})
	require.NoError(t, err)
	require.Empty(t, tr.Damage)
	require.Len(t, tr.Jobs, 1)
	j := tr.Jobs[0]
	require.Equal(t, `a "quoted" name`, j.Name)
	require.Equal(t, job.Succeeded, j.State)
	require.EqualValues(t, 1200000001000, j.Submit)
	require.EqualValues(t, 1200000022000, j.Finish)
	require.Equal(t, []trace.Map{
		{Time: 10000, Start: 1200000005000, Host: "h2", Hosts: []string{"h1", "h2"}, Input: 777, Failed: []int64{1000}},
		{Time: 10000, Start: 1200000003000, Host: "h3"},
	}, j.Maps)
	// The reduce started before the last map ended at ...15, so its first shuffle lasts until the
	// sort ended at ...18.
	require.Equal(t, []trace.Reduce{{First: true, Shuffle: 3000, Time: 3000, Start: 1200000010000, Host: "h1"}}, j.Reduces)
}

// TestHadoop1 reads a log of Hadoop 1.x with its configuration, a speculative attempt, a truncated
// line, and an invalid time.
func TestHadoop1(t *testing.T) {
	tr, err := Read([]string{"testdata/job_201201010000_0007_bob_sort.log"}, Options{})
	require.NoError(t, err)
	j := tr.Jobs[0]
	require.Equal(t, []string{`sort "it" = all.`, "bob", "prod"}, []string{j.Name, j.User, j.Queue})
	require.Equal(t, job.High, j.Priority)
	require.Equal(t, []job.Property{{Name: "mapred.fairscheduler.pool", Value: "etl"},
		{Name: "mapreduce.job.reduce.slowstart.completedmaps", Value: "0.5"}}, j.Conf)
	require.Equal(t, []trace.Map{
		{Time: 6000, Start: 1325376003000, Host: "h1.x", Hosts: []string{"h1.x", "h2.x"}, Input: 4096},
		{Time: 5000, Start: 1325376007000, Host: "h3.x"},
		{Time: 6000, Hosts: []string{"h1.x", "h2.x"}, Input: 4096}, // takes the place of the map whose lines are damaged
	}, j.Maps)
	require.Equal(t, []trace.Reduce{
		{First: true, Shuffle: 3000, Time: 3000, Start: 1325376010000, Host: "h1.x"},
		{Shuffle: 4000, Time: 4000, Start: 1325376016000, Host: "h2.x"},
	}, j.Reduces)
	require.Contains(t, tr.Nodes, trace.Node{Host: "h9", Rack: "/r2"})
	var places []int64
	for _, d := range tr.Damage {
		places = append(places, d.Line)
	}
	require.Equal(t, []int64{14, 15, 0}, places)
}

// TestFrames reads a file that contains several files of different kinds, in any order.
func TestFrames(t *testing.T) {
	var all strings.Builder
	for _, f := range []string{"job_201201010000_0007_conf.xml", "hadoop018.log", "job_201201010000_0007_bob_sort.log"} {
		b, err := os.ReadFile(filepath.Join("testdata", f))
		require.NoError(t, err)
		all.WriteString("\f!!FILE=" + f + "!!\n" + string(b))
	}
	all.WriteString("!!FILE=README!!\nnothing of interest\n!!FILE=empty!!\n")
	im, err := OpenStream("logs", strings.NewReader(all.String()), Options{})
	require.NoError(t, err)
	tr, err := im.Trace()
	require.NoError(t, err)
	require.Len(t, tr.Jobs, 2)
	require.Equal(t, "etl", tr.Jobs[1].Conf[0].Value)
	require.Len(t, tr.Damage, 5)
	require.Contains(t, tr.Damage[0].Path, "logs!job_201201010000_0007_bob_sort.log")
}

// TestFailedJob checks that the importer keeps the tasks of a failed job that ran, because they
// held slots. It must drop the tasks that never ran.
func TestFailedJob(t *testing.T) {
	log := `Meta VERSION="1" .
Job JOBID="job_1_0001" USER="u" SUBMIT_TIME="1000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" START_TIME="2000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" ` +
		`TASK_STATUS="FAILED" FINISH_TIME="5000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_1" START_TIME="6000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_1" ` +
		`TASK_STATUS="FAILED" FINISH_TIME="7000" .
Task TASKID="task_1_0001_m_000001" TASK_TYPE="MAP" START_TIME="2000" .
Task TASKID="task_1_0001_r_000000" TASK_TYPE="REDUCE" TASK_STATUS="KILLED" FINISH_TIME="7500" .
Job JOBID="job_1_0001" FINISH_TIME="8000" JOB_STATUS="FAILED" .
`
	j := readString(t, log).Jobs[0]
	require.Equal(t, job.Failed, j.State)
	require.Equal(t, []trace.Map{{Time: 3000, Start: 2000, Failed: []int64{1000}}}, j.Maps)
	require.Empty(t, j.Reduces)
}

// TestLostMapOutput reads a log with a map that ran twice because its output was lost. The second
// attempt must count.
func TestLostMapOutput(t *testing.T) {
	log := `Meta VERSION="1" .
Job JOBID="job_1_0001" USER="u" SUBMIT_TIME="1000" .
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" START_TIME="2000" .
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" TASK_STATUS="SUCCESS" ` +
		`FINISH_TIME="3000" .
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" TASK_STATUS="FAILED" ` +
		`FINISH_TIME="4000" .
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_1" START_TIME="4000" .
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_1" TASK_STATUS="SUCCESS" ` +
		`FINISH_TIME="9000" .
Job JOBID="job_1_0001" FINISH_TIME="9500" JOB_STATUS="SUCCESS" .
`
	require.Equal(t, []trace.Map{{Time: 5000, Start: 4000, Failed: []int64{2000}}}, readString(t, log).Jobs[0].Maps)
}

// TestSkewedClocks reads a log of machines whose clocks disagree. A task that starts before its
// job's submission must mark the job, and no phase may be negative.
func TestSkewedClocks(t *testing.T) {
	log := `Job JOBID="job_1_0001" USER="u" SUBMIT_TIME="5000"
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" START_TIME="4000"
MapAttempt TASKID="task_1_0001_m_000000" TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" TASK_STATUS="SUCCESS" ` +
		`FINISH_TIME="9000"
ReduceAttempt TASKID="task_1_0001_r_000000" TASK_ATTEMPT_ID="attempt_1_0001_r_000000_0" START_TIME="6000" 
ReduceAttempt TASKID="task_1_0001_r_000000" TASK_ATTEMPT_ID="attempt_1_0001_r_000000_0" TASK_STATUS="SUCCESS" ` +
		`SHUFFLE_FINISHED="7000" SORT_FINISHED="8000" FINISH_TIME="7500"
Job JOBID="job_1_0001" FINISH_TIME="9500" JOB_STATUS="SUCCESS"
`
	j := readString(t, log).Jobs[0]
	require.True(t, j.Skewed)
	require.Equal(t, []trace.Reduce{{First: true, Start: 6000}}, j.Reduces)
}

func TestReduceOnlyJob(t *testing.T) {
	log := `Job JOBID="job_1_0001" USER="u" SUBMIT_TIME="5000" TOTAL_MAPS="0" TOTAL_REDUCES="1"
ReduceAttempt TASKID="task_1_0001_r_000000" TASK_ATTEMPT_ID="attempt_1_0001_r_000000_0" START_TIME="6000"
ReduceAttempt TASKID="task_1_0001_r_000000" TASK_ATTEMPT_ID="attempt_1_0001_r_000000_0" TASK_STATUS="SUCCESS" ` +
		`SHUFFLE_FINISHED="6500" SORT_FINISHED="7000" FINISH_TIME="9000"
Job JOBID="job_1_0001" FINISH_TIME="9500" JOB_STATUS="SUCCESS"
`
	require.Equal(t, []trace.Reduce{{Shuffle: 1000, Time: 2000, Start: 6000}}, readString(t, log).Jobs[0].Reduces)
}

func readString(t *testing.T, s string) *trace.Trace {
	t.Helper()
	im, err := OpenStream("test", strings.NewReader(s), Options{})
	require.NoError(t, err)
	tr, err := im.Trace()
	require.NoError(t, err)
	return tr
}

func TestLimits(t *testing.T) {
	b, err := os.ReadFile("testdata/hadoop018.log")
	require.NoError(t, err)
	im, err := OpenStream("log", strings.NewReader(string(b)), Options{MaxTasks: 2, MaxLine: 200})
	require.NoError(t, err)
	require.Greater(t, im.Damaged, int64(5))
	_, err = OpenStream("log", strings.NewReader(string(b)), Options{MaxTasks: -1})
	require.NoError(t, err)
}

func TestWhatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "no job could be read",
		"hello, world\n":                  "not a trace or log",
		"{}":                              "no job could be read",
		"<html></html>":                   "not a trace or log",
		"Avro-Json":                       "no job could be read",
		"howdahj1":                        "no job could be read",
		"\x1f\x8b\x08":                    "not a trace", // see below: not valid gzip either
		`{"howdah-trace":9}` + "\n":       "version 9",
		`Job JOBID="x" USER="u" .` + "\n": "no job could be read",
	} {
		_, err := OpenStream("test", strings.NewReader(text), Options{})
		require.Error(t, err, text)
		if text[:min(1, len(text))] == "\x1f" {
			require.Equal(t, failure.Corrupt, failure.KindOf(err))
			continue
		}
		require.ErrorContains(t, err, want)
	}
	_, err := Open([]string{"testdata/none"}, Options{})
	require.Equal(t, failure.NotFound, failure.KindOf(err))
}

// FuzzImport checks that reading any input terminates within its limits and yields only valid jobs.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"hadoop018.log", "job_201201010000_0007_bob_sort.log", "job_201201010000_0007_conf.xml",
		"small.jhist", "binary.jhist", "rumen.json", "swim.tsv"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add(facts(f))
	f.Add([]byte(`{"howdah-trace":1,"name":"mix","origin":"generated","slots":[2,0]}` + "\n" +
		`{"id":"j","submit":5,"state":4,"hosts":["h"],"maps":{"n":2,"time":[5,6],"host":[1,0],"hosts":{"1":[1]},` +
		`"failed":{"0":[3]}},"reduces":{"n":1,"first":[1],"shuffle":[4]}}` + "\n"))
	f.Add([]byte("!!FILE=job_1_1_conf.xml!!\n<configuration/>\n!!FILE=x!!\n1\t2\t3\t4\t5\t6\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1 && b[0] == 0x1f {
			return // its decompressed size would be unlimited
		}
		start := time.Now()
		defer func() { require.Less(t, time.Since(start), 5*time.Second) }()
		im, err := OpenStream("fuzz", strings.NewReader(string(b)), Options{MaxTasks: 10000, MaxLine: 1 << 16, MaxJobs: 100,
			SWIM: Rates{Block: 1 << 50, BytesPerReduce: 1 << 50}})
		if err != nil {
			return
		}
		tr, err := im.Trace()
		if err != nil {
			return
		}
		for _, j := range tr.Jobs {
			sound(t, j)
		}
	})
}
