package task

import (
	"fmt"
	"math"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/shuffle"
	"github.com/howdah/howdah/sortio"
)

// CheckSettings reads everything that the tasks of a job with so many reducers will read, so that a bad value is told before
// anything starts. The error is kind Config.
func CheckSettings(c *conf.Config, reduces int) error {
	if err := counterLimits(c, &mapreduce.TaskInfo{}); err != nil {
		return err
	}
	if _, err := PreservePattern(c); err != nil {
		return err
	}
	if err := CheckProfiling(c); err != nil {
		return err
	}
	if _, err := LogLimit(c); err != nil {
		return err
	}
	if err := checkSkips(c); err != nil {
		return err
	}
	mapMB, err := MemoryMB(c, job.Map)
	if err != nil {
		return err
	}
	reduceMB, err := MemoryMB(c, job.Reduce)
	if err != nil || reduces == 0 {
		return err
	}
	if _, err := sortSettings(c, BufferBytes(mapMB)); err != nil {
		return err
	}
	_, err = shuffleSettings(c, BufferBytes(reduceMB))
	return err
}

// sortSettings reads how maps sort, within a budget of bytes for buffers.
func sortSettings(c *conf.Config, budget int64) (*sortio.Config, error) {
	r := settings{c: c}
	cfg := &sortio.Config{
		Factor:       r.int("mapreduce.task.io.sort.factor", 10, 2, 10_000),
		MinSpills:    r.int("mapreduce.map.combine.minspills", 3, 1, math.MaxInt32),
		SpillPercent: r.share("mapreduce.map.sort.spill.percent", 0.8),
		Codec:        r.mapOutputCodec(),
		MaxRecord:    budget,
	}
	if r.err != nil {
		return nil, r.err
	}
	var err error
	cfg.Buffer, err = sortBuffer(c, budget, cfg.Factor)
	return cfg, err
}

// smallestShuffle is the least memory that a shuffle works with, in bytes.
const smallestShuffle = 4 << 20

// shuffleSettings reads how reducers fetch and merge, within a budget of bytes for buffers.
func shuffleSettings(c *conf.Config, budget int64) (*shuffle.Config, error) {
	if budget < smallestShuffle {
		return nil, failure.New(failure.Config, "shuffle", fmt.Sprintf("with %d bytes of memory", budget), nil).Fix("raise mapreduce.reduce.memory.mb")
	}
	r := settings{c: c}
	cfg := &shuffle.Config{
		Memory: budget, Codec: r.mapOutputCodec(),
		InputBuffer:      r.share("mapreduce.reduce.shuffle.input.buffer.percent", 0.70),
		SingleLimit:      r.share("mapreduce.reduce.shuffle.memory.limit.percent", 0.25),
		MergePercent:     r.share("mapreduce.reduce.shuffle.merge.percent", 0.66),
		InMemThreshold:   r.int("mapreduce.reduce.merge.inmem.threshold", 1000, -1, math.MaxInt32),
		Retain:           r.share("mapreduce.reduce.input.buffer.percent", 0),
		Factor:           r.int("mapreduce.task.io.sort.factor", 10, 2, 10_000),
		Copies:           r.int("mapreduce.reduce.shuffle.parallelcopies", 5, 1, 1000),
		ConnectTimeout:   r.millis("mapreduce.reduce.shuffle.connect.timeout", 3*time.Minute),
		ReadTimeout:      r.millis("mapreduce.reduce.shuffle.read.timeout", 3*time.Minute),
		RetryMax:         r.millis("mapreduce.reduce.shuffle.retry-delay.max.ms", time.Minute),
		MaxFetchFailures: r.int("mapreduce.reduce.shuffle.maxfetchfailures", 10, 1, 1_000_000),
	}
	if cfg.InMemThreshold == 0 {
		cfg.InMemThreshold = -1 // Hadoop's zero, too, leaves it to the memory alone
	}
	return cfg, r.err
}

// counterLimits reads how many counters of its own, in how many groups, a task may have, and how long their names may be.
func counterLimits(c *conf.Config, t *mapreduce.TaskInfo) error {
	r := settings{c: c}
	t.MaxCounters = r.int("mapreduce.job.counters.max", 120, 1, 4096)
	t.MaxGroups = r.int("mapreduce.job.counters.groups.max", 50, 1, 10_000)
	t.MaxCounterName = r.int("mapreduce.job.counters.counter.name.max", 64, 1, 1000)
	t.MaxGroupName = r.int("mapreduce.job.counters.group.name.max", 128, 1, 1000)
	return r.err
}

// LogLimit reads how many bytes of each of its logs an attempt keeps; 0 = all.
func LogLimit(c *conf.Config) (int64, error) {
	kb, err := c.Int("mapreduce.task.userlog.limit.kb", 0, 0, 1<<30)
	return kb << 10, err
}

// settings reads one setting after the other and keeps the first error.
type settings struct {
	c   *conf.Config
	err error
}

func (s *settings) int(key string, def, min, max int64) int {
	n, err := s.c.Int(key, def, min, max)
	s.note(err)
	return int(n)
}

func (s *settings) bool(key string, def bool) bool {
	b, err := s.c.Bool(key, def)
	s.note(err)
	return b
}

func (s *settings) share(key string, def float64) float64 {
	x, err := s.c.Float(key, def, 0, 1)
	s.note(err)
	return x
}

func (s *settings) millis(key string, def time.Duration) time.Duration {
	d, err := s.c.Duration(key, def, time.Millisecond, time.Millisecond, 24*time.Hour)
	s.note(err)
	return d
}

// mapOutputCodec gives the codec of intermediate data; nil = none.
func (s *settings) mapOutputCodec() codec.Codec {
	on, err := s.c.Bool("mapreduce.map.output.compress", false)
	s.note(err)
	if err != nil || !on {
		return nil
	}
	const key = "mapreduce.map.output.compress.codec"
	class := s.c.Get(key)
	if class == "" {
		class = "org.apache.hadoop.io.compress.DefaultCodec"
	}
	x, err := codec.ByClass(class)
	if err != nil {
		s.note(s.c.Refuse(key, err))
	}
	return x
}

func (s *settings) note(err error) {
	if s.err == nil {
		s.err = err
	}
}
