package cli

import (
	"context"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/streaming"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

// submitJob submits the job that a file describes, as `hadoop job -submit` does. The file is a
// job's configuration, with the commands of Streaming or the names of classes that howdah has. The
// options -conf and -D override it.
func (s *session) submitJob(c *urfave.Context) error {
	file := c.Args().First()
	s.generic.Files = append([]string{file}, s.generic.Files...)
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if conf.StreamMapStreamProcessor.Get(cfg) == "" && conf.JobMapClass.Get(cfg) == "" {
		return failure.New(failure.Usage, "submit job", file, fmt.Errorf("neither %s nor %s is set",
			conf.StreamMapStreamProcessor.Name, conf.JobMapClass.Name)).
			Fix("run programs in Go with howdah run, and commands with howdah streaming")
	}
	if err := mrclient.Find(c.Context, cfg); err != nil {
		return err
	}
	if _, err := jobTracker(cfg); err != nil {
		return err
	}
	files, err := schemes.Resolver(cfg, schemes.Warn(s.err))
	if err != nil {
		return err
	}
	defer files.Close()
	app := &mapreduce.App{Run: func(ctx context.Context, r mapreduce.Runner, _ []string) error {
		res, err := r.Run(ctx, streaming.Job(), cfg)
		if err == nil {
			_, err = fmt.Fprintln(s.out, "Created job", res.ID)
		}
		return err
	}}
	return runner.Display{Quiet: true, Background: true}.Run(c.Context, app, nil, cfg, files, s.out, s.err)
}
