package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

func TestWhereJobsRun(t *testing.T) {
	for _, x := range []struct {
		settings string
		local    bool
	}{
		{"", true},
		{"mapred.job.tracker=local", true},
		{"mapred.job.tracker=host:9001", false},
		{"mapreduce.jobtracker.address=host:9001 mapreduce.framework.name=local", true},
		{"mapreduce.jobtracker.address=host:9001 mapreduce.framework.name=classic", false},
		{"mapreduce.framework.name=classic", true},
	} {
		c := conf.New()
		for _, s := range strings.Fields(x.settings) {
			k, v, _ := strings.Cut(s, "=")
			c.Set(k, v, "-D")
		}
		require.Equal(t, x.local, Local(c), x.settings)
	}
}

func TestAnUnknownFrameworkIsRefused(t *testing.T) {
	for name, ok := range map[string]bool{"local": true, "yarn": true, "yran": false, "yarn-tez": false} {
		c := conf.New()
		c.Set("mapreduce.framework.name", name, "-D")
		_, err := New(Config{Conf: c})
		require.Equal(t, !ok, failure.Is(err, failure.Config), "%s: %v", name, err)
	}
}

// The stack of a panic is printed once for each reason.
func TestStacksAreNotRepeated(t *testing.T) {
	var w strings.Builder
	l := &Lines{W: &w}
	l.Started(job.ID{Cluster: "202611210753", Seq: 7}, "")
	attempt := job.Attempt{Task: job.Task{Job: 7}}.ID("202611210753")
	for _, why := range []string{"panic: one", "panic: one", "panic: two", "no panic", "no panic"} {
		log := "my line\n"
		if why != "no panic" {
			log += why + "\ngoroutine 1 [running]:\nmain.main()\n"
		}
		l.Attempt(AttemptEvent{Attempt: attempt, State: job.AttemptFailed, Text: why, Log: log})
		attempt.N++
	}
	require.Equal(t, 2, strings.Count(w.String(), "main.main()"), w.String())
	require.Equal(t, 5, strings.Count(w.String(), "my line\n"))
	require.Contains(t, w.String(), "my line\npanic: one\n"+
		"howdah job -logs job_202611210753_0007 attempt_202611210753_0007_m_000000_1 prints the stack\n")
}

func TestLines(t *testing.T) {
	var w strings.Builder
	l := &Lines{W: &w}
	id := job.ID{Cluster: "202611210753", Seq: 7}
	l.Started(id, "http://host/job")
	for _, p := range []float32{0, 0.001, 0.4, 0.4, 0.999, 1} {
		l.Progress(p, 0)
	}
	l.Waits("no slot is free")
	l.Attempt(AttemptEvent{Attempt: job.Attempt{Task: job.Task{Job: 7}}.ID("202611210753"), State: job.AttemptFailed,
		Text: "why", Log: "the log\n"})
	l.Ended(&mapreduce.Result{ID: id, State: job.Failed, Diagnostics: "too bad"})
	require.Equal(t, `The url to track the job: http://host/job
Running job: job_202611210753_0007
 map 0% reduce 0%
 map 40% reduce 0%
 map 99% reduce 0%
 map 100% reduce 0%
Job job_202611210753_0007 waits: no slot is free
Task Id : attempt_202611210753_0007_m_000000_0, Status : FAILED
why
the log
Job job_202611210753_0007 failed with state FAILED due to: too bad
`, w.String())
}

func TestFoldedCounters(t *testing.T) {
	c := &job.Counters{}
	c.Builtin[job.LaunchedMaps], c.Builtin[job.MapInputRecords], c.Builtin[job.CPUMillis] = 10, 5, 7
	c.Builtin[job.FailedMaps] = 2
	c.Add("MINE", "THINGS", 3)
	var w, whole strings.Builder
	(&Lines{W: &w, fold: true}).Ended(&mapreduce.Result{State: job.Succeeded, Counters: c})
	require.Regexp(t, `completed successfully
Counters: 3 of 18 \(howdah run --counters all prints all\)
	Job Counters 
		Failed map tasks=2
	Map-Reduce Framework
		Map input records=5
	MINE
		THINGS=3
$`, w.String())
	c.Builtin[job.LaunchedReduces] = 1
	w.Reset()
	writeFolded(&w, c)
	WriteCounters(&whole, c)
	require.Equal(t, whole.String(), w.String(), "the job is not small")
}

func TestCountersThatAreShown(t *testing.T) {
	c := &job.Counters{}
	c.Builtin[job.LaunchedMaps], c.Builtin[job.MapInputRecords] = 1, 5
	c.Add("MINE", "THINGS", 3)
	var w strings.Builder
	WriteCounters(&w, c)
	text := w.String()
	require.True(t, strings.HasPrefix(text, "Counters: 16\n\tFile System Counters\n\t\tFILE: Number of bytes read=0\n"),
		text)
	require.Contains(t, text, "\tMINE\n\t\tTHINGS=3\n\tFile Input Format Counters \n\t\tBytes Read=0\n")
	require.NotContains(t, text, "HDFS")
	require.NotContains(t, text, "Shuffle Errors", "a job without reducers has none")
	c.Builtin[job.LaunchedReduces], c.Builtin[job.MapPhysicalMemoryMax], c.Builtin[job.ReduceSkippedGroups] = 1, 7, 2
	w.Reset()
	WriteCounters(&w, c)
	require.Contains(t, w.String(), "\t\tPeak Map Physical memory (bytes)=7\n\t\tReduce skipped groups=2\n")
	require.Contains(t, w.String(), "\tShuffle Errors\n\t\tBAD_ID=0\n")
}

func TestHowAJobEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &mapreduce.Result{ID: job.ID{Cluster: "c", Seq: 1}, State: job.Succeeded}
	require.NoError(t, ended(ctx, r))
	r.State, r.Diagnostics = job.Failed, "no luck"
	err := ended(ctx, r)
	require.Equal(t, failure.Failed, failure.KindOf(err))
	require.ErrorContains(t, err, "no luck")
	r.State = job.Killed
	require.Equal(t, failure.Killed, failure.KindOf(ended(ctx, r)))
	cancel()
	require.Equal(t, 6, failure.KindOf(ended(ctx, r)).ExitCode())
}

func TestEventStates(t *testing.T) {
	for text, want := range map[status.EventState]job.AttemptState{"FAILED": job.AttemptFailed,
		"TIPFAILED": job.AttemptFailed,
		"KILLED":    job.AttemptKilled, "OBSOLETE": job.AttemptSucceeded} {
		got, ok := text.Attempt()
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	_, ok := status.EventState("?").Attempt()
	require.False(t, ok)
	c := conf.New()
	c.Set("jobclient.output.filter", "sometimes", "-D")
	_, err := newEvents(nil, c)
	require.Equal(t, failure.Config, failure.KindOf(err))
}
