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
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// options contains the arguments of an application that runs queries.
type options struct {
	app      string
	group    int64 // length of a moment, in seconds
	top      int64
	parallel int
	in       string // comma-separated
	out      string
}

// parseArgs parses the arguments. If whole is true, it also accepts the workflow's options, -top
// and -parallel.
func parseArgs(app string, args []string, whole bool) (*options, error) {
	o := &options{app: app}
	f := flag.NewFlagSet(app, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Int64Var(&o.group, "group", conf.BTWorldGroup.BuiltIn(), "seconds of a moment")
	if whole {
		f.Int64Var(&o.top, "top", conf.BTWorldTop.BuiltIn(), "number of the largest to list")
		f.IntVar(&o.parallel, "parallel", 0, "maximum number of concurrent jobs, 0 = no limit")
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
		return nil, usage(app, fmt.Errorf("output %q: the name must not contain *?[]{},\\, because jobs "+
			"read from the output directory", rest[len(rest)-1]))
	case o.parallel < 0:
		return nil, usage(app, fmt.Errorf("-parallel %d: want 0 or more", o.parallel))
	}
	o.in, o.out = strings.Join(rest[:len(rest)-1], ","), strings.TrimRight(rest[len(rest)-1], "/")
	return o, nil
}

// settings returns the settings to pass to the tasks.
func (o *options) settings() map[string]string {
	set := map[string]string{keyGroup: strconv.FormatInt(o.group, 10)}
	if o.top > 0 {
		set[keyTop] = strconv.FormatInt(o.top, 10)
	}
	return set
}

// check rejects input that cannot be split, an existing output, and jobs without reduces, before
// any job is submitted.
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
	return failure.New(failure.Usage, app, "", err).Fix("howdah run " + app + " --help shows the arguments")
}
