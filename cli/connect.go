package cli

import (
	"context"
	"errors"

	"google.golang.org/grpc"

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
	address := c.Get("mapreduce.jobtracker.address")
	if (address == "" || address == "local") && c.Get("mapreduce.framework.name") == "yarn" {
		return "", failure.New(failure.Config, "find the JobTracker", "", errors.New("jobs go to an existing YARN (mapreduce.framework.name=yarn)")).
			Fix("look at them with its own commands (mapred job -list, yarn application -status ID), or give -jt host:port")
	}
	if address == "" || address == "local" {
		return "", failure.New(failure.Config, "find the JobTracker", "", errors.New("none is configured (mapreduce.jobtracker.address=local)")).
			Fix("set $HOWDAH_CONF_DIR, or give --config DIR, or -jt host:port, or --mrcluster NAME")
	}
	return address, nil
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
