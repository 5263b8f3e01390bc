package task

import (
	"errors"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/mapreduce"
)

// Counters by which a task reports the number of records that it has processed. Code that buffers
// records sets mapreduce.{map,reduce}.skip.proc-count.auto-incr=false and increments them itself.
const (
	SkippingGroup   = "SkippingTaskCounters"
	MapProcessed    = "MapProcessedRecords"
	ReduceProcessed = "ReduceProcessedGroups"
)

// skipKeys contains the settings and the counter name for one task type.
type skipKeys struct {
	most    *conf.Int
	auto    *conf.Bool
	counter string
}

var skippingOf = [2]skipKeys{
	job.Map:    {&conf.MapSkipMaxRecords, &conf.MapSkipProcCountAutoIncr, MapProcessed},
	job.Reduce: {&conf.ReduceSkipMaxGroups, &conf.ReduceSkipProcCountAutoIncr, ReduceProcessed},
}

// checkSkips validates the settings for skipping.
func checkSkips(c *conf.Config) error {
	r := conf.Reader{Conf: c}
	conf.TaskSkipStartAttempts.From(&r)
	for _, k := range skippingOf {
		k.most.From(&r)
		k.auto.From(&r)
	}
	return r.Err
}

// countsRecords returns the counter that the loop over the records must increment. It returns nil
// if the user's code increments the counter, or if no counter is needed.
func (a *attempt) countsRecords() (*mapreduce.Counter, error) {
	k := skippingOf[a.spec.Attempt.Type]
	r := conf.Reader{Conf: a.conf}
	if most, auto := k.most.From(&r), k.auto.From(&r); r.Err != nil || most == 0 || !auto {
		return nil, r.Err
	}
	return a.processed()
}

// processed returns the counter for the number of records that the user's code has processed.
func (a *attempt) processed() (*mapreduce.Counter, error) {
	return a.c.Counter(SkippingGroup, skippingOf[a.spec.Attempt.Type].counter)
}

// countingMapper counts the records that the mapper has processed, in a job that may skip records.
type countingMapper struct {
	mapreduce.Mapper
	done *mapreduce.Counter
}

// counting returns the mapper that the loop over the records must call. It wraps m if the loop must
// count records.
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

// hand tracks the records that the user's code has received but not yet reported as processed.
type hand struct {
	a     *attempt
	done  *mapreduce.Counter
	seen  int64 // value of the done counter that corresponds to first
	first int64 // number of the oldest record that is not yet processed
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

// take must be called before the user's code receives a record. It reports to Env.InHand the range
// from the oldest unprocessed record to this one.
func (h *hand) take(record int64) {
	for n := h.done.Value(); h.seen < n && h.first < record; h.seen++ {
		h.first, _ = h.order.Next()
	}
	if f := h.a.env.InHand; f != nil {
		f(job.Range{Start: h.first, Length: record - h.first + 1})
	}
}

// skippingReader skips the records that the plan excludes.
type skippingReader struct {
	mapreduce.RecordReader
	hand   *hand
	cursor skip.Cursor
	at     int64 // number of the next record of the underlying reader
	file   *skipFile
}

// skipping returns a reader that skips the bad records of in.
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

// groupSkipper skips the bad groups of a reducer and writes their records to a file.
type groupSkipper struct {
	watch  *valueWatch
	hand   *hand
	cursor skip.Cursor
	at     int64 // number of the current group
	want   int64 // the next group to process
	none   bool  // none of the remaining groups must be processed
	file   *skipFile
}

// skippingGroups returns a groupSkipper for the attempt, or nil if the attempt is not in skipping
// mode.
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

// skip reports whether to skip the current group. If so, it writes the group's records to the skip
// file.
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
	return true, s.leave()
}

// leave writes the records of the current group to the skip file. It is a separate function because
// Go allocates the results of a function with such a loop on the heap. skip, which is called for
// every group, must avoid these allocations.
func (s *groupSkipper) leave() error {
	c := s.hand.a.c
	before := s.watch.groups.Records() - 1 // Next has already counted the first record
	for v := range s.watch.groups.Values() {
		if err := s.file.write(c.Key(), v); err != nil {
			return err
		}
	}
	n := s.watch.groups.Records() - before
	s.watch.doneGroups, s.watch.doneRecords = s.watch.doneGroups+1, s.watch.doneRecords+n
	c.Inc(job.ReduceSkippedGroups, 1)
	c.Inc(job.ReduceSkippedRecords, n)
	return nil
}

// over reports whether the reducer can stop because none of the remaining groups must be processed.
func (s *groupSkipper) over() bool { return s != nil && s.none }

func (s *groupSkipper) close() error {
	if s == nil {
		return nil
	}
	return s.file.close()
}
