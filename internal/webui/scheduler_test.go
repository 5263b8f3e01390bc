package webui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// TestSchedulerPageShowsTheQueue checks that jobs are in the policy's order, and that the page lists a
// limited number of them.
func TestSchedulerPageShowsTheQueue(t *testing.T) {
	jobs := sample(0)
	jobs.scheduler = &status.Scheduler{Name: "fifo"}
	for i := range 250 {
		jobs.scheduler.Jobs = append(jobs.scheduler.Jobs, &status.Job{ID: job.ID{Cluster: "1", Seq: int32(i + 1)},
			State: job.Running, SubmitMs: int64(1_000 - i), Maps: status.Tasks{Total: 7, Running: 3, Waiting: 4}})
	}
	jobs.scheduler.Jobs[0].Priority = job.High
	_, body, _ := get(t, JobTracker(jobs, Parts{}), "/scheduler")
	require.Contains(t, body, `<td class="n">1</td><td><a href="/jobs/job_1_0001">`)
	require.Contains(t, body, `<td class="n">2</td><td><a href="/jobs/job_1_0250">`)
	require.Contains(t, body, "3 running, 4 waiting <small>0 of 7")
	require.Contains(t, body, `lists 50 more jobs.`)
	require.NotContains(t, body, "job_1_0002")
	require.Less(t, len(body), 300_000)
}

func TestClusterPageShowsRacks(t *testing.T) {
	jobs := sample(0)
	tracker := func(rack string, used int32, bad bool) *status.Tracker {
		return &status.Tracker{Name: rack, Rack: rack, Maps: status.Slots{Total: 4, Used: used}, Blacklisted: bad}
	}
	jobs.cluster.Trackers = []*status.Tracker{tracker("/b", 1, false), tracker("/a", 2, false)}
	_, body, _ := get(t, JobTracker(jobs, Parts{}), "/")
	require.Contains(t, body, `<td class="name">/a</td><td class="n">1</td><td class="n">1</td>`)
	jobs.cluster.Trackers = append(jobs.cluster.Trackers, tracker("/b", 4, true))
	_, body, _ = get(t, JobTracker(jobs, Parts{}), "/")
	_, row, _ := strings.Cut(body, `<td class="name">/b</td><td class="n">2</td><td class="n">1</td>`)
	require.Contains(t, row[:200], "<small>5 of 8</small>")
	jobs.cluster.Trackers = jobs.cluster.Trackers[:1]
	_, body, _ = get(t, JobTracker(jobs, Parts{}), "/")
	require.NotContains(t, body, "Racks", "one rack")
}
