package client

import (
	"cmp"
	"context"
	"errors"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// This file is what a client does while its job runs: it keeps the MR-cluster, and hears when it has lost it. Without that it would look
// for a JobTracker that never comes back, until its patience ends.

// lostLooks is how many looks in a row must find a deployment gone: one that was removed after its last job lets the client read how that
// job ended.
const lostLooks = 3

// keepAlive tells the manager that an MR-cluster is wanted, until ctx ends or the deployment is gone; the error says so then. Whether the
// manager hears it is its own business.
func keepAlive(ctx context.Context, p pool.PoolClient, x *pool.Cluster) error {
	name := x.GetSpec().GetName()
	for looks := 0; ; {
		now, err := p.Job(ctx, &pool.JobRequest{Cluster: name, Deployment: x.Deployment})
		if looks++; !gone(x, now, err) {
			looks = 0
		}
		if looks == lostLooks {
			why := errors.New(cmp.Or(now.GetLastError(), "it was given up") + ", and its jobs are lost with that deployment")
			return failure.New(failure.Failed, "use MR-cluster", name, why).Fix("run the job again; howdah mrcluster status " + name + " shows more")
		}
		if lifecycle.Sleep(ctx, lookAgain) != nil {
			return nil
		}
	}
}

// gone tells whether a deployment has ended, by the manager's answer.
func gone(x, now *pool.Cluster, err error) bool {
	if err != nil {
		return failure.Is(err, failure.NotFound)
	}
	return now.Deployment != x.Deployment || now.State != "active" && now.State != "saving"
}
