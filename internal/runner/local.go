package runner

import (
	"context"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/local"
)

// localRunner runs jobs in this process.
type localRunner struct{ base }

func (r *localRunner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	c = j.Configure(c)
	interval, err := pollInterval(c)
	if err != nil {
		return nil, err
	}
	started := make(chan begun, 1)
	done := make(chan outcome, 1)
	go func() {
		res, err := local.Run(ctx, local.Options{FS: r.Config.FS, Log: r.Log, Started: func(id job.ID, p *local.Progress) {
			started <- begun{id, p, hint(j, c, p.Splits())}
		}}, j, c)
		done <- outcome{res, err}
	}()
	w := &localWatch{Watcher: r.watcher()}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case b := <-started:
			w.begin(b)
		case <-tick.C:
			w.look()
		case o := <-done:
			if o.res == nil { // the job was rejected before it began
				return nil, o.err
			}
			if w.progress == nil {
				w.begin(<-started)
			}
			if o.err == nil {
				w.look()
			}
			w.Ended(o.res)
			return o.res, r.mark(ended(ctx, o.res))
		}
	}
}

type begun struct {
	id       job.ID
	progress *local.Progress
	hint     string
}

type outcome struct {
	res *mapreduce.Result
	err error
}

// localWatch shows a job that runs in this process.
type localWatch struct {
	Watcher
	progress *local.Progress // nil until the job has begun
}

func (w *localWatch) begin(b begun) {
	w.progress = b.progress
	w.Started(b.id, "")
	w.Hint(b.hint)
	w.look()
}

func (w *localWatch) look() {
	if w.progress != nil {
		w.Progress(w.progress.Share(job.Map), w.progress.Share(job.Reduce))
	}
}

// pollInterval returns the pause between two queries of the progress.
func pollInterval(c *conf.Config) (time.Duration, error) {
	return conf.ClientProgressMonitorPollInterval.Get(c)
}
