// Package mrbench is Hadoop's MRBench, with the same arguments (except -jar), directories, and form
// of result. It runs a small job repeatedly and prints the mean time per run.
package mrbench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const usage = "[-baseDir DIR] [-numRuns N] [-maps N] [-reduces N] [-inputLines N] " +
	"[-inputType ascending|descending|random] [-verbose]"

// App returns Hadoop's MRBench.
func App() *mapreduce.App {
	j := &mapreduce.Job{Name: "mrbench", Mapper: mapreduce.MapFunc(keep)}
	return &mapreduce.App{
		Name:  "mrbench",
		Short: "runs a small job repeatedly and prints the mean time",
		Usage: usage,
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func keep(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
	out.Emit(line, nil)
	return nil
}

type options struct {
	base                 string
	runs, maps, reduces  int
	lines                int
	order                string
	verbose              bool
	inputDir, outputBase string
}

func parseArgs(base string, args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("mrbench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.base, "baseDir", base, "directory of the input and output")
	f.IntVar(&o.runs, "numRuns", 1, "jobs")
	f.IntVar(&o.maps, "maps", 2, "maps of a job")
	f.IntVar(&o.reduces, "reduces", 1, "reducers of a job")
	f.IntVar(&o.lines, "inputLines", 1, "lines of input")
	f.StringVar(&o.order, "inputType", "ascending", "order of the lines")
	f.BoolVar(&o.verbose, "verbose", false, "print the times of all jobs")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 || o.runs < 1 || o.maps < 1 || o.reduces < 0 || o.lines < 0 || o.lines > maxLines {
		return nil, errors.New("a number is out of range, or there are too many arguments")
	}
	if o.order != "ascending" && o.order != "descending" && o.order != "random" {
		return nil, fmt.Errorf("unknown -inputType %q", o.order)
	}
	o.inputDir, o.outputBase = o.base+"/mr_input", o.base+"/mr_output"
	return o, nil
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	o, err := parseArgs(cmp.Or(conf.TestBuildData.Get(r.Conf()), "/benchmarks/MRBench"), args)
	if err != nil {
		return failure.New(failure.Usage, "mrbench", "", err).Fix("usage: mrbench " + usage)
	}
	text := lines(o.lines, o.order)
	input := fmt.Sprintf("%s/input_%d.txt", o.inputDir, time.Now().UnixNano())
	if err := write(ctx, r, input, text); err != nil {
		return err
	}
	// The input and the outputs are no longer needed after the last run.
	defer func() {
		_ = dir.Delete(context.WithoutCancel(ctx), r.FS(), o.inputDir)
		_ = dir.Delete(context.WithoutCancel(ctx), r.FS(), o.outputBase)
	}()
	var times []time.Duration
	for i := range o.runs {
		c := r.Conf().Clone()
		mapreduce.SetInputPaths(c, input)
		mapreduce.SetOutputPath(c, fmt.Sprintf("%s/output_%d_%d", o.outputBase, time.Now().UnixNano(), i))
		c.Set(conf.JobReduces.Name, fmt.Sprint(o.reduces), "mrbench")
		c.Set(conf.InputFileInputFormatSplitMaxSize.Name, fmt.Sprint(max(1, (len(text)+o.maps-1)/o.maps)), "mrbench")
		start := time.Now()
		if _, err := r.Run(ctx, j, c); err != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	_, err = io.WriteString(r.Stdout(), o.report(times))
	return err
}

// report returns the number of lines, maps, and reducers, the mean time, and, with -verbose, the
// time of each run, in Hadoop's format.
func (o *options) report(times []time.Duration) string {
	var b strings.Builder
	if o.verbose {
		fmt.Fprintf(&b, "Total MapReduce jobs executed: %d\nTotal lines of data per job: %d\n"+
			"Maps per job: %d\nReduces per job: %d\n", o.runs, o.lines, o.maps, o.reduces)
	}
	total := int64(0)
	for i, t := range times {
		if total += t.Milliseconds(); o.verbose {
			fmt.Fprintf(&b, "Total milliseconds for task: %d = %d\n", i+1, t.Milliseconds())
		}
	}
	fmt.Fprintf(&b, "DataLines\tMaps\tReduces\tAvgTime (milliseconds)\n%d\t\t%d\t%d\t%d\n", o.lines, o.maps, o.reduces,
		total/int64(len(times)))
	return b.String()
}

// maxLines is the maximum number of input lines, which are generated in memory.
const maxLines = 10_000_000

// lines returns n numbers below n, one per line, all with the same number of digits. order
// determines whether they are ascending, descending, or pseudorandom.
func lines(n int, order string) []byte {
	width := len(fmt.Sprint(n))
	var b bytes.Buffer
	for i := range n {
		x := uint64(i)
		switch order {
		case "descending":
			x = uint64(n - 1 - i)
		case "random":
			x = (x*2654435761 + 12345) % uint64(max(n, 1))
		}
		fmt.Fprintf(&b, "%0*d\n", width, x)
	}
	return b.Bytes()
}

func write(ctx context.Context, r mapreduce.Runner, file string, text []byte) error {
	fs, name, err := r.FS().Resolve(file)
	if err != nil {
		return err
	}
	w, err := fs.Create(ctx, name, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}
