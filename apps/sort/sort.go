// Package sort sorts records by key.
package sort

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// App gives the application: identity mapper and reducer over key-value text, as Hadoop's sort with text formats.
func App() *mapreduce.App {
	hashed := &mapreduce.Job{Name: "sort", Input: mapreduce.KeyValueTextInput{}}
	ranged := &mapreduce.Job{Name: "sort-total", Input: mapreduce.KeyValueTextInput{}, Partitioner: mapreduce.TotalOrder}
	return &mapreduce.App{
		Name:  "sort",
		Short: "sorts lines of KEY TAB VALUE by key",
		Usage: "[-r REDUCES] [-totalOrder PCNT SAMPLES MAXSPLITS] <in>… <out>",
		Jobs:  []*mapreduce.Job{hashed, ranged},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			return run(ctx, r, hashed, ranged, args)
		},
	}
}

type options struct {
	reduces int // -1 = as configured
	sampler *mapreduce.RandomSampler
	in      []string
	out     string
}

func run(ctx context.Context, r mapreduce.Runner, hashed, ranged *mapreduce.Job, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "sort", "", err)
	}
	c := r.Conf().Clone()
	c.Set(mapreduce.KeyInputDir, strings.Join(o.in, ","), "sort")
	mapreduce.SetOutputPath(c, o.out)
	if o.reduces >= 0 {
		c.Set(mapreduce.KeyReduces, strconv.Itoa(o.reduces), "sort")
	}
	if o.sampler == nil {
		_, err = r.Run(ctx, hashed, c)
		return err
	}
	env := &mapreduce.Env{Conf: c, FS: r.FS()}
	if err := (mapreduce.TextOutput{}).Check(ctx, env); err != nil {
		return err
	}
	dir, base := path.Split(o.out)
	cuts := dir + "_partition." + base + ".lst"
	c.Set(mapreduce.KeyPartitionFile, cuts, "sort")
	defer remove(r, cuts)
	if err := mapreduce.SampleCutPoints(ctx, env, ranged, o.sampler); err != nil {
		return err
	}
	_, err = r.Run(ctx, ranged, c)
	return err
}

// remove deletes the cut points, also when ctx has ended.
func remove(r mapreduce.Runner, file string) {
	if fs, name, err := r.FS().Resolve(file); err == nil {
		_ = fs.Delete(context.Background(), name, false)
	}
}

func parseArgs(args []string) (o options, err error) {
	f := flag.NewFlagSet("sort", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.reduces, "r", -1, "reducers")
	total := false
	f.BoolVar(&total, "totalOrder", false, "part files in order")
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if err := f.Parse(args); err != nil {
			return o, err
		}
		args = f.Args()
		if total && o.sampler == nil {
			if o.sampler, err = parseSampler(args); err != nil {
				return o, err
			}
			args = args[3:]
		}
	}
	if len(args) < 2 {
		return o, errors.New("want at least one input and an output")
	}
	o.in, o.out = args[:len(args)-1], strings.TrimRight(args[len(args)-1], "/")
	return o, nil
}

func parseSampler(args []string) (*mapreduce.RandomSampler, error) {
	if len(args) < 3 {
		return nil, errors.New("-totalOrder wants PCNT SAMPLES MAXSPLITS")
	}
	freq, err1 := strconv.ParseFloat(args[0], 64)
	samples, err2 := strconv.Atoi(args[1])
	splits, err3 := strconv.Atoi(args[2])
	if err := errors.Join(err1, err2, err3); err != nil || !(freq > 0 && freq <= 1) || samples < 1 || splits < 0 {
		return nil, fmt.Errorf("-totalOrder %s: want a share of the keys (0 to 1), the most samples (from 1) and the most splits to read (0 = all)", strings.Join(args[:3], " "))
	}
	return &mapreduce.RandomSampler{Freq: freq, Samples: samples, MaxSplits: splits}, nil
}
