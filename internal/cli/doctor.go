package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/cli/doctor"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

func (s *session) doctorCommand() *urfave.Command {
	return &urfave.Command{
		Name: "doctor", Usage: "check the machine, the configuration, and the cluster; with a job ID, explain why the " +
			"job is waiting",
		ArgsUsage: "[JOBID]", HideHelpCommand: true, Flags: []urfave.Flag{arguments.JSONFlag()},
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
			return s.show(c, r, func() error { return r.Write(s.out) })
		},
	}
}

func (s *session) examine(ctx context.Context) (doctor.Report, error) {
	c, unread := s.generic.Load() // the report includes the configuration's error and warnings
	if err := mrclient.Find(ctx, c); err != nil {
		return nil, err
	}
	return doctor.Examine(ctx, c, unread, func(ctx context.Context) error { return lookAtStorage(ctx, c) },
		func(address string) (*jobclient.Client, error) {
			return jobclient.Connect(c, address, jobclient.User(c))
		}), nil
}

func (s *session) whyWaiting(ctx context.Context, text string) (r doctor.Report, err error) {
	id, err := parseJob(text)
	if err != nil {
		return nil, err
	}
	err = s.withJobs(ctx, func(ctx context.Context, jobs *jobclient.Client) error {
		r, err = doctor.Waiting(ctx, jobs, id)
		return err
	})
	return r, err
}

// lookAtStorage stats the root of the default file system.
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
