package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// lookAgain is the interval between two keep-alive calls. Status requests during a deployment are
// four times as frequent.
const lookAgain = time.Second

// deploy requests the deployment of an MR-cluster and waits until it accepts jobs. While it waits,
// it writes messages to say.
func deploy(ctx context.Context, c *conf.Config, m manager.Manager, name string, say io.Writer) (*status.Cluster,
	error) {
	const op = "deploy MR-cluster"
	told := ""
	tell := func(text string) {
		if text != told {
			fmt.Fprintf(say, "MR-cluster %s: %s\n", name, text)
			told = text
		}
	}
	x, err := patiently(ctx, tell, func() (*status.Cluster, error) { return m.Job(ctx, name, 0) })
	for err == nil {
		switch {
		case x.Doomed:
			return nil, failure.New(failure.Failed, op, name, errors.New("the MR-cluster is being removed"))
		case x.State == mrcluster.Defined:
			return nil, failure.New(failure.Failed, op, name,
				errors.New(x.LastError)).Fix("howdah mrcluster status " + name + " shows more")
		case x.State != mrcluster.Active:
			tell(strings.TrimSuffix(fmt.Sprintf("%s (%d of %d core nodes), %s", x.State, x.Cores, x.Spec.Core,
				x.Doing), ", "))
		case x.Up() && answers(ctx, c, x.Endpoints.JobTracker):
			return x, nil
		default:
			tell("waiting for its JobTracker")
		}
		if lifecycle.Sleep(ctx, lookAgain/4) != nil {
			return nil, failure.New(failure.Interrupted, op, name, nil)
		}
		x, err = patiently(ctx, tell, func() (*status.Cluster, error) { return look(ctx, m, name) })
	}
	return nil, err
}

// answers reports whether the JobTracker at address answers within a second.
func answers(ctx context.Context, c *conf.Config, address string) bool {
	jobs, err := jobclient.Connect(c, address, "")
	if err != nil {
		return false
	}
	defer jobs.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = jobs.Cluster(ctx)
	return err == nil
}

// managerPatience is how long to wait for an unreachable manager, which might be restarting.
const managerPatience = 20 * time.Second

// patiently calls ask, and retries for managerPatience while the manager is unreachable.
func patiently(ctx context.Context, tell func(string), ask func() (*status.Cluster, error)) (*status.Cluster, error) {
	for began := time.Now(); ; {
		x, err := ask()
		if !failure.Is(err, failure.Unreachable) || time.Since(began) > managerPatience || ctx.Err() != nil {
			return x, err
		}
		tell("waiting for the manager")
		_ = lifecycle.Sleep(ctx, lookAgain/4)
	}
}
