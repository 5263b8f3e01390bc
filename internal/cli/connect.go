package cli

import (
	"context"
	"errors"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

// findOp is the operation in the error that no JobTracker is configured, as in [jobclient.Address].
const findOp = "find the JobTracker"

// jobTracker returns the configured JobTracker's address.
func jobTracker(c *conf.Config) (string, error) {
	address, err := jobclient.Address(c)
	if err != nil && conf.FrameworkName.Get(c) == "yarn" {
		return "", failure.New(failure.Config, findOp, "",
			errors.New("jobs run on an existing YARN cluster (mapreduce.framework.name=yarn)")).
			Fix("use YARN's commands (mapred job -list, yarn application -status ID), or set -jt host:port")
	}
	return address, err
}

// filesConfig returns the configuration for a command that accesses files. The files may be those
// of an MR-cluster.
func (s *session) filesConfig(ctx context.Context) (*conf.Config, error) {
	c, err := s.config()
	if err != nil {
		return nil, err
	}
	return c, mrclient.FindFiles(ctx, c)
}

// withJobs calls f with a connection to the configured JobTracker.
func (s *session) withJobs(ctx context.Context, f func(context.Context, *jobclient.Client) error) error {
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
	jobs, err := jobclient.Connect(c, address, jobclient.User(c))
	if err != nil {
		return err
	}
	defer jobs.Close()
	return f(ctx, jobs)
}
