package webui

import (
	"context"
	"net/http"
	"time"

	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job/status"
)

// schedulerData is the data for the scheduler's page.
type schedulerData struct {
	*status.Scheduler
	// Advanced makes the page show weights and demands, as ?advanced does on Hadoop's page.
	Advanced bool
	Chart    *chart
	Actions  []action
}

func schedulerPage(ctx context.Context, jobs Jobs, record trend.Record, r *http.Request) (*schedulerData, error) {
	s, err := jobs.Scheduler(ctx, "")
	if err != nil {
		return nil, err
	}
	return &schedulerData{s, r.URL.Query().Has("advanced"), newChart(pickSeries(record, PoolSeries, true)), nil}, nil
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
