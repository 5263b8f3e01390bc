package client

import (
	"context"

	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// All calls in this file except SafeMode are for administrators. These are the user that runs the
// JobTracker, the members of mapreduce.cluster.administrators, and callers that prove that they
// have the cluster's secret and do not act for another user. For other callers, the calls return an
// error of kind Permission.

// RefreshNodes makes the JobTracker reread its files of included and excluded hosts. It returns the
// JobTracker's answer.
func (c *Client) RefreshNodes(ctx context.Context) (string, error) {
	return c.jobs.RefreshNodes(ctx, c.asker())
}

// RefreshQueues makes the JobTracker reread its configuration, its queues, and the scheduler's
// files. It returns the JobTracker's answer.
func (c *Client) RefreshQueues(ctx context.Context) (string, error) {
	return c.jobs.RefreshQueues(ctx, c.asker())
}

// SetScheduler installs a different scheduling policy, or the same one with other settings, until
// the JobTracker restarts. It returns the JobTracker's answer.
func (c *Client) SetScheduler(ctx context.Context, name string, set []job.Property) (string, error) {
	return c.jobs.SetScheduler(ctx, name, set, transport.By{User: c.asker()})
}

// DrainTracker starts to drain a TaskTracker, so that the JobTracker assigns no more work to it. If
// how is status.DrainOff, DrainTracker ends the drain. It returns the progress of the drain, or nil
// if the TaskTracker is not draining or not registered.
func (c *Client) DrainTracker(ctx context.Context, name string, how status.DrainMode,
	why string) (*status.Drain, error) {
	t, err := c.jobs.DrainTracker(ctx, name, how, transport.By{User: c.asker(), Why: why})
	if err != nil {
		return nil, err
	}
	return t.Drain, nil
}

// Rest is the result of TakeJobs. It indicates whether the JobTracker is idle.
type Rest struct {
	Unfinished int32 // number of unfinished jobs, including jobs in submission
	Epoch      int64 // increases with every start of the JobTracker
}

// TakeJobs makes the JobTracker reject new jobs. closed is the reason. If closed is "", the
// JobTracker accepts new jobs again. It also accepts them after a restart.
func (c *Client) TakeJobs(ctx context.Context, closed string) (Rest, error) {
	r, err := c.jobs.TakeJobs(ctx, closed, c.asker())
	return Rest(r), err
}

// SafeMode returns the number of TaskTrackers that have not reported since the JobTracker
// restarted, and whether the JobTracker is waiting for them.
func (c *Client) SafeMode(ctx context.Context) (awaited int32, on bool, err error) {
	return c.jobs.SafeMode(ctx)
}
