package btworld

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The settings that the client passes to the maps of btworld-generate.
const (
	keyScrapes  = "howdah.btworld.scrapes"
	keySwarms   = "howdah.btworld.swarms"
	keyTrackers = "howdah.btworld.trackers"
	keySkew     = "howdah.btworld.skew"
	keySeed     = "howdah.btworld.seed"
)

const (
	maxScrapes  = 1 << 40
	maxSwarms   = 1 << 30
	maxTrackers = 10_000
	maxSkew     = 4
	maxMoments  = 100 * 365 * 24 // a century of hours
	maxMaps     = 100_000
)

// Generate returns the application that generates scrapes.
func Generate() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "btworld-generate",
		Input:  ranges.Input{Cut: cut},
		Mapper: mapreduce.MapOf(func() *writer { return &writer{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
	return &mapreduce.App{
		Name:  "btworld-generate",
		Short: "generates scrapes of BitTorrent trackers for btworld, 100 bytes each",
		Usage: "[-scrapes N] [-swarms N] [-trackers N] [-skew 0..4] [-seed S] [-m MAPS] <out>",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return generate(ctx, r, j, args) },
	}
}

func generate(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	f := flag.NewFlagSet("btworld-generate", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	scrapes := f.Int64("scrapes", 1_024_000, "lines")
	swarms := f.Int64("swarms", 256_000, "number of scrapes of each moment")
	trackers := f.Int64("trackers", 12, "trackers")
	skew := f.Int64("skew", 3, "exponent of Zipf's law for the sizes of trackers")
	seed := f.Uint64("seed", 1, "seed of the random numbers")
	maps := f.Int64("m", 2, "maps")
	err := f.Parse(args)
	switch {
	case err != nil:
	case f.NArg() != 1:
		err = errors.New("want an output")
	case *scrapes < 0 || *scrapes > maxScrapes:
		err = fmt.Errorf("-scrapes %d: want 0 to 2^40", *scrapes)
	case *swarms < 1 || *swarms > maxSwarms:
		err = fmt.Errorf("-swarms %d: want 1 to 2^30", *swarms)
	case *scrapes / *swarms >= maxMoments:
		err = fmt.Errorf("-scrapes %d with -swarms %d exceeds a century of hours", *scrapes, *swarms)
	case *trackers < 1 || *trackers > maxTrackers:
		err = fmt.Errorf("-trackers %d: want 1 to %d", *trackers, maxTrackers)
	case *skew < 0 || *skew > maxSkew:
		err = fmt.Errorf("-skew %d: want 0 to %d", *skew, maxSkew)
	case *maps < 1 || *maps > maxMaps:
		err = fmt.Errorf("-m %d: want 1 to %d", *maps, maxMaps)
	}
	if err != nil {
		return usage("btworld-generate", err)
	}
	c := r.Conf().Clone()
	for k, v := range map[string]int64{keyScrapes: *scrapes, keySwarms: *swarms, keyTrackers: *trackers, keySkew: *skew,
		conf.JobMaps.Name: *maps, conf.JobReduces.Name: 0} {
		c.Set(k, strconv.FormatInt(v, 10), "btworld-generate")
	}
	c.Set(keySeed, strconv.FormatUint(*seed, 10), "btworld-generate")
	mapreduce.SetOutputPath(c, f.Arg(0))
	_, err = r.Run(ctx, j, c)
	return err
}

// cut distributes the scrapes evenly among the maps.
func cut(c *conf.Config) ([]ranges.Range, error) {
	scrapes, err := conf.BTWorldScrapes.Get(c)
	if err != nil {
		return nil, err
	}
	maps, err := conf.JobMaps.Within(c, 1, maxMaps)
	if err != nil {
		return nil, err
	}
	return ranges.Evenly(scrapes, maps), nil
}

// writer writes the scrape for each number that it receives.
type writer struct{ world world }

func (w *writer) Setup(c *mapreduce.Context) (err error) {
	if w.world.seed, err = strconv.ParseUint(conf.BTWorldSeed.Get(c.Conf), 10, 64); err != nil {
		return failure.New(failure.Config, "read setting", keySeed, err)
	}
	if w.world.swarms, err = conf.BTWorldSwarms.Get(c.Conf); err != nil {
		return err
	}
	if w.world.trackers, err = conf.BTWorldTrackers.Get(c.Conf); err != nil {
		return err
	}
	w.world.skew, err = conf.BTWorldSkew.Get(c.Conf)
	return err
}

func (w *writer) Map(_ *mapreduce.Context, n int64, _ mapreduce.Null,
	out *mapreduce.Out[mapreduce.Text, mapreduce.Null]) error {
	out.Emit(w.world.scrape(n), mapreduce.Null{})
	return out.Err()
}
