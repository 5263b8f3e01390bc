package cli

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

// dial prepares a connection to a JobTracker.
func dial(address string) (*grpc.ClientConn, client.JobsClient, error) {
	conn, err := rpc.Dial(address, rpc.Options{})
	if err != nil {
		return nil, nil, err
	}
	return conn, client.NewJobsClient(conn), nil
}

// jobTracker gives the configured JobTracker's address.
func jobTracker(c *conf.Config) (string, error) {
	address, err := jobclient.Address(c)
	if err != nil && c.Get("mapreduce.framework.name") == "yarn" {
		return "", failure.New(failure.Config, "find the JobTracker", "", errors.New("jobs go to an existing YARN (mapreduce.framework.name=yarn)")).
			Fix("look at them with its own commands (mapred job -list, yarn application -status ID), or give -jt host:port")
	}
	return address, err
}

// filesConfig is the configuration of commands that work on files.
func (s *session) filesConfig(ctx context.Context) (*conf.Config, error) {
	c, err := s.config()
	if err != nil {
		return nil, err
	}
	return c, mrclient.FindFiles(ctx, c)
}

// withJobs calls f with a connection to the configured JobTracker.
func (s *session) withJobs(ctx context.Context, f func(context.Context, client.JobsClient) error) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	if err := mrclient.Find(ctx, c); err != nil {
		return err
	}
	address, err := jobTracker(c)
	if err != nil {
		return err
	}
	conn, jobs, err := dial(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	return f(ctx, jobs)
}
