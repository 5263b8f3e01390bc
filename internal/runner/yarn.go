package runner

import (
	"context"

	"github.com/howdah/howdah/client/yarn"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// yarnRunner runs jobs on an existing Apache Hadoop cluster.
type yarnRunner struct{ base }

func (r *yarnRunner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	c = j.Configure(c)
	splits, err := r.check(ctx, j, c)
	if err != nil {
		return nil, err
	}
	poll, err := pollInterval(c)
	if err != nil {
		return nil, err
	}
	wanted, err := wantedAttempts(c)
	if err != nil {
		return nil, err
	}
	w := r.watcher()
	defer w.left()
	res, err := yarn.Run(ctx, yarn.Job{Job: j, Conf: c, FS: r.Config.FS, Splits: splits, Poll: poll,
		KillOnInterrupt: r.KillOnInterrupt,
		Started: func(id job.ID, url string) {
			w.Started(id, url)
			w.Hint(hint(j, c, splits))
		}, Progress: w.Progress, Failed: func(a job.AttemptID, why string) {
			if wanted[job.AttemptFailed] {
				w.Attempt(AttemptEvent{Attempt: a, State: job.AttemptFailed, Text: why})
			}
		}})
	if err != nil {
		return res, err
	}
	w.Ended(res)
	return res, r.mark(ended(ctx, res))
}
