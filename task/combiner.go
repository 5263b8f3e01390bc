package task

import (
	"errors"
	"iter"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/sortio"
)

// combiner is the job's combiner as the sorter calls it. One instance serves the attempt.
type combiner struct {
	a *attempt
	r mapreduce.Reducer // nil until the first call
}

func (c *combiner) configure(cfg *sortio.Config) {
	cfg.Combine, cfg.OnCombineKey = c.combine, c.a.c.SetKey
	if r, ok := c.a.spec.Job.Combiner.New().(mapreduce.InPlaceCombiner); ok {
		cfg.CombineInPlace = r.CombineInPlace
	}
}

func (c *combiner) combine(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if c.r == nil {
		c.r = c.a.spec.Job.Combiner.New()
		if err := c.a.setup(c.r, "combiner"); err != nil {
			return err
		}
	}
	c.a.c.SetKey(key)
	return c.r.Reduce(c.a.c, key, values, out)
}

// cleanup lets the combiner end. By then the map output is complete.
func (c *combiner) cleanup() error {
	if c == nil || c.r == nil {
		return nil
	}
	return c.a.cleanup(c.r, "combiner", closed{})
}

// closed refuses records that come too late, so that they are not lost in silence.
type closed struct{}

func (closed) Emit(_, _ []byte) error {
	return failure.New(failure.User, "emit", "", errors.New("a combiner cannot emit in its cleanup")).Fix("emit in Reduce")
}
