// Package datagen makes up the input of the applications that come from papers: documents, traffic logs, who follows whom,
// and tweets. The same seed gives the same files, however many maps write them.
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

// App gives the application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "datagen",
		Input:  ranges.Input{Cut: cut},
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{mapreduce.KeyReduces: "0"},
	}
	return &mapreduce.App{
		Name:  "datagen",
		Short: "makes up input: articles, traffic, follows or tweets",
		Usage: "[-records N] [-seed S] [-m MAPS] articles|traffic|follows|tweets <out>",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	f := flag.NewFlagSet("datagen", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	records := f.Int64("records", 10_000, "lines")
	seed := f.Uint64("seed", 1, "of the random numbers")
	maps := f.Int64("m", 2, "maps")
	err := f.Parse(args)
	switch {
	case err != nil:
	case f.NArg() != 2:
		err = errors.New("want a kind of data and an output")
	case kinds[f.Arg(0)] == nil:
		err = fmt.Errorf("%q: there are articles, traffic, follows and tweets", f.Arg(0))
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
	c.Set(mapreduce.KeyMaps, strconv.FormatInt(*maps, 10), "datagen")
	c.Set(mapreduce.KeyReduces, "0", "datagen")
	mapreduce.SetOutputPath(c, f.Arg(1))
	_, err = r.Run(ctx, j, c)
	return err
}

// cut shares the records out evenly.
func cut(c *conf.Config) ([]ranges.Range, error) {
	records, err := c.Int(keyRecords, 0, 0, maxRecords)
	if err != nil {
		return nil, err
	}
	maps, err := c.Int(mapreduce.KeyMaps, 1, 1, 100_000)
	if err != nil {
		return nil, err
	}
	out := make([]ranges.Range, maps)
	for i := range out {
		first, end := records/maps*int64(i)+min(int64(i), records%maps), records/maps*int64(i+1)+min(int64(i+1), records%maps)
		out[i] = ranges.Range{First: first, Count: end - first}
	}
	return out, nil
}

// writer makes one line of each number that it is given.
type writer struct {
	make  func(*maker) []byte
	maker maker
}

func (w *writer) Setup(c *mapreduce.Context) error {
	seed, err := strconv.ParseUint(c.Conf.Get(keySeed), 10, 64)
	if err != nil {
		return failure.New(failure.Config, "read setting", keySeed, err)
	}
	records, err := c.Conf.Int(keyRecords, 0, 0, maxRecords)
	if err != nil {
		return err
	}
	w.maker.seed, w.make = seed, kinds[c.Conf.Get(keyKind)]
	if w.make == nil {
		return failure.New(failure.Config, "read setting", keyKind, fmt.Errorf("%q", c.Conf.Get(keyKind)))
	}
	w.maker.users = max(2, int64(math.Sqrt(float64(records))*2))
	return nil
}

func (w *writer) Map(_ *mapreduce.Context, n int64, _ mapreduce.Null, out *mapreduce.Out[mapreduce.Text, mapreduce.Null]) error {
	w.maker.number, w.maker.r = n, rand.New(rand.NewPCG(w.maker.seed, uint64(n)))
	out.Emit(w.make(&w.maker), mapreduce.Null{})
	return out.Err()
}
