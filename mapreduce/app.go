package mapreduce

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/job/failure"
)

// App makes a program of the job: its arguments are inputs (files, directories, globs, comma lists), then the output
// directory.
func (j *Job) App() *App {
	usage := j.Usage
	if usage == "" {
		usage = "<in>... <out>"
	}
	return &App{Name: j.Name, Short: j.Short, Usage: usage, Jobs: []*Job{j}, Run: j.run}
}

// run is the driver of a plain job. Without arguments the paths come from the configuration.
func (j *Job) run(ctx context.Context, r Runner, args []string) error {
	c := r.Conf().Clone()
	switch {
	case len(args) >= 2:
		SetInputPaths(c, "")
		for _, in := range args[:len(args)-1] {
			AddInputPaths(c, in)
		}
		SetOutputPath(c, args[len(args)-1])
	case len(args) == 1 || c.Get(KeyInputDir) == "":
		return failure.New(failure.Usage, "run", j.Name, fmt.Errorf("%d arguments", len(args))).
			Fix("usage: " + j.Name + " " + j.App().Usage)
	}
	_, err := r.Run(ctx, j, c)
	return err
}
