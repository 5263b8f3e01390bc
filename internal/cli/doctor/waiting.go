package doctor

import (
	"context"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// Waiting explains why a job makes no progress.
func Waiting(ctx context.Context, jobs *client.Client, id job.ID) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	j, err := jobs.Status(ctx, id, status.Query{Attempts: true})
	if err != nil {
		return nil, err
	}
	cluster, err := jobs.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	s, err := jobs.Scheduler(ctx)
	if err != nil {
		return nil, err
	}
	return Report(diagnosis.Waiting(j, cluster, s)), nil
}
