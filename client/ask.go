package client

import (
	"cmp"
	"context"
	"slices"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// asker returns the user on whose behalf the client makes a call. If that is the user of this
// process, it returns "". The JobTracker then identifies the caller, which can be an administrator,
// from the client's proof.
func (c *Client) asker() string {
	if user := c.user(); user != passwd.Me() {
		return user
	}
	return ""
}

// Status returns the status of a running or finished job. q selects optional parts of the status
// and can make the call wait for a change. If neither the JobTracker nor its history contains the
// job, the error is of kind NotFound.
func (c *Client) Status(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	q.User = cmp.Or(q.User, c.asker())
	return c.jobs.Status(ctx, id, q)
}

// History returns the full record of a running or finished job: its counters, its attempts, and
// their counters.
func (c *Client) History(ctx context.Context, id job.ID) (*status.Job, error) {
	return c.Status(ctx, id, status.Query{Attempts: true, Counters: true})
}

// Attempts returns all attempts of a job's tasks, without their counters.
func (c *Client) Attempts(ctx context.Context, id job.ID) ([]*status.Attempt, error) {
	j, err := c.Status(ctx, id, status.Query{Attempts: true})
	if err != nil {
		return nil, err
	}
	return j.Attempts, nil
}

// Counters returns a job's counters. For a running job, they include what its running attempts have
// reported.
func (c *Client) Counters(ctx context.Context, id job.ID) (*job.Counters, error) {
	j, err := c.Status(ctx, id, status.Query{Counters: true})
	if err != nil {
		return nil, err
	}
	return j.Counters, nil
}

// List returns the JobTracker's jobs that f selects, in ascending order of their IDs. Of the
// retired jobs, it contains only the latest (mapreduce.jobtracker.retiredjobs.cache.size).
func (c *Client) List(ctx context.Context, f status.Filter) ([]*status.Job, error) {
	f.User = cmp.Or(f.User, c.asker())
	return c.jobs.List(ctx, f)
}

// FindByOutput returns the job with the highest ID whose output directory is dir. It searches the
// jobs that List can return. If there is none, the error is of kind NotFound.
func (c *Client) FindByOutput(ctx context.Context, files dfs.Resolver, dir string) (*status.Job, error) {
	fs, name, err := files.Resolve(dir)
	if err != nil {
		return nil, err
	}
	list, err := c.List(ctx, status.Filter{All: true})
	if err != nil {
		return nil, err
	}
	for _, j := range slices.Backward(list) {
		out, path, err := files.Resolve(j.OutputDir)
		if err == nil && j.OutputDir != "" && out.URI() == fs.URI() && path == name {
			return j, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find the job that wrote", dir, nil).
		Fix("howdah job -list all lists the JobTracker's jobs")
}

// Events returns at most n completion events of a job's attempts in order, but never more than
// 10,000. from is the number of the first event.
func (c *Client) Events(ctx context.Context, id job.ID, from, n int32) ([]status.Event, error) {
	return c.jobs.Events(ctx, id, from, n, c.asker())
}

// Cluster returns the status of the JobTracker and its TaskTrackers.
func (c *Client) Cluster(ctx context.Context) (*status.Cluster, error) { return c.jobs.Cluster(ctx) }

// Scheduler returns the status of the scheduling policy, its pools, and all unfinished jobs.
func (c *Client) Scheduler(ctx context.Context) (*status.Scheduler, error) {
	return c.jobs.Scheduler(ctx, c.asker())
}

// Queues returns all queues and the client user's rights on them.
func (c *Client) Queues(ctx context.Context) ([]status.Queue, error) {
	return c.jobs.Queues(ctx, c.user())
}

// Counter returns the value of the counter with the given group and name. It returns an error of
// kind NotFound if the job does not have the counter.
func (c *Client) Counter(ctx context.Context, id job.ID, group, name string) (int64, error) {
	all, err := c.Counters(ctx, id)
	if err != nil {
		return 0, err
	}
	if v, ok := all.Get(group, name); ok {
		return v, nil
	}
	return 0, failure.New(failure.NotFound, "find counter", group+" "+name, nil).
		Fix("howdah job -status " + id.String() + " lists the job's counters")
}
