// Package grep counts the matches of a regular expression and lists them by descending frequency.
// One job counts the matches, and a second job sorts them.
package grep

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// App returns the grep application.
func App() *mapreduce.App {
	search := &mapreduce.Job{
		Name:     "grep-search",
		Output:   mapreduce.SequenceOutput{},
		Mapper:   library.Regex(mapreduce.TextWritable),
		Combiner: mapreduce.Sum[int64](),
		Reducer:  mapreduce.Sum[int64](),
	}
	sort := &mapreduce.Job{
		Name:   "grep-sort",
		Input:  mapreduce.SequenceInput{},
		Mapper: library.Inverse(mapreduce.TextWritable, mapreduce.LongWritable),
		Sort:   mapreduce.Descending(mapreduce.LongWritable),
	}
	return &mapreduce.App{
		Name:  "grep",
		Short: "counts the matches of a regular expression in the input",
		Usage: "<in> <out> <regex> [<group>]",
		Jobs:  []*mapreduce.Job{search, sort},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			return run(ctx, r, search, sort, args)
		},
	}
}

func run(ctx context.Context, r mapreduce.Runner, search, sort *mapreduce.Job, args []string) error {
	if len(args) < 3 || len(args) > 4 {
		return usage(errors.New("want an input, an output, a regular expression and optionally a group"))
	}
	in, out, pattern, group := args[0], strings.TrimRight(args[1], "/"), args[2], "0"
	if len(args) == 4 {
		group = args[3]
	}
	c := r.Conf().Clone()
	c.Set(conf.MapperRegex.Name, pattern, "grep")
	c.Set(conf.MapperRegexMapperGroup.Name, group, "grep")
	if err := library.CheckRegex(c); err != nil {
		return usage(err)
	}
	mapreduce.SetOutputPath(c, out)
	if err := (mapreduce.TextOutput{}).Check(ctx, &mapreduce.Env{Conf: c, FS: r.FS()}); err != nil {
		return err
	}
	dir, base := path.Split(out)
	between := dir + "_grep-temp." + base
	defer remove(r, between)

	mapreduce.SetInputPaths(c, in)
	mapreduce.SetOutputPath(c, between)
	if _, err := r.Run(ctx, search, c); err != nil {
		return err
	}
	c = r.Conf().Clone()
	// The intermediate directory is hidden so that nobody mistakes it for a result. A pattern that
	// matches its files must name the directory explicitly.
	mapreduce.SetInputPaths(c, between+"/part-*")
	c.Set(conf.JobReduces.Name, "1", "grep")
	mapreduce.SetOutputPath(c, out)
	_, err := r.Run(ctx, sort, c)
	return err
}

func usage(err error) error { return failure.New(failure.Usage, "grep", "", err) }

// remove deletes the intermediate output, even if the application's context has ended.
func remove(r mapreduce.Runner, dir string) {
	if fs, name, err := r.FS().Resolve(dir); err == nil {
		_ = fs.Delete(context.Background(), name, true)
	}
}
