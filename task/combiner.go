package task

import (
	"errors"
	"iter"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/sortio"
)

// combiner adapts the job's combiner to the sorter. One instance serves the whole attempt.
type combiner struct {
	a *attempt
	r mapreduce.Reducer // nil until the first call
}

func (c *combiner) configure(cfg *sortio.Config) {
	r := c.a.spec.Job.Combiner.New()
	if _, ok := r.(mapreduce.RunCombiner); ok {
		cfg.CombineRun = c.combineRun
		return
	}
	cfg.Combine, cfg.OnCombineKey = c.combine, c.a.c.SetKey
	if r, ok := r.(mapreduce.Aggregator); ok {
		cfg.Aggregation = r.Aggregation()
	}
	if r, ok := r.(mapreduce.InPlaceCombiner); ok {
		cfg.CombineInPlace = r.CombineInPlace
	}
}

func (c *combiner) combine(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if err := c.start(); err != nil {
		return err
	}
	c.a.c.SetKey(key)
	return c.r.Reduce(c.a.c, key, values, out)
}

func (c *combiner) combineRun(records iter.Seq2[[]byte, []byte], out mapreduce.Emitter) error {
	if err := c.start(); err != nil {
		return err
	}
	return c.r.(mapreduce.RunCombiner).CombineRun(c.a.c, records, out)
}

// start creates the combiner and calls its Setup. It does so only on the first call.
func (c *combiner) start() error {
	if c.r != nil {
		return nil
	}
	c.r = c.a.spec.Job.Combiner.New()
	return c.a.setup(c.r, "combiner")
}

// cleanup calls the combiner's Cleanup. Cleanup cannot emit records, because the map output is
// already complete.
func (c *combiner) cleanup() error {
	if c == nil || c.r == nil {
		return nil
	}
	return c.a.cleanup(c.r, "combiner", closed{})
}

// closed is an Emitter that rejects records emitted too late. Its error keeps such records from
// being lost silently.
type closed struct{}

func (closed) Emit(_, _ []byte) error {
	return failure.New(failure.User, "emit", "", errors.New("a combiner cannot emit in its cleanup")).Fix("emit in Reduce")
}
