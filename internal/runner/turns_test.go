package runner

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Concurrent jobs are shown one after another, and no event except progress is lost.
func TestTurns(t *testing.T) {
	var out bytes.Buffer
	b := newBase(Config{Watcher: &Lines{W: &out}})
	id := func(n int32) job.ID { return job.ID{Cluster: "c", Seq: n} }
	first, second, third, gone := b.watcher(), b.watcher(), b.watcher(), b.watcher()
	first.Started(id(1), "")
	second.Started(id(2), "")
	second.Progress(0.5, 0)
	second.Waits("it is not its turn")
	second.Attempt(AttemptEvent{State: job.AttemptFailed, Text: "second broke"})
	gone.Started(id(3), "")
	third.Started(id(4), "")
	gone.left()
	second.Ended(&mapreduce.Result{ID: id(2), State: job.Succeeded})
	first.Waits("no slot")
	first.Progress(1, 0)
	first.Ended(&mapreduce.Result{ID: id(1), State: job.Succeeded})
	first.left()
	third.Progress(1, 1)
	third.Ended(&mapreduce.Result{ID: id(4), State: job.Succeeded})

	lines := regexp.MustCompile(`(?m)^.*(Running job: job_c|map \d+%|broke|Job job_c).*$`).FindAllString(out.String(), -1)
	require.Equal(t, []string{
		"Running job: job_c_0001", "Job job_c_0001 waits: no slot", " map 100% reduce 0%",
		"Job job_c_0001 completed successfully",
		"Running job: job_c_0002", "second broke", "Job job_c_0002 completed successfully",
		"Running job: job_c_0003",
		"Running job: job_c_0004", " map 100% reduce 100%", "Job job_c_0004 completed successfully",
	}, lines)
}
