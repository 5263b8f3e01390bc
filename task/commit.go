package task

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// RunSetup runs the setup task of a job that has its own committer. It returns the same kinds of
// errors as RunMap.
func RunSetup(ctx context.Context, s *Spec, e *Env) (*Outcome, error) {
	return run(ctx, s, e, func(a *attempt) error {
		return a.user("setup of the job", func() error { return s.Job.Committer().SetupJob(a.c) })
	})
}

// RunCleanup runs a cleanup task of a job that has its own committer. Depending on the task's
// index, it commits the job or cleans up after an unsuccessful job. Before that, it aborts the work
// of the unsuccessful attempts, because killed processes could not do so themselves.
func RunCleanup(ctx context.Context, s *Spec, e *Env) (*Outcome, error) {
	return run(ctx, s, e, func(a *attempt) error {
		for _, id := range s.Unclean {
			if err := a.user("cleanup of "+id.String(),
				func() error { return s.Job.Committer().AbortTask(a.c.WithAttempt(id)) }); err != nil {
				return err
			}
		}
		switch s.Attempt.Index {
		case job.CleanupCommit:
			return a.user("commit of the job", func() error { return s.Job.Committer().CommitJob(a.c) })
		case job.CleanupKilled:
			return a.user("cleanup of the job", func() error { return s.Job.Committer().AbortJob(a.c, job.Killed) })
		}
		return a.user("cleanup of the job", func() error { return s.Job.Committer().AbortJob(a.c, job.Failed) })
	})
}

// committed wraps the body of a map or reduce in calls to the job's own committer, if the job has
// one.
func (a *attempt) committed(body func(*attempt) error) func(*attempt) error {
	if a.spec.Job.Committer == nil || a.spec.Attempt.Type > job.Reduce {
		return body
	}
	return func(a *attempt) error {
		c := a.spec.Job.Committer()
		a.undo = append(a.undo, func() { a.abortTask(c) })
		if err := a.user("setup of the task's output", func() error { return c.SetupTask(a.c) }); err != nil {
			return err
		}
		if err := body(a); err != nil {
			return err
		}
		return a.commitTask(c)
	}
}

func (a *attempt) commitTask(c mapreduce.OutputCommitter) error {
	if a.spec.Skips != nil && a.spec.Skips.Test {
		a.abortTask(c)
		return nil
	}
	var needed bool
	err := a.user("commit of the task", func() (err error) {
		needed, err = c.NeedsTaskCommit(a.c)
		return err
	})
	if err != nil {
		return err
	}
	// An attempt that has nothing to commit must also ask for permission. Otherwise, it could
	// succeed although another attempt has already committed.
	if may := a.env.CanCommit; may != nil {
		if err := a.live.own(func() error { return may(a.ctx) }); err != nil {
			return err
		}
	}
	if !needed {
		return nil
	}
	return a.user("commit of the task", func() error { return c.CommitTask(a.c) })
}

// abortLimit is the maximum time that a committer has to undo an attempt's work.
const abortLimit = 5 * time.Second

// abortTask makes the committer undo the attempt's work. It only logs errors.
func (a *attempt) abortTask(c mapreduce.OutputCommitter) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), abortLimit)
	defer cancel()
	err := guard(a.env, "cleanup of the task", func() error { return c.AbortTask(a.c.WithContext(ctx)) })
	if err != nil {
		fmt.Fprintf(a.env.Log, "cleanup of the task: %v\n", err)
	}
}
