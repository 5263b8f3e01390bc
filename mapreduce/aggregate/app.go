package aggregate

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const usage = "<in>[,<in>...] <out> [<reducers> [textinputformat|seq [<specfile> [<job name>]]]]"

// App returns an application that aggregates the entries that the descriptors produce. Its
// arguments are those of Hadoop's ValueAggregatorJob. The input consists of SequenceFiles unless
// the fourth argument is textinputformat. The fifth argument (specfile) is the name of a
// configuration file.
func App(name, short string, describe ...Descriptor) *mapreduce.App {
	j := &mapreduce.Job{Name: name, Mapper: Mapper(describe...), Combiner: Combiner(), Reducer: Reducer()}
	return &mapreduce.App{
		Name: name, Short: short, Usage: usage, Jobs: []*mapreduce.Job{j},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	bad := func(why string) error {
		return failure.New(failure.Usage, "run", j.Name, errors.New(why)).Fix("usage: " + j.Name + " " + usage)
	}
	if len(args) < 2 || len(args) > 6 {
		return bad("want an input and an output")
	}
	args = append(args, make([]string, 6-len(args))...)
	c := r.Conf().Clone()
	if args[4] != "" {
		if err := c.LoadFile(args[4]); err != nil {
			return err
		}
	}
	if args[2] != "" {
		if n, err := strconv.Atoi(args[2]); err != nil || n < 1 {
			return bad("invalid number of reducers " + strconv.Quote(args[2]))
		}
		c.Set(conf.JobReduces.Name, args[2], j.Name)
	}
	input := "SequenceFileInputFormat"
	if strings.EqualFold(args[3], "textinputformat") {
		input = "TextInputFormat"
	}
	c.Set(conf.JobInputFormatClass.Name, input, j.Name)
	name := "ValueAggregatorJob: " + args[5]
	c.Set(conf.JobName.Name, name, j.Name)
	mapreduce.SetInputPaths(c, args[0])
	mapreduce.SetOutputPath(c, args[1])
	_, err := r.Run(ctx, j, c)
	return err
}
