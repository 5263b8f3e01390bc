// Package join is Hadoop's example of the same name. It joins sorted inputs in the map phase.
package join

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/join"
)

// App returns the join application. By default, inputs and output are SequenceFiles.
func App() *mapreduce.App {
	j := &mapreduce.Job{Name: "join", Input: join.Input{}}
	return &mapreduce.App{
		Name:  "join",
		Short: "joins sorted, equally partitioned inputs in maps",
		Usage: "[-r REDUCES] [-inFormat CLASS] [-outFormat CLASS] [-outKey CLASS] [-outValue CLASS] " +
			"[-joinOp inner|outer|override] <in>... <out>",
		Jobs: []*mapreduce.Job{j},
		Run:  func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	usage := func(err error) error { return failure.New(failure.Usage, "join", "", err) }
	f := flag.NewFlagSet("join", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	reduces := f.Int("r", -1, "reducers")
	in := f.String("inFormat", "SequenceFileInputFormat", "class of the input format")
	out := f.String("outFormat", "SequenceFileOutputFormat", "class of the output format")
	outKey := f.String("outKey", "", "class of the keys")
	outValue := f.String("outValue", "", "class of the values")
	op := f.String("joinOp", "inner", "inner, outer or override")
	var paths []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return usage(err)
		}
		if args = f.Args(); len(args) > 0 { // options may follow the paths, as in Hadoop
			paths, args = append(paths, args[0]), args[1:]
		}
	}
	if len(paths) < 2 {
		return usage(errors.New("want at least one input and an output"))
	}
	c := r.Conf().Clone()
	if *reduces >= 0 {
		c.Set(conf.JobReduces.Name, fmt.Sprint(*reduces), "join")
	}
	c.Set(conf.JoinExpr.Name, join.Compose(*op, *in, paths[:len(paths)-1]...), "join")
	c.Set(conf.JobOutputFormatClass.Name, *out, "join")
	mapreduce.SetOutputPath(c, paths[len(paths)-1])
	c.Set(conf.JobOutputKeyClass.Name, cmp.Or(*outKey, mapreduce.BytesWritable.Class()), "join")
	c.Set(conf.JobOutputValueClass.Name, cmp.Or(*outValue, join.Tuple.Class()), "join")
	key, value := join.Input{}.Types(c)
	if err := expect("-outKey", *outKey, key); err != nil {
		return err
	}
	if err := expect("-outValue", *outValue, value); err != nil {
		return err
	}
	_, err := r.Run(ctx, j, c)
	return err
}

// expect returns an error if want, the option's class, differs from got, the type of the inputs. It
// ignores the packages of the classes. An empty want or a nil got matches everything.
func expect(option, want string, got mapreduce.Type) error {
	simple := func(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
	if want == "" || got == nil || simple(want) == simple(got.Class()) {
		return nil
	}
	return failure.New(failure.Config, "join", option+" "+want,
		fmt.Errorf("the inputs have type %s", got.Class())).
		Fix("choose another -inFormat")
}
