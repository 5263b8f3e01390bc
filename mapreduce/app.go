package mapreduce

import (
	"context"
	"errors"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// App returns a program that runs the job. The program's command-line arguments are the inputs
// (files, directories, globs, comma-separated lists) and then the output directory.
func (j *Job) App() *App {
	usage := j.Usage
	if usage == "" {
		usage = "<in>... <out>"
	}
	return &App{Name: j.Name, Short: j.Short, Usage: usage, Jobs: []*Job{j}, Run: j.run}
}

// run is the default driver of a job. Without arguments, it uses the paths from the configuration.
func (j *Job) run(ctx context.Context, r Runner, args []string) error {
	for _, arg := range args {
		switch {
		case conf.IsGeneric(arg):
			return failure.New(failure.Usage, "run", j.Name, errors.New(arg+" is a generic option, not a path")).
				Fix("write generic options before the paths")
		case strings.HasPrefix(arg, "-"):
			return failure.New(failure.Usage, "run", j.Name, errors.New("unknown option "+arg)).
				Fix("howdah run --help lists the options of howdah run; for a path, write ./" + arg)
		}
	}
	c := r.Conf().Clone()
	switch {
	case len(args) >= 2:
		SetInputPaths(c, "")
		for _, in := range args[:len(args)-1] {
			AddInputPaths(c, in)
		}
		SetOutputPath(c, args[len(args)-1])
	case len(args) == 1 || c.Get(conf.InputFileInputFormatInputDir.Name) == "":
		return failure.New(failure.Usage, "run", j.Name, errors.New("want input paths and an output path")).
			Fix("usage: " + j.Name + " " + j.App().Usage)
	}
	_, err := r.Run(ctx, j, c)
	return err
}
