package task

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/sortio"
)

// sink receives the records that user code emits. After close, the output is complete.
type sink interface {
	mapreduce.Emitter
	close() error
}

// mapSink returns the sink for a map's records. The sink writes to the sorted map output or, in a
// job without reducers, to the job's output.
func (a *attempt) mapSink() (sink, error) {
	if a.spec.Reduces == 0 {
		return a.formatSink(job.MapOutputRecords)
	}
	return a.sortSink()
}

// formatSink writes records to the job's output format.
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

// sortSink determines the partition of each record and passes the record to the collector.
type sortSink struct {
	a         *attempt
	combiner  *combiner // nil means none
	collector *sortio.Collector
	part      mapreduce.Partitioner // nil if the job has a single reducer
	n         int
	adder     mapreduce.Adder // the collector, or nil if it cannot determine the partition of a record
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
			return nil, a.fault("create the partitioner", err)
		}
	}
	if s.collector, err = sortio.NewCollector(*cfg); err != nil {
		return nil, err
	}
	if by, ok := s.part.(mapreduce.KeyPartitioner); cfg.Aggregation.Width > 0 && (s.part == nil || ok && by.ByKey()) {
		s.adder = s.collector
	}
	a.undo = append(a.undo, func() {
		a.env.MapOutputs.Own.Remove(a.spec.Attempt)
		s.collector.Abort()
	})
	return s, nil
}

func (s *sortSink) Emit(key, value []byte) error {
	p := 0
	if s.part != nil {
		p = s.part.Partition(key, value, s.n)
	}
	return s.collector.Collect(p, key, value)
}

// Adder implements mapreduce.AddingEmitter.
func (s *sortSink) Adder() mapreduce.Adder { return s.adder }

func (s *sortSink) close() error {
	finish := func() error {
		out, err := s.collector.Close(s.a.ctx)
		if err == nil {
			s.a.env.MapOutputs.Own.Add(s.a.spec.Attempt, out)
		}
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
	cfg, err := sortSettings(a.conf, budget)
	if err != nil {
		return nil, err
	}
	cfg.Room = a.env.MapOutputs.Own.Room()
	cfg.Dir, cfg.Partitions, cfg.Cmp, cfg.Counters = a.spec.MapOutputDir, a.spec.Reduces,
		a.spec.Job.Comparator(a.conf), a.c
	return cfg, nil
}
