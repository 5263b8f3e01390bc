package webui

import (
	"context"
	"net/http"
	"time"

	"github.com/howdah/howdah/internal/goal"
	"github.com/howdah/howdah/internal/wire/client"
)

// schedulerData is what the scheduler's page shows.
type schedulerData struct {
	*client.SchedulerStatus
	// Advanced shows weights and demands too, as Hadoop's page does with ?advanced.
	Advanced bool
}

func schedulerPage(ctx context.Context, jobs Jobs, r *http.Request) (*schedulerData, error) {
	s, err := jobs.Scheduler(ctx, &client.Empty{})
	if err != nil {
		return nil, err
	}
	return &schedulerData{s, r.URL.Query().Has("advanced")}, nil
}

// deadline words how a job stands to its deadline; "" = it has none.
func deadline(j *client.JobStatus) string {
	if j.DeadlineMs == 0 {
		return ""
	}
	return goal.Text(j, time.Now())
}

func late(j *client.JobStatus) bool {
	slack, known := goal.Slack(j)
	return goal.Missed(j, time.Now()) || known && slack < 0
}
