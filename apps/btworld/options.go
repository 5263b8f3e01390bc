package btworld

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// options are the arguments of the applications that ask queries.
type options struct {
	app      string
	group    int64 // length of a moment, in seconds
	top      int64
	parallel int
	in       string // comma-separated
	out      string
}

// parseArgs reads the arguments; whole = of the whole workflow.
func parseArgs(app string, args []string, whole bool) (*options, error) {
	o := &options{app: app}
	f := flag.NewFlagSet(app, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Int64Var(&o.group, "group", hour, "seconds of a moment")
	if whole {
		f.Int64Var(&o.top, "top", defaultTop, "how many of the largest are listed")
		f.IntVar(&o.parallel, "parallel", 0, "most jobs at a time, 0 = as many as can run")
	}
	if err := f.Parse(args); err != nil {
		return nil, usage(app, err)
	}
	rest := f.Args()
	switch {
	case len(rest) < 2:
		return nil, usage(app, errors.New("want at least one input and an output"))
	case o.group < 1 || o.group > maxGroup:
		return nil, usage(app, fmt.Errorf("-group %d: want 1 to %d seconds", o.group, int64(maxGroup)))
	case whole && (o.top < 1 || o.top > maxTop):
		return nil, usage(app, fmt.Errorf("-top %d: want 1 to %d", o.top, maxTop))
	case strings.ContainsAny(rest[len(rest)-1], `*?[]{},\\`):
		return nil, usage(app, fmt.Errorf("the output is called %q: jobs read what others wrote there, and these characters stand for other names", rest[len(rest)-1]))
	case o.parallel < 0:
		return nil, usage(app, fmt.Errorf("-parallel %d: want 0 or more", o.parallel))
	}
	o.in, o.out = strings.Join(rest[:len(rest)-1], ","), strings.TrimRight(rest[len(rest)-1], "/")
	return o, nil
}

// settings are what the tasks must know.
func (o *options) settings() map[string]string {
	set := map[string]string{keyGroup: strconv.FormatInt(o.group, 10)}
	if o.top > 0 {
		set[keyTop] = strconv.FormatInt(o.top, 10)
	}
	return set
}

// check refuses, before any job is submitted, what would end all of them.
func check(ctx context.Context, r mapreduce.Runner, o *options) error {
	if err := steps.NeedReduces(r.Conf()); err != nil {
		return err
	}
	if err := dir.Refuse(ctx, r.FS(), o.out); err != nil {
		return err
	}
	c := r.Conf().Clone()
	mapreduce.SetInputPaths(c, o.in)
	_, err := mapreduce.TextInput{}.Splits(ctx, &mapreduce.Env{Conf: c, FS: r.FS()})
	return err
}

func usage(app string, err error) error {
	return failure.New(failure.Usage, app, "", err).Fix("howdah run " + app + " --help tells the arguments")
}
