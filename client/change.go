package client

import (
	"context"
	"errors"

	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Kill kills a job. It has no effect on a finished job. If the job's output is being committed,
// Kill returns an error. why appears in the job's diagnostics.
func (c *Client) Kill(ctx context.Context, id job.ID, why string) error {
	return c.jobs.Kill(ctx, id, transport.By{User: c.asker(), Why: why})
}

// KillAttempt kills an attempt. The attempt does not count as failed.
func (c *Client) KillAttempt(ctx context.Context, id job.AttemptID, why string) error {
	return c.jobs.KillAttempt(ctx, id, false, transport.By{User: c.asker(), Why: why})
}

// FailAttempt kills an attempt and counts it as failed. A task fails after too many failed
// attempts.
func (c *Client) FailAttempt(ctx context.Context, id job.AttemptID, why string) error {
	return c.jobs.KillAttempt(ctx, id, true, transport.By{User: c.asker(), Why: why})
}

// KillTask kills all running attempts of a task. The task then runs again. If the task has no
// running attempt, the error is of kind NotFound.
func (c *Client) KillTask(ctx context.Context, id job.TaskID, why string) error {
	attempts, err := c.Attempts(ctx, id.Job)
	if err != nil {
		return err
	}
	killed := false
	for _, a := range attempts {
		if a.ID.TaskID != id || a.State.Terminal() {
			continue
		}
		if err := c.KillAttempt(ctx, a.ID, why); err != nil {
			return err
		}
		killed = true
	}
	if !killed {
		return failure.New(failure.NotFound, "kill task", id.String(), errors.New("the task has no running "+
			"attempt"))
	}
	return nil
}

// SetPriority changes a job's priority.
func (c *Client) SetPriority(ctx context.Context, id job.ID, p job.Priority) error {
	return c.jobs.SetPriority(ctx, id, p, c.asker())
}

// SetDeadline changes the deadline of a job that has not ended. deadline has the form of
// mapreduce.job.deadline, but a duration, such as +2h, starts now. "none" removes the deadline. If
// deadline is invalid or in the past, the error is of kind Usage. If the job has ended, the error is
// of kind Stale.
func (c *Client) SetDeadline(ctx context.Context, id job.ID, deadline string) error {
	return c.jobs.SetDeadline(ctx, id, deadline, c.asker())
}

// Move moves an unfinished job to another queue or pool of the scheduler. Its running attempts
// continue. The caller's user must be permitted to change the job and to submit to the queue. If the
// queue or pool does not exist or has no room for the job, Move returns an error and changes nothing.
func (c *Client) Move(ctx context.Context, id job.ID, queue string) error {
	return c.jobs.Move(ctx, id, queue, c.asker())
}
