// Package random contains the code that randomwriter and randomtextwriter share. In both, each map
// writes random records until it has written a given number of bytes.
package random

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// App describes one of the two applications.
type App struct {
	Name  string
	Group string // group of the application's counters
	// The settings for the bytes per job, the bytes per map, the number of maps, and the seed.
	Total, PerMap, Maps, Seed *conf.Int
	// If Even is true and Total is not 0, all maps write equal shares of Total. Otherwise, each map
	// writes PerMap bytes, or Total bytes if Total is smaller and not 0.
	Even bool
	// Least is the minimum number of bytes that a record counts as. If Least is 1, a map ends even
	// if all its records are empty.
	Least int64
	// Every is the number of records that a map writes between two status messages.
	Every int
}

// Input creates one split for each map. A split has one record.
func (a *App) Input() ranges.Input {
	return ranges.Input{Cut: func(c *conf.Config) ([]ranges.Range, error) {
		_, maps, err := a.perMap(c)
		return ranges.Each(maps), err
	}}
}

// Run runs job j with configuration c and without reduces. The only element of args is the output
// directory.
func (a *App) Run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, c *conf.Config, args []string) error {
	if len(args) != 1 {
		return failure.New(failure.Usage, a.Name, "", errors.New("want an output"))
	}
	c.Set(conf.JobReduces.Name, "0", a.Name)
	mapreduce.SetOutputPath(c, args[0])
	_, err := r.Run(ctx, j, c)
	return err
}

// perMap returns the number of bytes that each map writes and the number of maps. If Total is 0,
// the number of maps is the value of Maps. In Hadoop, that setting is per host, but here the client
// does not know the hosts.
func (a *App) perMap(c *conf.Config) (bytes, maps int64, err error) {
	r := conf.Reader{Conf: c}
	bytes, maps = a.PerMap.From(&r), a.Maps.From(&r)
	total := a.Total.From(&r)
	if r.Err != nil || total == 0 {
		return bytes, maps, r.Err
	}
	if maps = max(1, total/bytes); maps > a.Maps.Max() {
		return 0, 0, failure.New(failure.Config, "read setting", a.Total.Name,
			fmt.Errorf("%d bytes need %d maps; the limit is %d; raise %s", total, maps, a.Maps.Max(), a.PerMap.Name))
	}
	if a.Even {
		return total / maps, maps, nil
	}
	return min(total, bytes), maps, nil
}

// Writer writes the records of a map.
type Writer struct {
	Seed             uint64
	app              *App
	bytes            int64
	written, records *mapreduce.Counter
}

// Setup reads the settings and opens the counters.
func (w *Writer) Setup(c *mapreduce.Context, a *App) error {
	seed, err := a.Seed.Get(c.Conf)
	if err != nil {
		return err
	}
	w.app, w.Seed = a, uint64(seed)
	if w.bytes, _, err = a.perMap(c.Conf); err != nil {
		return err
	}
	if w.written, err = c.Counter(a.Group, "BYTES_WRITTEN"); err != nil {
		return err
	}
	w.records, err = c.Counter(a.Group, "RECORDS_WRITTEN")
	return err
}

// Write emits records until map n has written its share of the bytes. next appends a key and a
// value to the slices that it receives.
func Write[T ~[]byte](w *Writer, c *mapreduce.Context, n int64, out *mapreduce.Out[T, T],
	next func(r *rand.Rand, key, value T) (k, v T),
) error {
	r := rand.New(rand.NewPCG(w.Seed, uint64(n)))
	var key, value T
	for left, i := w.bytes, 0; left > 0; i++ {
		key, value = next(r, key[:0], value[:0])
		out.Emit(key, value)
		size := int64(len(key) + len(value))
		left -= max(size, w.app.Least)
		w.written.Add(size)
		w.records.Add(1)
		if i%w.app.Every == 0 {
			c.SetStatus("wrote record " + strconv.Itoa(i) + ". " + strconv.FormatInt(left, 10) + " bytes left.")
			if err := errors.Join(c.Context().Err(), out.Err()); err != nil {
				return err
			}
		}
	}
	return out.Err()
}
