package local

import (
	"context"
	"os"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task"
)

// chore runs a set-up or clean-up task of a job with a committer of its own; any other job has none.
func (r *run) chore(ctx context.Context, t job.TaskType, index int32) error {
	if r.job.Committer == nil {
		return nil
	}
	id := job.AttemptID{TaskID: job.TaskID{Job: r.id, Type: t, Index: index}}
	s, err := r.attempt(id)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.WorkDir)
	do := task.RunSetup
	if t == job.Cleanup {
		do = task.RunCleanup
	}
	if _, err := do(ctx, s, &task.Env{FS: r.FS, Log: r.Log}); err != nil {
		return failure.New(failure.KindOf(err), "run", id.TaskID.String(), err)
	}
	return nil
}

// abort clears up behind a job that did not succeed.
func (r *run) abort(ctx context.Context, end job.State) error {
	if !r.setUp {
		return nil
	}
	index := int32(job.CleanupFailed)
	if end == job.Killed {
		index = job.CleanupKilled
	}
	return r.chore(context.WithoutCancel(ctx), job.Cleanup, index)
}
