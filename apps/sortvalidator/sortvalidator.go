// Package sortvalidator is Hadoop's testmapredsort test program. It checks the output of a
// SequenceFile sort against its input. One job checks the order and the checksums. With -deep, a
// second job runs at the same time and compares each record.
package sortvalidator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
	"github.com/howdah/howdah/mapreduce/jobcontrol"
)

const usage = "[-m MAPS] [-r REDUCES] [-deep] -sortInput DIR -sortOutput DIR"

// keyParts is the setting that passes the number of sorted files to the maps.
const keyParts = "mapreduce.sortvalidator.sort.reduce.tasks"

// App returns Hadoop's testmapredsort.
func App() *mapreduce.App {
	stats := sides(func(side string) mapreduce.Mapper { return &checker{side: side} })
	records := sides(func(side string) mapreduce.Mapper { return &pairs{sorted: side == sorted} })
	jobs := []*mapreduce.Job{
		{Name: "sort-validate-record-stats", Input: stats, Mapper: stats.Mapper(), Reducer: aggregate.Reducer(),
			Combiner: aggregate.Combiner()},
		{Name: "sort-validate-records", Input: records, Mapper: records.Mapper(), Combiner: mapreduce.Sum[int64](),
			Reducer: mapreduce.ReduceOf(func() *balance { return &balance{} })},
	}
	return &mapreduce.App{
		Name:  "testmapredsort",
		Short: "checks the output of a sort of SequenceFiles against its input",
		Usage: usage,
		Jobs:  jobs,
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, jobs, args) },
	}
}

// The two sides of a sort.
const (
	unsorted = "input"
	sorted   = "output"
)

// sides returns the input of a check, which consists of the files on both sides of the sort. Each
// file is read by one map. mapper returns the mapper for a side.
func sides(mapper func(side string) mapreduce.Mapper) mapreduce.MultipleInputs {
	var in mapreduce.MultipleInputs
	for _, side := range []string{unsorted, sorted} {
		in = append(in, mapreduce.Source{Name: side, Format: wholeFiles{}, Mapper: mapreduce.MapperClass{
			New: func() mapreduce.Mapper { return mapper(side) }, Key: mapreduce.TextWritable, Val: valueType(mapper(side)),
		}})
	}
	return in
}

func valueType(m mapreduce.Mapper) mapreduce.Type {
	if _, ok := m.(*pairs); ok {
		return mapreduce.LongWritable
	}
	return mapreduce.TextWritable
}

// wholeFiles reads SequenceFiles without splitting them, so that a map reads an entire part in
// order.
type wholeFiles struct{ mapreduce.SequenceInput }

func (wholeFiles) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	own := *env
	own.Conf = env.Conf.Clone()
	own.Conf.Set(conf.InputFileInputFormatSplitMinSize.Name, "9223372036854775807", "testmapredsort")
	return mapreduce.SequenceInput{}.Splits(ctx, &own)
}

type options struct {
	in, out       string
	maps, reduces int
	deep          bool
}

func parseArgs(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("testmapredsort", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.in, "sortInput", "", "input of the sort")
	f.StringVar(&o.out, "sortOutput", "", "output of the sort")
	f.IntVar(&o.maps, "m", 0, "accepted for compatibility; each file has one map")
	f.IntVar(&o.reduces, "r", 1, "reducers of the record check")
	f.BoolVar(&o.deep, "deep", false, "check each record")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.in == "" || o.out == "" || f.NArg() > 0 || o.reduces < 1 {
		return nil, errors.New("want -sortInput and -sortOutput")
	}
	return o, nil
}

func run(ctx context.Context, r mapreduce.Runner, jobs []*mapreduce.Job, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "testmapredsort", "", err).Fix("usage: testmapredsort " + usage)
	}
	parts, err := countParts(ctx, r.FS(), o.out)
	if err != nil {
		return err
	}
	between := strings.TrimRight(o.out, "/") + "_validate"
	if err := dir.Refuse(ctx, r.FS(), between); err != nil {
		return err
	}
	defer func() { _ = dir.Delete(context.WithoutCancel(ctx), r.FS(), between) }()

	g := jobcontrol.New(0)
	add := func(j *mapreduce.Job, reduces int) string {
		c := r.Conf().Clone()
		in := j.Input.(mapreduce.MultipleInputs)
		in.Add(c, unsorted, o.in)
		in.Add(c, sorted, o.out)
		out := between + "/" + j.Name // path.Join would merge the two slashes of a scheme
		mapreduce.SetOutputPath(c, out)
		c.Set(keyParts, strconv.Itoa(parts), "testmapredsort")
		c.Set(conf.JobReduces.Name, strconv.Itoa(reduces), "testmapredsort")
		g.Add(j.Name, jobcontrol.Submit(r, j, c))
		return out
	}
	stats := add(jobs[0], 1)
	if o.deep {
		add(jobs[1], o.reduces)
	}
	if err := g.Run(ctx); err != nil {
		return err
	}
	if err := compareStats(ctx, r.FS(), stats); err != nil {
		return err
	}
	_, err = io.WriteString(r.Stdout(), "\nSUCCESS! Validated the MapReduce framework's 'sort' successfully.\n")
	return err
}

// countParts returns the number of part files in out. This is the number of reducers that the sort
// had.
func countParts(ctx context.Context, fs dfs.Resolver, out string) (n int, err error) {
	f, name, err := fs.Resolve(out)
	if err != nil {
		return 0, err
	}
	files, err := f.List(ctx, name)
	for _, x := range files {
		if strings.HasPrefix(x.Name(), "part-") {
			n++
		}
	}
	if err == nil && n == 0 {
		err = failure.New(failure.NotFound, "find part files in", out, nil)
	}
	return n, err
}

// compareStats returns an error if the two sides of the sort differ in the number of records, the
// number of bytes, or the checksum.
func compareStats(ctx context.Context, fs dfs.Resolver, stats string) error {
	sums := map[string]string{}
	if err := dir.Lines(ctx, fs, stats, func(line string) error {
		key, value, _ := strings.Cut(line, "\t")
		sums[key] = value
		return nil
	}); err != nil {
		return err
	}
	for _, what := range []string{"records", "bytes", "checksum"} {
		if a, b := sums[unsorted+" "+what], sums[sorted+" "+what]; a != b {
			return failure.New(failure.Failed, "validate sort", "",
				fmt.Errorf("the %s of the input are %s, but those of the output are %s", what, a, b))
		}
	}
	return nil
}

// partOf returns the number of the part file that s reads.
func partOf(s *mapreduce.Split) (int, error) {
	name := path.Base(s.Chunks[0].Path)
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil {
		return 0, fmt.Errorf("%s is not the name of a part file", name)
	}
	return n, nil
}

// partitioner returns the hash partitioner, which the sort must have used, and the number of parts.
func partitioner(c *conf.Config, keys mapreduce.Type) (mapreduce.Partitioner, int, error) {
	parts, err := conf.SortValidatorSortReduceTasks.Get(c)
	if err != nil {
		return nil, 0, err
	}
	p, err := mapreduce.HashPartition(nil, keys)
	return p, int(parts), err
}
