package task

import (
	"errors"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/mapreduce"
)

// The counters by which a task says how many records it is done with: whoever keeps some in hand adds to them itself, with
// mapreduce.map.skip.proc-count.auto-incr=false.
const (
	SkippingGroup   = "SkippingTaskCounters"
	MapProcessed    = "MapProcessedRecords"
	ReduceProcessed = "ReduceProcessedGroups"
)

// skipKeys are the settings of one type of tasks.
type skipKeys struct{ most, auto, counter string }

var skippingOf = [2]skipKeys{
	job.Map:    {"mapreduce.map.skip.maxrecords", "mapreduce.map.skip.proc-count.auto-incr", MapProcessed},
	job.Reduce: {"mapreduce.reduce.skip.maxgroups", "mapreduce.reduce.skip.proc-count.auto-incr", ReduceProcessed},
}

// checkSkips reads what skipping goes by.
func checkSkips(c *conf.Config) error {
	r := settings{c: c}
	r.int("mapreduce.task.skip.start.attempts", 2, 0, 100)
	for _, k := range skippingOf {
		r.int(k.most, 0, 0, 1<<62)
		r.bool(k.auto, true)
	}
	return r.err
}

// countsRecords gives the counter that the loop over the records adds to; nil = the user's code does, or nobody.
func (a *attempt) countsRecords() (*mapreduce.Counter, error) {
	k := skippingOf[a.spec.Attempt.Type]
	r := settings{c: a.conf}
	if most, auto := r.int(k.most, 0, 0, 1<<62), r.bool(k.auto, true); r.err != nil || most == 0 || !auto {
		return nil, r.err
	}
	return a.processed()
}

// processed gives the counter of records that the user's code is done with.
func (a *attempt) processed() (*mapreduce.Counter, error) {
	return a.c.Counter(SkippingGroup, skippingOf[a.spec.Attempt.Type].counter)
}

// countingMapper counts the records that the mapper is done with, in a job that may skip some.
type countingMapper struct {
	mapreduce.Mapper
	done *mapreduce.Counter
}

// counting gives the mapper as the loop over the records calls it.
func (a *attempt) counting(m mapreduce.Mapper) (mapreduce.Mapper, error) {
	done, err := a.countsRecords()
	if err != nil || done == nil {
		return m, err
	}
	return &countingMapper{m, done}, nil
}

func (m *countingMapper) Map(c *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	err := m.Mapper.Map(c, key, value, out)
	if err == nil {
		m.done.Add(1)
	}
	return err
}

// hand knows which records the user's code has and has not said to be done with.
type hand struct {
	a     *attempt
	done  *mapreduce.Counter
	seen  int64 // of done
	first int64 // record: the oldest in hand
	order skip.Cursor
}

func (a *attempt) newHand() (*hand, error) {
	done, err := a.processed()
	if err != nil {
		return nil, err
	}
	h := &hand{a: a, done: done, order: a.spec.Skips.Cursor()}
	h.first, _ = h.order.Next()
	return h, nil
}

// take says that the user's code gets a record.
func (h *hand) take(record int64) {
	for n := h.done.Value(); h.seen < n && h.first < record; h.seen++ {
		h.first, _ = h.order.Next()
	}
	if f := h.a.env.InHand; f != nil {
		f(job.Range{Start: h.first, Length: record - h.first + 1})
	}
}

// skippingReader leaves out what the plan says.
type skippingReader struct {
	mapreduce.RecordReader
	hand   *hand
	cursor skip.Cursor
	at     int64 // number of the record that the reader below gives next
	file   *skipFile
}

// skipping makes a reader leave out bad records.
func (a *attempt) skipping(in mapreduce.RecordReader) (mapreduce.RecordReader, error) {
	h, err := a.newHand()
	if err != nil {
		return nil, err
	}
	key, value := a.spec.Job.InputFormat().Types(a.conf)
	return &skippingReader{RecordReader: in, hand: h, cursor: a.spec.Skips.Cursor(), file: a.newSkipFile(key, value)}, nil
}

func (r *skippingReader) Next() (key, value []byte, err error) {
	want, all := r.cursor.Next()
	if all {
		return nil, nil, io.EOF
	}
	for ; r.at < want; r.at++ {
		if key, value, err = r.RecordReader.Next(); err != nil {
			return nil, nil, err
		}
		r.hand.a.c.Inc(job.MapSkippedRecords, 1)
		if err := r.file.write(key, value); err != nil {
			return nil, nil, err
		}
	}
	if key, value, err = r.RecordReader.Next(); err != nil {
		return nil, nil, err
	}
	r.hand.take(r.at)
	r.at++
	return key, value, nil
}

func (r *skippingReader) Close() error { return errors.Join(r.RecordReader.Close(), r.file.close()) }

// groupSkipper leaves out groups of a reducer.
type groupSkipper struct {
	watch  *valueWatch
	hand   *hand
	cursor skip.Cursor
	at     int64 // number of the current group
	want   int64 // the next one that is not skipped
	none   bool  // no further one is wanted
	file   *skipFile
}

// skippingGroups gives what leaves out bad groups; nil = the attempt does not run in skipping mode.
func (a *attempt) skippingGroups(v *valueWatch) (*groupSkipper, error) {
	if a.spec.Skips == nil {
		return nil, nil
	}
	h, err := a.newHand()
	if err != nil {
		return nil, err
	}
	key, value := a.spec.Job.MapOutputTypes(a.conf)
	s := &groupSkipper{watch: v, hand: h, cursor: a.spec.Skips.Cursor(), at: -1, file: a.newSkipFile(key, value)}
	s.want, s.none = s.cursor.Next()
	return s, nil
}

// skip tells whether the current group is left out, and keeps its records then.
func (s *groupSkipper) skip() (bool, error) {
	if s == nil {
		return false, nil
	}
	s.at++
	if s.at == s.want {
		s.hand.take(s.at)
		s.want, s.none = s.cursor.Next()
		return false, nil
	}
	c := s.hand.a.c
	before := s.watch.groups.Records() - 1 // Next has counted the first record
	for v := range s.watch.groups.Values() {
		if err := s.file.write(c.Key(), v); err != nil {
			return true, err
		}
	}
	n := s.watch.groups.Records() - before
	s.watch.doneGroups, s.watch.doneRecords = s.watch.doneGroups+1, s.watch.doneRecords+n
	c.Inc(job.ReduceSkippedGroups, 1)
	c.Inc(job.ReduceSkippedRecords, n)
	return true, nil
}

// over tells that no further group is wanted: the rest need not be read.
func (s *groupSkipper) over() bool { return s != nil && s.none }

func (s *groupSkipper) close() error {
	if s == nil {
		return nil
	}
	return s.file.close()
}
