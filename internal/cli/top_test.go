package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

func someJobs() []*status.Job {
	at := func(seq int32) job.ID { return job.ID{Cluster: jobID.Cluster, Seq: seq} }
	return []*status.Job{
		{ID: at(1), Name: "an\texceedingly long name of a job without end", User: "ada", Queue: "default", Priority: job.High,
			State: job.Running, SubmitMs: 1000, Maps: status.Tasks{Total: 20, Done: 5, Running: 3, Progress: 0.4}},
		{ID: at(2), Name: "b", User: "eve", Queue: "default", Pool: "etl", State: job.Running, SubmitMs: 61_000,
			DeadlineMs: 500_000, PredictedFinishMs: 400_000,
			Maps: status.Tasks{Total: 1, Done: 1, Progress: 1}, Reduces: status.Tasks{Total: 2, Running: 7}},
		{ID: at(3), User: "bob", State: job.Succeeded, SubmitMs: 2000, FinishMs: 12_000},
	}
}

// Every cell stands under its head.
func TestJobTable(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, writeJobTable(&b, someJobs(), time.UnixMilli(121_000)))
	lines := strings.Split(b.String(), "\n")
	require.Equal(t, []string{
		"JOB                    NAME                            USER  QUEUE    PRIORITY  STATE      MAPS       REDUCES   " +
			"SLOTS  TIME  DEADLINE",
		"job_202611210753_0001  an exceedingly long name of a…  ada   default  HIGH      RUNNING    5/20  40%  -         " +
			"3      2m0s  -",
		"job_202611210753_0002  b                               eve   etl      NORMAL    RUNNING    1/1 100%   0/2   0%  " +
			"7      1m0s  slack 1m40s",
		"job_202611210753_0003  -                               bob   -        NORMAL    SUCCEEDED  -          -         " +
			"0      10s   -", ""}, lines)
}

// No name reverses the text after it, or controls a terminal.
func TestNamesAreVisible(t *testing.T) {
	hidden := "a\u202eb\u009bc"
	j := &status.Job{Name: hidden, User: "ann", Pool: hidden}
	var b bytes.Buffer
	require.NoError(t, writeJobTable(&b, []*status.Job{j}, time.UnixMilli(1)))
	require.NoError(t, writeJobColumns(&b, []*status.Job{j}, false))
	writeSchedule(&b, j)
	require.Equal(t, 4, strings.Count(b.String(), "a\uFFFDb\uFFFDc"))
	require.NotContains(t, b.String(), "\u202e")
	code, out, _ := call(t, "job", "-history", writeJournal(t, hidden))
	require.Zero(t, code)
	require.Contains(t, out, "JobName: a\uFFFDb\uFFFDc\n")
}

func TestHadoopsColumnsOnTerminal(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, writeJobColumns(&b, someJobs()[1:], true))
	require.Equal(t, "JobId                  State  StartTime  UserName  Priority  SchedulingInfo\n"+
		"job_202611210753_0002  1      61000      eve       NORMAL    pool etl, deadline missed\n"+
		"job_202611210753_0003  2      2000       bob       NORMAL    NA\n",
		regexp.MustCompile(`missed, .* ago`).ReplaceAllString(b.String(), "missed"))
}

func TestTopSorts(t *testing.T) {
	c := &status.Cluster{Scheduler: "fair", Running: 2, Finished: 1, Trackers: []*status.Tracker{
		{Maps: status.Slots{Total: 4, Used: 3}, Reduces: status.Slots{Total: 2}},
		{Maps: status.Slots{Total: 4}, Reduces: status.Slots{Total: 2, Used: 2}}}}
	order := func(v topView) (ids string) {
		for _, l := range v.screen(c, someJobs(), time.UnixMilli(121_000), 0, 0)[4:] {
			ids += l[len("job_202611210753_000"):len("job_202611210753_0001")]
		}
		return ids
	}
	for name, want := range map[string]string{"job": "321", "name": "312", "user": "132", "queue": "312",
		"priority": "123", "state": "123", "maps": "123", "reduces": "213", "slots": "213", "time": "132",
		"deadline": "213"} {
		require.Equal(t, want, order(topView{column: columnNamed(name)}), name)
	}
	v := topView{column: columnNamed("slots")}
	require.True(t, v.key('r'))
	require.Equal(t, "312", order(v))
	for _, key := range "<<r" {
		require.True(t, v.key(byte(key)))
	}
	require.Equal(t, columnNamed("maps"), v.column)
	for range 20 {
		require.True(t, v.key('>'))
	}
	require.Equal(t, columnNamed("deadline"), v.column)
	require.True(t, v.key('a') && v.all)
	require.False(t, v.key('q'))
	require.False(t, v.key(3))

	lines := v.screen(c, someJobs(), time.UnixMilli(121_000), 30, 5)
	require.Len(t, lines, 5)
	require.Len(t, lines[0], 30)
	lines = v.screen(c, someJobs(), time.UnixMilli(121_000), 0, 0)
	require.Contains(t, lines[0], "scheduler fair  2 TaskTrackers  map slots 3 of 8  reduce slots 2 of 4")
	require.Equal(t, "jobs: 2 running, 0 preparing, 1 ended  sorted by deadline", lines[1])
}

func TestTopWithoutTerminal(t *testing.T) {
	jt, _ := startFake(t)
	code, out, said := call(t, "top", "-jt", jt, "--sort", "User")
	require.Zero(t, code, said)
	require.Contains(t, out, "sorted by user\n\nJOB ")
	require.Contains(t, out, "\njob_202611210753_0001  wordcount")
	code, _, said = call(t, "top", "-jt", jt, "--sort", "slot")
	require.Equal(t, 2, code)
	require.Contains(t, said, "did you mean slots?")
	code, _, _ = call(t, "top", "-jt", jt, "--every", "0s")
	require.Equal(t, 2, code)
}
