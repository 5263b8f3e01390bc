package sortio

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// RunCombiner turns the sorted records of one partition into fewer records. It may emit records in
// any order. Until it returns, it may also emit from another goroutine.
type RunCombiner func(records iter.Seq2[[]byte, []byte], out mapreduce.Emitter) error

// spillRuns combines the records in memory partition by partition and writes the results. Merges do
// not combine again because a whole run would then have to fit into memory.
func (c *Collector) spillRuns(ctx context.Context, s *sorted) (*spill, error) {
	out := &combinedRun{cmp: c.cfg.Cmp, limit: c.cfg.MaxRecord}
	return c.write(ctx, func(w *Writer, p int) error {
		metas := s.part(p)
		if len(metas) == 0 {
			return nil
		}
		out.reset()
		records := func(yield func(key, value []byte) bool) {
			for i, m := range metas {
				c.buf.touch(metas, i)
				key, value, _ := parseRecord(c.buf.arena[m.off:])
				if !yield(key, value) {
					return
				}
			}
		}
		if err := c.cfg.CombineRun(records, out); err != nil {
			return err
		}
		c.cfg.Counters.Inc(job.CombineInputRecords, int64(len(metas)))
		c.cfg.Counters.Inc(job.CombineOutputRecords, int64(len(out.records)))
		return out.writeTo(w)
	})
}

// combinedRun holds the records that a RunCombiner emits for one partition.
type combinedRun struct {
	cmp     mapreduce.Comparator
	limit   int64 // bytes
	bytes   []byte
	records []combinedRecord
	mixed   bool // the records are not sorted
}

type combinedRecord struct{ key, value, end int } // start of the key, start of the value, and end of the value

func (r *combinedRun) reset() { r.bytes, r.records, r.mixed = r.bytes[:0], r.records[:0], false }

func (r *combinedRun) key(x combinedRecord) []byte { return r.bytes[x.key:x.value] }

// Emit stores a record. It returns an error of kind RecordTooLarge if the records exceed the limit.
func (r *combinedRun) Emit(key, value []byte) error {
	if int64(len(r.bytes)+len(key)+len(value)) > r.limit {
		return failure.New(failure.RecordTooLarge, "combine", "",
			fmt.Errorf("the combiner emits more than %d bytes for one part of a spill", r.limit)).
			Fix("use a combiner only if it emits less than it reads")
	}
	if n := len(r.records); n > 0 && !r.mixed {
		r.mixed = r.cmp.Compare(r.key(r.records[n-1]), key) > 0
	}
	at := len(r.bytes)
	r.bytes = append(append(r.bytes, key...), value...)
	r.records = append(r.records, combinedRecord{at, at + len(key), len(r.bytes)})
	return nil
}

func (r *combinedRun) writeTo(w *Writer) error {
	if r.mixed {
		slices.SortStableFunc(r.records, func(a, b combinedRecord) int { return r.cmp.Compare(r.key(a), r.key(b)) })
	}
	for _, x := range r.records {
		if err := w.Append(0, r.key(x), r.bytes[x.value:x.end]); err != nil {
			return err
		}
	}
	return nil
}
