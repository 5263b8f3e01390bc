package streaming

import (
	"context"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// App returns Hadoop Streaming as a program. Its driver accepts Hadoop's options.
func App() *mapreduce.App {
	return &mapreduce.App{
		Name:  "streaming",
		Short: "runs arbitrary executables as the mapper, combiner, and reducer",
		Usage: "-input <path> -output <path> -mapper <command> [-reducer <command>] …",
		Jobs:  []*mapreduce.Job{Job()},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			o, err := Parse(args)
			if err != nil {
				return err
			}
			if o.Help || o.Info {
				return WriteUsage(r.Stdout(), o.Info)
			}
			c := r.Conf().Clone()
			if err := o.Configure(c, os.Stderr); err != nil {
				return err
			}
			return Run(ctx, r, c)
		},
	}
}

// Run runs the job that c describes.
func Run(ctx context.Context, r mapreduce.Runner, c *conf.Config) error {
	_, err := r.Run(ctx, Job(), c)
	return err
}
