package master

import (
	"context"
	"errors"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// This file protects jobs that arrive while their MR-cluster is ending. Clients can submit them at
// any moment, without going through the manager.

// closed returns the error text for clients that submit jobs to an MR-cluster whose data is being
// saved.
func closed(name string) string {
	return "MR-cluster " + name + " is about to be given up; howdah run --mrcluster " + name +
		" keeps it or deploys it again"
}

// gate opens or closes the JobTracker to new jobs, depending on the desired state. It compares the
// desired state with the JobTracker's own because the JobTracker or this process might have
// restarted.
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

// take closes a JobTracker to new jobs, or opens it if closed is "". closed is the reason that
// clients see. take returns the number of unfinished jobs and the JobTracker's epoch. A JobTracker
// from an older version has no gate and stays open.
func take(ctx context.Context, jobs *client.Client, closed string) (client.Rest, error) {
	r, err := jobs.TakeJobs(ctx, closed)
	if !failure.Is(err, failure.Stale) {
		return r, err
	}
	s, err := jobs.Cluster(ctx)
	if err != nil {
		return client.Rest{}, err
	}
	return client.Rest{Unfinished: s.Prep + s.Running, Epoch: s.Epoch}, nil
}

// atRest calls do while the JobTracker has no jobs and accepts none. It returns an error if jobs
// may have arrived in the meantime, for example because the JobTracker restarted and was open for a
// while.
func (m *Master) atRest(ctx context.Context, name, addr string, do func() error) error {
	const op = "save MR-cluster"
	if addr == "" {
		return failure.New(failure.Unreachable, op, name, errors.New("the JobTracker is not running"))
	}
	jobs, err := client.Connect(m.cfg.Conf, addr, passwd.Me())
	if err != nil {
		return err
	}
	defer jobs.Close()
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
		return failure.New(failure.Failed, op, name, errors.New("jobs may have arrived during the save"))
	}
	return done
}

// awaitRest closes a JobTracker to new jobs and waits until its last job ends.
func (m *Master) awaitRest(ctx context.Context, jobs *client.Client, name string) (client.Rest, error) {
	for {
		r, err := take(ctx, jobs, closed(name))
		if err != nil || r.Unfinished == 0 {
			return r, err
		}
		if lifecycle.Sleep(ctx, m.cfg.Every) != nil {
			return client.Rest{}, failure.New(failure.KindOf(ctx.Err()), "wait for the jobs of MR-cluster", name, ctx.Err())
		}
	}
}
