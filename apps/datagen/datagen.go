// Package datagen generates documents, traffic logs, followers, and tweets, which are input for the
// applications that come from papers. The lines do not depend on the number of maps.
package datagen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The settings that the client passes to the maps.
const (
	keyKind    = "howdah.datagen.kind"
	keyRecords = "howdah.datagen.records"
	keySeed    = "howdah.datagen.seed"
)

const maxRecords = 1 << 40

// App returns the datagen application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "datagen",
		Input:  ranges.Input{Cut: cut},
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
	return &mapreduce.App{
		Name:  "datagen",
		Short: "generates input: articles, traffic, follows or tweets",
		Usage: "[-records N] [-seed S] [-m MAPS] articles|traffic|follows|tweets <out>",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	f := flag.NewFlagSet("datagen", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	records := f.Int64("records", 10_000, "lines")
	seed := f.Uint64("seed", 1, "seed of the random numbers")
	maps := f.Int64("m", 2, "maps")
	err := f.Parse(args)
	switch {
	case err != nil:
	case f.NArg() != 2:
		err = errors.New("want a kind of data and an output")
	case kinds[f.Arg(0)] == nil:
		err = fmt.Errorf("unknown kind %q: want articles, traffic, follows or tweets", f.Arg(0))
	case *records < 0 || *records > maxRecords || *maps < 1 || *maps > 100_000:
		err = errors.New("want 0 to 2^40 records and 1 to 100000 maps")
	}
	if err != nil {
		return failure.New(failure.Usage, "datagen", "", err)
	}
	c := r.Conf().Clone()
	c.Set(keyKind, f.Arg(0), "datagen")
	c.Set(keyRecords, strconv.FormatInt(*records, 10), "datagen")
	c.Set(keySeed, strconv.FormatUint(*seed, 10), "datagen")
	c.Set(conf.JobMaps.Name, strconv.FormatInt(*maps, 10), "datagen")
	c.Set(conf.JobReduces.Name, "0", "datagen")
	mapreduce.SetOutputPath(c, f.Arg(1))
	_, err = r.Run(ctx, j, c)
	return err
}

// cut distributes the records evenly among the maps.
func cut(c *conf.Config) ([]ranges.Range, error) {
	records, err := conf.DataGenRecords.Get(c)
	if err != nil {
		return nil, err
	}
	maps, err := conf.JobMaps.Within(c, 1, 100_000)
	if err != nil {
		return nil, err
	}
	return ranges.Evenly(records, maps), nil
}

// writer writes a line for each number that it receives.
type writer struct {
	make  func(*maker) []byte
	maker maker
}

func (w *writer) Setup(c *mapreduce.Context) error {
	seed, err := strconv.ParseUint(conf.DataGenSeed.Get(c.Conf), 10, 64)
	if err != nil {
		return failure.New(failure.Config, "read setting", keySeed, err)
	}
	records, err := conf.DataGenRecords.Get(c.Conf)
	if err != nil {
		return err
	}
	w.maker.seed, w.make = seed, kinds[conf.DataGenKind.Get(c.Conf)]
	if w.make == nil {
		return failure.New(failure.Config, "read setting", keyKind, fmt.Errorf("%q", conf.DataGenKind.Get(c.Conf)))
	}
	w.maker.users = max(2, int64(math.Sqrt(float64(records))*2))
	return nil
}

func (w *writer) Map(_ *mapreduce.Context, n int64, _ mapreduce.Null,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Null]) error {
	w.maker.number, w.maker.r = n, rand.New(rand.NewPCG(w.maker.seed, uint64(n)))
	out.Emit(w.make(&w.maker), mapreduce.Null{})
	return out.Err()
}
