package master

import (
	"context"
	"errors"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// This file keeps jobs from being lost with an MR-cluster that is given up: they may come at any moment, past the manager.

// closed is what those hear who send jobs to an MR-cluster that is being saved.
func closed(name string) string {
	return "MR-cluster " + name + " is about to be given up; howdah run --mrcluster " + name + " keeps it or deploys it again"
}

// gate lets new jobs into the JobTracker or keeps them out, whatever it did before: it may have been killed, and so may we.
func gate(ctx context.Context, want mrcluster.Desired, j *cluster) error {
	why := ""
	if want.Saving {
		why = closed(want.Cluster)
	}
	if j.status.Closed == why {
		return nil
	}
	_, err := take(ctx, j.client, why)
	return err
}

// take closes a JobTracker to new jobs, or opens it, and tells how many it has. One of an older version stays open.
func take(ctx context.Context, jobs client.JobsClient, closed string) (*client.TakeJobsReply, error) {
	r, err := jobs.TakeJobs(ctx, &client.TakeJobsRequest{Closed: closed, User: passwd.Me()})
	if !failure.Is(err, failure.Stale) {
		return r, err
	}
	s, err := jobs.Cluster(ctx, &client.Empty{})
	return &client.TakeJobsReply{Unfinished: s.GetJobsPrep() + s.GetJobsRunning(), Epoch: s.GetEpoch()}, err
}

// atRest does something while the JobTracker has no jobs and takes none. One that was started anew meanwhile has taken jobs until it was told,
// so that is an error.
func (m *Master) atRest(ctx context.Context, name, addr string, do func() error) error {
	const op = "save MR-cluster"
	if addr == "" {
		return failure.New(failure.Unreachable, op, name, errors.New("its JobTracker is not up"))
	}
	conn, err := rpc.Dial(addr, rpc.Options{})
	if err != nil {
		return err
	}
	defer conn.Close()
	jobs := client.NewJobsClient(conn)
	before, err := m.awaitRest(ctx, jobs, name)
	if err != nil {
		return err
	}
	done := do()
	if done != nil && !errors.Is(done, daemon.ErrMissing) {
		return done
	}
	after, err := take(ctx, jobs, closed(name))
	switch {
	case err != nil:
		return err
	case after.Unfinished > 0 || after.Epoch != before.Epoch:
		return failure.New(failure.Failed, op, name, errors.New("jobs may have come meanwhile"))
	}
	return done
}

// awaitRest waits until a JobTracker that takes no new jobs has none.
func (m *Master) awaitRest(ctx context.Context, jobs client.JobsClient, name string) (*client.TakeJobsReply, error) {
	for {
		r, err := take(ctx, jobs, closed(name))
		if err != nil || r.Unfinished == 0 {
			return r, err
		}
		if lifecycle.Sleep(ctx, m.cfg.Every) != nil {
			return nil, failure.New(failure.KindOf(ctx.Err()), "wait for the jobs of MR-cluster", name, ctx.Err())
		}
	}
}
