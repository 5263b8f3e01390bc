package task

import (
	"context"
	"iter"
	"math"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/sortio"
)

// sink takes what user code emits. After close the output is complete; abort removes what there is of it.
type sink interface {
	mapreduce.Emitter
	close() error
	abort()
}

// mapSink opens what a map writes to: the sorted map output, or the job's output.
func (a *attempt) mapSink() (sink, error) {
	if a.spec.Reduces == 0 {
		return a.formatSink(job.MapOutputRecords)
	}
	return a.sortSink()
}

// formatSink writes to the job's output format.
type formatSink struct {
	a       *attempt
	w       mapreduce.RecordWriter
	counter job.CounterID
	n       int64
}

func (a *attempt) formatSink(counter job.CounterID) (sink, error) {
	key, value := a.spec.Job.OutputTypes(a.conf)
	w, err := a.spec.Job.OutputFormat().Open(a.c, key, value)
	if err != nil {
		return nil, a.fault("open the output", err)
	}
	return &formatSink{a: a, w: w, counter: counter}, nil
}

func (s *formatSink) Emit(key, value []byte) error {
	if s.n++; s.n%checkEvery == 0 {
		s.a.c.Inc(s.counter, checkEvery)
	}
	if err := s.w.Write(key, value); err != nil {
		return s.a.fault("write the output", err)
	}
	return nil
}

func (s *formatSink) close() error {
	s.a.c.Inc(s.counter, s.n%checkEvery)
	if err := s.w.Close(); err != nil {
		return s.a.fault("close the output", err)
	}
	return nil
}

// abort does nothing: the files of the attempt are discarded as a whole.
func (s *formatSink) abort() {}

// sortSink hands records to the collector, by partition.
type sortSink struct {
	ctx       context.Context
	collector *sortio.Collector
	part      mapreduce.Partitioner // nil: one reducer
	n         int
}

func (a *attempt) sortSink() (sink, error) {
	cfg, err := a.collectorConfig()
	if err != nil {
		return nil, err
	}
	s := &sortSink{ctx: a.ctx, n: a.spec.Reduces}
	if s.n > 1 {
		if s.part, err = a.spec.Job.NewPartitioner(&a.c.Env); err != nil {
			return nil, a.fault("make the partitioner", err)
		}
	}
	s.collector, err = sortio.NewCollector(*cfg)
	return s, err
}

func (s *sortSink) Emit(key, value []byte) error {
	p := 0
	if s.part != nil {
		p = s.part.Partition(key, value, s.n)
	}
	return s.collector.Collect(p, key, value)
}

func (s *sortSink) close() error {
	_, err := s.collector.Close(s.ctx)
	return err
}

func (s *sortSink) abort() { s.collector.Abort() }

func (a *attempt) collectorConfig() (*sortio.Config, error) {
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	r := settings{a: a}
	factor := r.int("mapreduce.task.io.sort.factor", 10, 2, 10_000)
	minSpills := r.int("mapreduce.map.combine.minspills", 3, 1, math.MaxInt32)
	spill := r.share("mapreduce.map.sort.spill.percent", 0.8)
	if r.err != nil {
		return nil, r.err
	}
	buffer, err := sortBuffer(a.conf, budget, factor)
	if err != nil {
		return nil, err
	}
	compress, err := mapOutputCodec(a)
	if err != nil {
		return nil, err
	}
	cfg := &sortio.Config{
		Dir: a.spec.MapOutputDir, Partitions: a.spec.Reduces, Cmp: a.spec.Job.Comparator(a.conf), Buffer: buffer, SpillPercent: spill,
		Factor: factor, MinSpills: minSpills, Codec: compress, Counters: a.c, MaxRecord: budget,
	}
	cfg.Combine = a.combiner()
	if cfg.Combine != nil {
		if r, ok := a.spec.Job.Combiner.New().(mapreduce.InPlaceCombiner); ok {
			cfg.CombineInPlace = r.CombineInPlace
		}
	}
	cfg.OnCombineKey = a.c.SetKey
	return cfg, nil
}

// mapOutputCodec gives the codec of intermediate data; nil = none.
func mapOutputCodec(a *attempt) (codec.Codec, error) {
	on, err := a.conf.Bool("mapreduce.map.output.compress", false)
	if err != nil || !on {
		return nil, err
	}
	class := a.conf.Get("mapreduce.map.output.compress.codec")
	if class == "" {
		class = "org.apache.hadoop.io.compress.DefaultCodec"
	}
	return codec.ByClass(class)
}

// combiner gives the job's combiner as the sorter calls it; nil if it has none. One instance serves the attempt.
func (a *attempt) combiner() sortio.Combiner {
	if !a.spec.Job.HasCombiner() {
		return nil
	}
	var r mapreduce.Reducer
	return func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
		if r == nil {
			r = a.spec.Job.Combiner.New()
			if err := a.setup(r, "combiner"); err != nil {
				return err
			}
		}
		a.c.SetKey(key)
		return r.Reduce(a.c, key, values, out)
	}
}
