package webui

import (
	"context"
	"net/http"
	"time"

	"github.com/howdah/howdah/job/status"
)

// schedulerData is the data for the scheduler's page.
type schedulerData struct {
	*status.Scheduler
	// Advanced adds weights and demands, as ?advanced does on Hadoop's page.
	Advanced bool
}

func schedulerPage(ctx context.Context, jobs Jobs, r *http.Request) (*schedulerData, error) {
	s, err := jobs.Scheduler(ctx, "")
	if err != nil {
		return nil, err
	}
	return &schedulerData{s, r.URL.Query().Has("advanced")}, nil
}

// deadline describes by how much a job meets or misses its deadline. It returns "" for a job
// without a deadline.
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
