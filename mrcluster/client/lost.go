package client

import (
	"cmp"
	"context"
	"errors"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// This file keeps the MR-cluster alive while a client's job runs and detects the loss of its
// deployment. Otherwise, the client would wait for a vanished JobTracker until it timed out.

// lostLooks is the number of consecutive checks that must find a deployment gone. If the MR-cluster
// is removed after its last job, the delay lets the client read the job's result.
const lostLooks = 3

// keepAlive renews the manager's record that an MR-cluster is in use, until ctx ends. If the
// deployment is gone, keepAlive returns an error that says so. It ignores calls that fail for any
// other reason.
func keepAlive(ctx context.Context, m manager.Manager, x *status.Cluster) error {
	name := x.Spec.Name
	for looks := 0; ; {
		now, err := m.Job(ctx, name, x.Deployment)
		if looks++; !gone(x, now, err) {
			looks = 0
		}
		if looks == lostLooks {
			why := "it has ended"
			if err == nil {
				why = cmp.Or(now.LastError, why)
			}
			return failure.New(failure.Failed, "use MR-cluster", name,
				errors.New(why+"; the jobs of its deployment are lost")).
				Fix("run the job again; howdah mrcluster status " + name + " shows more")
		}
		if lifecycle.Sleep(ctx, lookAgain) != nil {
			return nil
		}
	}
}

// gone reports whether the manager's reply means that a deployment has ended.
func gone(x, now *status.Cluster, err error) bool {
	if err != nil {
		return failure.Is(err, failure.NotFound)
	}
	return now.Deployment != x.Deployment || now.State != mrcluster.Active && now.State != mrcluster.Saving
}
