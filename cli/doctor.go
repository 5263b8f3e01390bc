package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/cli/doctor"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

func (s *session) doctorCommand() *urfave.Command {
	return &urfave.Command{
		Name: "doctor", Usage: "check machine, configuration and cluster; with a job id, say why that job waits",
		ArgsUsage: "[JOBID]", HideHelpCommand: true, Flags: []urfave.Flag{jsonFlag()},
		Action: func(c *urfave.Context) error {
			var r doctor.Report
			var err error
			switch c.Args().Len() {
			case 0:
				r, err = s.examine(c.Context)
			case 1:
				r, err = s.whyWaiting(c.Context, c.Args().First())
			default:
				err = usageError("howdah doctor [JOBID]")
			}
			if err != nil {
				return err
			}
			s.code = r.ExitCode()
			if c.Bool("json") {
				return writeJSON(s.out, r)
			}
			return r.Write(s.out)
		},
	}
}

func (s *session) examine(ctx context.Context) (doctor.Report, error) {
	c, err := s.generic.Load() // its warnings are among the findings
	if err != nil {
		return nil, err
	}
	if err := mrclient.Find(ctx, c); err != nil {
		return nil, err
	}
	return doctor.Examine(ctx, c, func(ctx context.Context) error { return lookAtStorage(ctx, c) }, func(address string) (client.JobsClient, func() error, error) {
		conn, jobs, err := dial(address)
		if err != nil {
			return nil, nil, err
		}
		return jobs, conn.Close, nil
	}), nil
}

func (s *session) whyWaiting(ctx context.Context, id string) (r doctor.Report, err error) {
	if _, err := job.ParseID(id); err != nil {
		return nil, usageError("%w", err)
	}
	err = s.withJobs(ctx, func(ctx context.Context, jobs client.JobsClient) error {
		r, err = doctor.Waiting(ctx, jobs, id)
		return err
	})
	return r, err
}

// lookAtStorage asks for the root of the default file system.
func lookAtStorage(ctx context.Context, c *conf.Config) error {
	r, err := schemes.Resolver(c, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	fs, name, err := r.Resolve("/")
	if err != nil {
		return err
	}
	_, err = fs.Stat(ctx, name)
	return err
}
