package webui

import (
	"context"
	"net/http"
	"time"

	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job/status"
)

// schedulerData is the data for the scheduler's page.
type schedulerData struct {
	*status.Scheduler
	// Advanced makes the page show weights and demands, as ?advanced does on Hadoop's page.
	Advanced bool
	// Queue is the first unfinished jobs. If Ordered is true, they are in the order in which the
	// scheduler serves them.
	Queue   []*status.Job
	Ordered bool
	More    int // number of jobs that are not in Queue
	Chart   *chart
	Actions []action
}

// maxQueue is the maximum number of jobs on the scheduler's page.
const maxQueue = 200

func schedulerPage(ctx context.Context, jobs Jobs, record trend.Record, r *http.Request) (*schedulerData, error) {
	s, err := jobs.Scheduler(ctx, "")
	if err != nil {
		return nil, err
	}
	d := &schedulerData{Scheduler: s, Advanced: r.URL.Query().Has("advanced"),
		Chart: newChart(pickSeries(record, PoolSeries, true))}
	d.Queue, d.Ordered = diagnosis.InOrder(s)
	d.More = max(0, len(d.Queue)-maxQueue)
	d.Queue = d.Queue[:len(d.Queue)-d.More]
	return d, nil
}

// deadline returns a text that says by how much a job meets or misses its deadline. If the job has
// no deadline, it returns "".
func deadline(j *status.Job) string {
	if j.DeadlineMs == 0 {
		return ""
	}
	return j.DeadlineText(time.Now())
}

func late(j *status.Job) bool {
	slack, known := j.Slack()
	return j.Missed(time.Now()) || known && slack < 0
}
