// Package sort sorts records by key.
package sort

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// App returns the sort application. The mapper and the reducer are the identity. By default, the
// input is key-value text, whereas Hadoop's sort reads SequenceFiles.
func App() *mapreduce.App {
	hashed := &mapreduce.Job{Name: "sort"}
	ranged := &mapreduce.Job{Name: "sort-total", Partitioner: mapreduce.TotalOrder}
	return &mapreduce.App{
		Name:  "sort",
		Short: "sorts lines of KEY TAB VALUE by key",
		Usage: "[-m MAPS] [-r REDUCES] [-inFormat CLASS] [-outFormat CLASS] [-outKey CLASS] [-outValue CLASS] " +
			"[-totalOrder PCNT SAMPLES MAXSPLITS] <in>… <out>",
		Jobs: []*mapreduce.Job{hashed, ranged},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			return run(ctx, r, hashed, ranged, args)
		},
	}
}

type options struct {
	set              map[string]string // settings that result from command-line options
	outKey, outValue string            // classes that the user expects; "" means any
	sampler          *mapreduce.RandomSampler
	in               []string
	out              string
}

func run(ctx context.Context, r mapreduce.Runner, hashed, ranged *mapreduce.Job, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "sort", "", err)
	}
	c := r.Conf().Clone()
	mapreduce.SetInputPaths(c, strings.Join(o.in, ","))
	mapreduce.SetOutputPath(c, o.out)
	if _, _, chosen := c.Lookup(conf.JobInputFormatClass.Name); !chosen || conf.JobInputFormatClass.Get(c) == "" {
		c.Set(conf.JobInputFormatClass.Name, "KeyValueTextInputFormat", "sort")
	}
	for k, v := range o.set {
		c.Set(k, v, "sort")
	}
	if err := o.chooseTypes(hashed, c); err != nil {
		return err
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
	c.Set(conf.TotalOrderPartitionerPath.Name, cuts, "sort")
	defer remove(r, cuts)
	if err := mapreduce.SampleCutPoints(ctx, env, ranged, o.sampler); err != nil {
		return err
	}
	_, err = r.Run(ctx, ranged, c)
	return err
}

// remove deletes the cut points, even if the application's context has ended.
func remove(r mapreduce.Runner, file string) {
	if fs, name, err := r.FS().Resolve(file); err == nil {
		_ = fs.Delete(context.Background(), name, false)
	}
}

// chooseTypes sets the output classes in c if j's input format does not determine the types of its
// records. Otherwise, it rejects -outKey and -outValue classes that differ from these types,
// because an identity job writes the types that it reads.
func (o *options) chooseTypes(j *mapreduce.Job, c *conf.Config) error {
	key, value := j.InputFormat().Types(c)
	for _, x := range []struct {
		option, want, setting string
		got                   mapreduce.Type
	}{{"-outKey", o.outKey, conf.JobOutputKeyClass.Name, key},
		{"-outValue", o.outValue, conf.JobOutputValueClass.Name, value}} {
		if x.got == nil {
			c.Set(x.setting, cmp.Or(x.want, c.Get(x.setting), mapreduce.BytesWritable.Class()), "sort")
			continue
		}
		if got := x.got.Class(); x.want != "" && path.Ext("."+x.want) != path.Ext(got) {
			return failure.New(failure.Config, "sort", x.option+" "+x.want, fmt.Errorf("the input format has type %s", got)).
				Fix("choose another -inFormat")
		}
	}
	return nil
}

func parseArgs(args []string) (o options, err error) {
	o.set = map[string]string{}
	f := flag.NewFlagSet("sort", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	setting := func(key string) func(string) error {
		return func(v string) error { o.set[key] = v; return nil }
	}
	f.Func("m", "maps", setting(conf.JobMaps.Name))
	f.Func("r", "reducers", setting(conf.JobReduces.Name))
	f.Func("inFormat", "class of the input format", setting(conf.JobInputFormatClass.Name))
	f.Func("outFormat", "class of the output format", setting(conf.JobOutputFormatClass.Name))
	f.StringVar(&o.outKey, "outKey", "", "class of the keys")
	f.StringVar(&o.outValue, "outValue", "", "class of the values")
	total := false
	f.BoolVar(&total, "totalOrder", false, "sort across part files")
	var paths []string
	for len(args) > 0 {
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" { // options may follow the paths, as in Hadoop
			paths, args = append(paths, args[0]), args[1:]
			continue
		}
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
	if len(paths) < 2 {
		return o, errors.New("want at least one input and an output")
	}
	o.in, o.out = paths[:len(paths)-1], strings.TrimRight(paths[len(paths)-1], "/")
	return o, nil
}

func parseSampler(args []string) (*mapreduce.RandomSampler, error) {
	if len(args) < 3 {
		return nil, errors.New("-totalOrder needs PCNT SAMPLES MAXSPLITS")
	}
	freq, err1 := strconv.ParseFloat(args[0], 64)
	samples, err2 := strconv.Atoi(args[1])
	splits, err3 := strconv.Atoi(args[2])
	if err := errors.Join(err1, err2, err3); err != nil || !(freq > 0 && freq <= 1) || samples < 1 || splits < 0 {
		return nil, fmt.Errorf("-totalOrder %s: want a fraction of the keys (0 to 1), a maximum number of "+
			"samples (1 or more) and of splits to read (0 = all)", strings.Join(args[:3], " "))
	}
	return &mapreduce.RandomSampler{Freq: freq, Samples: samples, MaxSplits: splits}, nil
}
