package task

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/shuffle"
)

// MapOutputs says where a reducer finds the outputs of the maps.
type MapOutputs struct {
	Events      <-chan shuffle.Completion // in the order of the job's list
	Token       []byte                    // of the job
	LocalAddr   string                    // address whose files lie below LocalRoot and are opened directly
	LocalRoot   string
	FetchFailed func(mapIndex, attempt int32) // told when an output cannot be had; nil = nobody wants to know
}

// smallestShuffle is the least memory that a shuffle works with.
const smallestShuffle = 4 << 20

// shuffle brings the map outputs together: the reducer's first two thirds.
func (a *attempt) shuffle() (*shuffle.Result, error) {
	var done atomic.Int64
	maps := a.spec.Maps
	a.live.enter(job.PhaseShuffle, func() float32 {
		if maps == 0 {
			return 1
		}
		return float32(done.Load()) / float32(maps)
	})
	cfg, err := a.shuffleConfig()
	if err != nil {
		return nil, err
	}
	cfg.Progress = func(n, of int) {
		done.Store(int64(n))
		if n == of {
			a.live.shuffleDone.Store(time.Now().UnixMilli())
			a.live.enter(job.PhaseSort, nothing)
		}
	}
	var in *shuffle.Result
	err = a.live.own(func() (err error) {
		in, err = shuffle.Run(a.ctx, *cfg)
		return err
	})
	if err != nil {
		return nil, a.fault("shuffle", err)
	}
	now := time.Now().UnixMilli()
	a.live.shuffleDone.CompareAndSwap(0, now)
	a.live.sortDone.Store(now)
	return in, nil
}

func (a *attempt) shuffleConfig() (*shuffle.Config, error) {
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	if budget < smallestShuffle {
		return nil, failure.New(failure.Config, "shuffle", fmt.Sprintf("%d bytes of memory", budget), nil).Fix("raise mapreduce.reduce.memory.mb")
	}
	compress, err := mapOutputCodec(a)
	if err != nil {
		return nil, err
	}
	from := &a.env.MapOutputs
	s := a.spec
	r := settings{a: a}
	cfg := &shuffle.Config{
		Job: s.Attempt.Job, Reduce: s.Attempt.Index, Maps: int32(s.Maps), Token: from.Token, Events: from.Events,
		Cmp: s.Job.Comparator(a.conf), Codec: compress, Dir: s.WorkDir, Memory: budget,
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
		LocalAddr:        from.LocalAddr, LocalRoot: from.LocalRoot,
		FetchFailed: from.FetchFailed, Counters: a.c,
	}
	if cfg.InMemThreshold == 0 {
		cfg.InMemThreshold = -1 // Hadoop's zero, too, leaves it to the memory alone
	}
	return cfg, r.err
}

// settings reads one setting after the other and keeps the first error.
type settings struct {
	a   *attempt
	err error
}

func (s *settings) int(key string, def, min, max int64) int {
	n, err := s.a.conf.Int(key, def, min, max)
	s.note(err)
	return int(n)
}

func (s *settings) share(key string, def float64) float64 {
	x, err := s.a.conf.Float(key, def, 0, 1)
	s.note(err)
	return x
}

func (s *settings) millis(key string, def time.Duration) time.Duration {
	d, err := s.a.conf.Duration(key, def, time.Millisecond, time.Millisecond, 24*time.Hour)
	s.note(err)
	return d
}

func (s *settings) note(err error) {
	if s.err == nil {
		s.err = err
	}
}
