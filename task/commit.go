package task

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// RunSetup sets a job with a committer of its own up. Errors are those of RunMap.
func RunSetup(ctx context.Context, s *Spec, e *Env) (*Outcome, error) {
	return run(ctx, s, e, func(a *attempt) error {
		return a.user("set-up of the job", func() error { return s.Job.Committer().SetupJob(a.c) })
	})
}

// RunCleanup commits such a job or clears up behind it, as the index of its task says. Before that the attempts that ended without
// success are aborted: those whose processes were killed could not do so themselves.
func RunCleanup(ctx context.Context, s *Spec, e *Env) (*Outcome, error) {
	return run(ctx, s, e, func(a *attempt) error {
		for _, id := range s.Unclean {
			if err := a.user("clean-up of "+id.String(), func() error { return s.Job.Committer().AbortTask(a.c.WithAttempt(id)) }); err != nil {
				return err
			}
		}
		switch s.Attempt.Index {
		case job.CleanupCommit:
			return a.user("commit of the job", func() error { return s.Job.Committer().CommitJob(a.c) })
		case job.CleanupKilled:
			return a.user("clean-up of the job", func() error { return s.Job.Committer().AbortJob(a.c, job.Killed) })
		}
		return a.user("clean-up of the job", func() error { return s.Job.Committer().AbortJob(a.c, job.Failed) })
	})
}

// committed wraps the work of a map or reduce in what the job's own committer wants of each attempt.
func (a *attempt) committed(body func(*attempt) error) func(*attempt) error {
	if a.spec.Job.Committer == nil || a.spec.Attempt.Type > job.Reduce {
		return body
	}
	return func(a *attempt) error {
		c := a.spec.Job.Committer()
		a.undo = append(a.undo, func() { a.abortTask(c) })
		if err := a.user("set-up of the task's output", func() error { return c.SetupTask(a.c) }); err != nil {
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
	// Also one that commits nothing asks: its success must not follow on another attempt's commit.
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

// abortLimit is how long the clean-up of an attempt may take that was told to stop.
const abortLimit = 5 * time.Second

// abortTask lets the committer take back what the attempt did. Nobody waits for how that goes.
func (a *attempt) abortTask(c mapreduce.OutputCommitter) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), abortLimit)
	defer cancel()
	err := guard(a.env.Log, "clean-up of the task", func() error { return c.AbortTask(a.c.WithContext(ctx)) })
	if err != nil {
		fmt.Fprintf(a.env.Log, "clean-up of the task: %v\n", err)
	}
}
