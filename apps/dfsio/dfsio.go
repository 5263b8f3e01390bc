// Package dfsio measures how fast many concurrent maps write to and read from a file system. It
// implements the reads, writes, and appends of Hadoop's TestDFSIO, with the same directories and
// the same form of result.
package dfsio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

// Keys of the maps' settings.
const (
	keyBuffer = "test.io.file.buffer.size"
	keyTest   = "howdah.dfsio.test"
	keyFiles  = "howdah.dfsio.files"
	keyBytes  = "howdah.dfsio.bytes"
)

// App returns Hadoop's TestDFSIO.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:    "dfsio",
		Input:   ranges.Input{Cut: cut},
		Mapper:  mapreduce.MapOf(func() *worker { return &worker{} }),
		Reducer: aggregate.Reducer(),
		Conf:    map[string]string{conf.JobReduces.Name: "1", "mapreduce.map.speculative": "false"},
	}
	return &mapreduce.App{
		Name:  "dfsio",
		Short: "measures how fast many maps read and write files, like TestDFSIO",
		Usage: usage,
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

// cut creates a split for each file.
func cut(c *conf.Config) ([]ranges.Range, error) {
	n, err := conf.DFSIOFiles.Get(c)
	return ranges.Each(n), err
}

// base returns the directory for the benchmark's data and job output. This is the value of
// test.build.data, or /benchmarks/TestDFSIO if that key is not set.
func base(c *conf.Config) string {
	return cmp.Or(conf.TestBuildData.Get(c), "/benchmarks/TestDFSIO")
}

// output returns the directory of a test's result.
func (t test) output(c *conf.Config) string { return base(c) + "/io_" + t.dir }

func dataFile(c *conf.Config, n int64) string {
	return base(c) + "/io_data/test_io_" + strconv.FormatInt(n, 10)
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "dfsio", "", err).Fix("usage: dfsio " + usage)
	}
	c := r.Conf().Clone()
	if o.test == cleanup {
		return dir.Delete(ctx, r.FS(), base(c))
	}
	out := o.test.output(c)
	if err := dir.Delete(ctx, r.FS(), out); err != nil {
		return err
	}
	for key, value := range map[string]int64{keyFiles: o.files, keyBytes: o.bytes, keyBuffer: o.buffer} {
		c.Set(key, strconv.FormatInt(value, 10), "dfsio")
	}
	c.Set(keyTest, o.test.name, "dfsio")
	mapreduce.SetOutputPath(c, out)
	start := time.Now()
	if _, err := r.Run(ctx, j, c); err != nil {
		return err
	}
	return report(ctx, r, o, out, time.Since(start))
}

// report prints the result and appends it to the local file o.results.
func report(ctx context.Context, r mapreduce.Runner, o *options, out string, took time.Duration) error {
	var s sums
	if err := dir.Lines(ctx, r.FS(), out, s.add); err != nil {
		return err
	}
	text := s.text(o.test, time.Now(), took)
	if _, err := io.WriteString(r.Stdout(), text); err != nil {
		return err
	}
	f, err := os.OpenFile(o.results, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = io.WriteString(f, text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write results", o.results, err)
	}
	return nil
}

var errTooFew = errors.New("the file is shorter than -size")

func tooShort(name string, have, want int64) error {
	return failure.New(failure.User, "read", name, fmt.Errorf("%w: %d of %d bytes", errTooFew, have, want)).
		Fix("first run -write with the same -size")
}
