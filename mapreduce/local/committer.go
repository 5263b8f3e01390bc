package local

import (
	"context"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task"
)

// chore runs a setup or cleanup task of type t if the job has its own committer. For other jobs, it
// does nothing.
func (r *run) chore(ctx context.Context, t job.TaskType, index int32) error {
	if r.job.Committer == nil {
		return nil
	}
	id := job.AttemptID{TaskID: job.TaskID{Job: r.id, Type: t, Index: index}}
	s, err := r.attempt(id, id.String())
	if err != nil {
		return err
	}
	defer owned.RemoveAll(context.Background(), s.WorkDir)
	do := task.RunSetup
	if t == job.Cleanup {
		do = task.RunCleanup
	}
	if _, err := do(ctx, s, &task.Env{FS: r.FS, Log: r.Log, LogPlace: r.logPlace}); err != nil {
		return failure.New(failure.KindOf(err), "run", id.TaskID.String(), err)
	}
	return nil
}

// abort runs the committer's cleanup after an unsuccessful job if the job's setup has started. end
// is the job's final state.
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
