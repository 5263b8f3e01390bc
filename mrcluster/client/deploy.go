package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	jobtracker "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// lookAgain is the pause between two looks at an MR-cluster that is being deployed, and between two signs of life.
const lookAgain = time.Second

// deploy asks for an MR-cluster and waits until jobs can go there. What it waits for is written to say.
func deploy(ctx context.Context, p pool.PoolClient, name string, say io.Writer) (*pool.Cluster, error) {
	const op = "deploy MR-cluster"
	told := ""
	tell := func(text string) {
		if text != told {
			fmt.Fprintf(say, "MR-cluster %s: %s\n", name, text)
			told = text
		}
	}
	x, err := patiently(ctx, tell, func() (*pool.Cluster, error) { return p.Job(ctx, &pool.JobRequest{Cluster: name}) })
	for err == nil {
		switch {
		case x.Doomed:
			return nil, failure.New(failure.Failed, op, name, errors.New("it is being removed"))
		case x.State == "defined":
			return nil, failure.New(failure.Failed, op, name, errors.New(x.LastError)).Fix("howdah mrcluster status " + name + " shows more")
		case x.State != "active":
			tell(strings.TrimSuffix(fmt.Sprintf("%s (%d of %d core nodes), %s", x.State, x.Cores, x.GetSpec().GetCore(), x.Doing), ", "))
		case up(x) && answers(ctx, x.GetEndpoints().GetJobTracker()):
			return x, nil
		default:
			tell("waiting for its JobTracker")
		}
		if lifecycle.Sleep(ctx, lookAgain/4) != nil {
			return nil, failure.New(failure.Interrupted, op, name, nil)
		}
		x, err = patiently(ctx, tell, func() (*pool.Cluster, error) { return look(ctx, p, name) })
	}
	return nil, err
}

// answers tells whether a JobTracker can be reached.
func answers(ctx context.Context, address string) bool {
	conn, err := rpc.Dial(address, rpc.Options{})
	if err != nil {
		return false
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = jobtracker.NewJobsClient(conn).Cluster(ctx, &jobtracker.Empty{})
	return err == nil
}

// managerPatience is how long a manager is waited for that does not answer: it may just be started again.
const managerPatience = 20 * time.Second

// patiently repeats a question to the manager while it does not answer.
func patiently(ctx context.Context, tell func(string), ask func() (*pool.Cluster, error)) (*pool.Cluster, error) {
	for began := time.Now(); ; {
		x, err := ask()
		if !failure.Is(err, failure.Unreachable) || time.Since(began) > managerPatience || ctx.Err() != nil {
			return x, err
		}
		tell("waiting for the manager")
		_ = lifecycle.Sleep(ctx, lookAgain/4)
	}
}
