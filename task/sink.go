package task

import (
	"math"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/sortio"
)

// sink takes what user code emits. After close the output is complete.
type sink interface {
	mapreduce.Emitter
	close() error
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

// sortSink hands records to the collector, by partition.
type sortSink struct {
	a         *attempt
	combiner  *combiner // nil: none
	collector *sortio.Collector
	part      mapreduce.Partitioner // nil: one reducer
	n         int
}

func (a *attempt) sortSink() (sink, error) {
	cfg, err := a.collectorConfig()
	if err != nil {
		return nil, err
	}
	s := &sortSink{a: a, n: a.spec.Reduces}
	if a.spec.Job.HasCombiner() {
		s.combiner = &combiner{a: a}
		s.combiner.configure(cfg)
	}
	if s.n > 1 {
		if s.part, err = a.spec.Job.NewPartitioner(&a.c.Env); err != nil {
			return nil, a.fault("make the partitioner", err)
		}
	}
	if s.collector, err = sortio.NewCollector(*cfg); err != nil {
		return nil, err
	}
	a.undo = append(a.undo, s.collector.Abort)
	return s, nil
}

func (s *sortSink) Emit(key, value []byte) error {
	p := 0
	if s.part != nil {
		p = s.part.Partition(key, value, s.n)
	}
	return s.collector.Collect(p, key, value)
}

func (s *sortSink) close() error {
	finish := func() error {
		_, err := s.collector.Close(s.a.ctx)
		return err
	}
	var err error
	if s.combiner == nil {
		err = s.a.live.own(finish)
	} else {
		err = finish()
	}
	if err != nil {
		return s.a.fault("finish the map output", err)
	}
	return s.combiner.cleanup()
}

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
	return &sortio.Config{
		Dir: a.spec.MapOutputDir, Partitions: a.spec.Reduces, Cmp: a.spec.Job.Comparator(a.conf), Buffer: buffer, SpillPercent: spill,
		Factor: factor, MinSpills: minSpills, Codec: compress, Counters: a.c, MaxRecord: budget,
	}, nil
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
