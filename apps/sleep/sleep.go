// Package sleep occupies slots for a given time, to test schedulers. Its tasks sleep unless
// howdah.sleep.load selects another load.
package sleep

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/waits"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// App returns the sleep application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:        waits.JobName,
		Input:       ranges.Input{Cut: cut},
		Output:      mapreduce.NullOutput{},
		Mapper:      mapreduce.MapOf(func() *mapper { return &mapper{} }),
		Reducer:     mapreduce.ReduceOf(func() *reducer { return &reducer{} }),
		Partitioner: byNumber,
	}
	return &mapreduce.App{
		Name:  "sleep",
		Short: "sleeps in each map and reduce",
		Usage: "[-m MAPS] [-r REDUCES] [-mt MAP-MS] [-rt REDUCE-MS] [-recordt NAP-MS]",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	f := flag.NewFlagSet("sleep", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	maps := f.Int64("m", 1, "maps")
	reduces := f.Int64("r", 1, "reduces")
	mapTime := f.Int64("mt", 100, "sleep of a map, in ms")
	reduceTime := f.Int64("rt", 100, "sleep of a reduce, in ms")
	nap := f.Int64("recordt", 100, "length of one nap, in ms")
	err := f.Parse(args)
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	case *maps < 1 || *maps > 1e6 || *reduces < 0 || *reduces > 1e5:
		err = errors.New("want 1 to 1000000 maps and 0 to 100000 reduces")
	case *mapTime < 0 || *reduceTime < 0 || *nap < 1:
		err = errors.New("want times of 0 ms or more and naps of 1 ms or more")
	}
	if err != nil {
		return failure.New(failure.Usage, "sleep", "", err)
	}
	c := r.Conf().Clone()
	set := func(key string, n int64) { c.Set(key, strconv.FormatInt(n, 10), "sleep") }
	set(conf.JobMaps.Name, *maps)
	set(conf.JobReduces.Name, *reduces)
	set(conf.SleepJobMapSleepTime.Name, *mapTime)
	set(conf.SleepJobReduceSleepTime.Name, *reduceTime)
	set(conf.SleepJobMapSleepCount.Name, count(*mapTime, *nap))
	set(conf.SleepJobReduceSleepCount.Name, count(*reduceTime, *nap))
	_, err = r.Run(ctx, j, c)
	return err
}

func count(total, nap int64) int64 { return max(1, (total+nap-1)/nap) }

// cut creates one split per map, each with a single record.
func cut(c *conf.Config) ([]ranges.Range, error) {
	maps, err := conf.JobMaps.Get(c)
	if err != nil {
		return nil, err
	}
	return ranges.Each(maps), nil
}

// rest contains the total time, the number, and the load of a task's naps.
type rest struct {
	total time.Duration
	count int64
	load  load
}

func (s *rest) read(c *mapreduce.Context, times func(waits.Plan) waits.Times, naps *conf.Int) error {
	p, err := waits.Read(c.Conf)
	if err != nil {
		return err
	}
	s.total = times(p).Of(c.Partition())
	if s.load, err = loadOf(c.Conf); err != nil {
		return err
	}
	s.count, err = naps.Get(c.Conf)
	return err
}

// sleep takes one nap after another. It stops when the task is killed.
func (s *rest) sleep(c *mapreduce.Context) error {
	start := time.Now()
	for i := range s.count {
		left := s.total - time.Since(start)
		c.SetStatus(waits.Status(left))
		until := s.total / time.Duration(s.count) * time.Duration(i+1)
		if i == s.count-1 {
			until = s.total
		}
		if err := s.load(c.Context(), start.Add(until)); err != nil {
			return err
		}
	}
	return nil
}

type mapper struct {
	rest
	records int64
}

func (m *mapper) Setup(c *mapreduce.Context) (err error) {
	if m.records, err = conf.SleepMapRecords.Get(c.Conf); err != nil {
		return err
	}
	return m.read(c, func(p waits.Plan) waits.Times { return p.Map }, &conf.SleepJobMapSleepCount)
}

// Map emits records for each reducer, so that every reducer has a group during which it can sleep.
func (m *mapper) Map(c *mapreduce.Context, _ int64, _ mapreduce.Null, out *mapreduce.Out[int32, mapreduce.Null]) error {
	for i := range c.Task().Reduces {
		for range m.records {
			out.Emit(int32(i), mapreduce.Null{})
		}
	}
	return m.sleep(c)
}

type reducer struct{ rest }

func (r *reducer) Setup(c *mapreduce.Context) error {
	return r.read(c, func(p waits.Plan) waits.Times { return p.Reduce }, &conf.SleepJobReduceSleepCount)
}

func (r *reducer) Reduce(c *mapreduce.Context, _ int32, _ iter.Seq[mapreduce.Null],
	_ *mapreduce.Out[mapreduce.Null, mapreduce.Null]) error {
	return r.sleep(c)
}

// byNumber returns a partitioner that sends key i to reducer i.
func byNumber(*mapreduce.Env, mapreduce.Type) (mapreduce.Partitioner, error) {
	return numbered{}, nil
}

type numbered struct{}

func (numbered) Partition(key, _ []byte, n int) int {
	return int(binary.BigEndian.Uint32(key)) % n
}
