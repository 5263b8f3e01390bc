package runner

import (
	"context"
	"errors"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task"
)

// clusterRunner submits jobs to a JobTracker.
type clusterRunner struct {
	base
	client *client.Client
}

func newClusterRunner(b base) (mapreduce.Runner, error) {
	c, err := client.Dial(b.Config.Conf, b.Config.FS)
	if err != nil {
		return nil, err
	}
	return &clusterRunner{b, c}, nil
}

func (r *clusterRunner) Run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	res, err := r.run(ctx, j, c)
	if (failure.Is(err, failure.Unreachable) || err != nil && lost(ctx)) && !r.client.Sent() {
		err = unsent{err}
	}
	return res, err
}

// unsent wraps the error for a job that was not submitted because no server was reachable.
type unsent struct{ error }

func (u unsent) Unwrap() error { return u.error }

// lost reports whether ctx was canceled because the job's MR-cluster was lost. In that case, the
// cause of the cancellation is a *failure.Error. If the user has interrupted the client, the cause
// is a different error.
func lost(ctx context.Context) bool {
	var why *failure.Error
	return errors.As(context.Cause(ctx), &why)
}

// Unsent reports whether err means that no server was reachable and no job was submitted, so the
// caller can retry elsewhere.
func Unsent(err error) bool {
	var u unsent
	return errors.As(err, &u)
}

func (r *clusterRunner) run(ctx context.Context, j *mapreduce.Job, c *conf.Config) (*mapreduce.Result, error) {
	j, err := j.Shaped(c)
	if err != nil {
		return nil, err
	}
	c = j.Configure(c)
	splits, err := r.check(ctx, j, c)
	if err != nil {
		return nil, err
	}
	events, err := newEvents(r.client, c)
	if err != nil {
		return nil, err
	}
	if r.Watcher == nil {
		events.wanted = nil // nothing shows them
	}
	sub, err := r.client.Submit(ctx, client.Job{Name: j.Name, Conf: c, Splits: splits})
	if err != nil {
		return nil, err
	}
	w := r.watcher()
	defer w.left()
	w.Started(sub.ID, sub.TrackingURL)
	w.Hint(hint(j, c, splits))
	if r.Background {
		return &mapreduce.Result{ID: sub.ID, State: job.Running}, nil
	}
	events.id = sub.ID
	waits := ""
	res, err := r.client.Wait(ctx, sub.ID, func(s *status.Job) {
		if why := s.Waits(); why != "" && why != waits {
			w.Waits(why)
			waits = why
		}
		w.Progress(s.Maps.Progress, s.Reduces.Progress)
		events.show(ctx, w)
	})
	if ctx.Err() != nil {
		return res, r.interrupted(sub.ID, c)
	}
	if res != nil {
		w.Ended(res)
		err = r.mark(err)
	}
	return res, err
}

// check validates a job before its submission and returns its splits.
func (b *base) check(ctx context.Context, j *mapreduce.Job, c *conf.Config) ([]mapreduce.Split, error) {
	if err := j.Validate(c); err != nil {
		return nil, err
	}
	reduces, err := mapreduce.Reduces(c)
	if err != nil {
		return nil, err
	}
	if err := task.CheckSettings(c, reduces); err != nil {
		return nil, err
	}
	env := &mapreduce.Env{Conf: c, FS: b.Config.FS}
	if err := j.OutputFormat().Check(ctx, env); err != nil {
		return nil, err
	}
	return j.PlanSplits(ctx, env)
}

// killTimeout is the time limit for the last call that an interrupted client makes.
const killTimeout = 10 * time.Second

// interrupted handles Ctrl-C. It kills the job if KillOnInterrupt is set and otherwise lets the job
// continue.
func (r *clusterRunner) interrupted(id job.ID, c *conf.Config) error {
	e := failure.New(failure.Interrupted, "wait for", id.String(), errors.New("interrupted"))
	if !r.KillOnInterrupt {
		return e.Fix("the job continues; use howdah job -kill " + id.String() + " to end it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	if err := r.client.Kill(ctx, id, "interrupted at the client"); err != nil {
		return failure.New(failure.Interrupted, "kill", id.String(), err).
			Fix("the job may continue; use howdah job -kill " + id.String() + " to end it")
	}
	return e.Fix("the job was killed")
}
