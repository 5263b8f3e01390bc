package sortio

import (
	"context"
	"os"

	"github.com/howdah/howdah/job"
)

// FirstPass returns the number of runs in the first merge. Like Hadoop, it chooses the number so
// that every later pass merges factor runs.
func FirstPass(runs, factor int) int {
	if runs <= factor {
		return runs
	}
	if rest := (runs - 1) % (factor - 1); rest != 0 {
		return rest + 1
	}
	return factor
}

// finish merges all records into one file. If the buffer never overflowed, finish writes the
// records only once. Otherwise, it merges the buffer's content with the spills without first
// spilling the buffer.
//
// There are three exceptions. A table is spilled because its combined content is small. Records
// that a RunCombiner has not yet processed are spilled as well, and so is a buffer whose memory is
// needed for huge keys.
func (c *Collector) finish(ctx context.Context) (*spill, error) {
	if len(c.spills) == 0 {
		c.keep()
	}
	if len(c.spills) == 0 || c.table != nil && c.table.n > 0 || c.cfg.CombineRun != nil && c.buf.n > 0 {
		if err := c.spill(ctx); err != nil {
			return nil, err
		}
	}
	factor := c.factor(c.cfg.MaxRecord - c.cfg.Buffer)
	if factor < min(c.cfg.Factor, len(c.spills)+1) {
		if err := c.dropBuffer(ctx); err != nil {
			return nil, err
		}
		factor = c.factor(c.cfg.MaxRecord)
	}
	var mem *sorted
	runs := len(c.spills)
	if c.table == nil && c.buf.n > 0 {
		mem = c.buf.sort(c.cfg.Cmp)
		runs++
	}
	if runs == 1 {
		return c.spills[0], nil
	}
	combine := c.cfg.Combine != nil && runs >= c.cfg.MinSpills
	// No more runs will be added, so the first pass can adjust their number for all later passes.
	for n := FirstPass(runs, factor); runs > factor; n = factor {
		at := cheapest(c.spills, n)
		x, err := c.merge(ctx, c.spills[at:at+n], nil, combine)
		if err != nil {
			return nil, err
		}
		rest := append([]*spill{x}, c.spills[at+n:]...)
		c.spills = append(c.spills[:at], rest...)
		runs -= n - 1
	}
	c.keep()
	x, err := c.merge(ctx, c.spills, mem, combine)
	if err != nil {
		return nil, err
	}
	c.spills = []*spill{x}
	return x, nil
}

// smallKey is the key length in bytes up to which keys are negligible compared to a run's frames.
const smallKey = 64 << 10

// factor returns the number of spills that a single merge reads. It is the configured number unless
// the keys of that many spills do not fit into room bytes. room must also hold the key of a
// combiner's group.
func (c *Collector) factor(room int64) int {
	var largest int64
	for _, s := range c.spills {
		largest = max(largest, s.maxKey)
	}
	if largest <= smallKey {
		return c.cfg.Factor
	}
	return int(min(int64(c.cfg.Factor), max(2, room/largest-1)))
}

// dropBuffer spills the buffer and releases its memory, for merges that need the memory for huge
// keys.
func (c *Collector) dropBuffer(ctx context.Context) error {
	if c.held() > 0 {
		if err := c.spill(ctx); err != nil {
			return err
		}
	}
	c.table, c.buf = nil, &buffer{}
	return nil
}

// cheapest returns the index of the first of the n adjacent spills with the smallest total size.
// Only adjacent spills can be merged because their order is the arrival order of equal keys'
// values.
func cheapest(spills []*spill, n int) int {
	best, at := int64(-1), 0
	for i := 0; i+n <= len(spills); i++ {
		var sum int64
		for _, s := range spills[i : i+n] {
			sum += s.size
		}
		if best < 0 || sum < best {
			best, at = sum, i
		}
	}
	return at
}

// merge merges spills (and the buffer if mem is not nil) into one file and removes the spills.
func (c *Collector) merge(ctx context.Context, spills []*spill, mem *sorted, combine bool) (*spill, error) {
	files := make([]*os.File, len(spills))
	defer func() {
		for _, f := range files {
			f.Close() // does nothing if f is nil
		}
	}()
	readers := make([]reader, len(spills))
	indexes := make([]Index, len(spills))
	var cursors []cursor
	for i, s := range spills {
		f, err := os.Open(s.path)
		if err != nil {
			return nil, ioError("open spill", s.path, err)
		}
		files[i] = f
		if indexes[i], err = s.load(); err != nil {
			return nil, err
		}
		cursors = append(cursors, &readers[i])
	}
	var last memRun
	if mem != nil {
		cursors = append(cursors, &last)
	}
	m := &Merger{cmp: c.cfg.Cmp}
	cw := c.newCombining(m)
	x, err := c.write(ctx, func(w *Writer, p int) error {
		for i, s := range spills {
			readers[i].open(&Segment{Src: files[i], Entry: indexes[i][p], Codec: c.cfg.Codec, Name: s.path, Tag: uint32(i)},
				recordLimit(c.cfg.MaxRecord))
		}
		if mem != nil {
			last.open(mem, p, uint32(len(spills)))
		}
		m.start(cursors)
		if combine {
			return cw.run(w)
		}
		return Copy(ctx, w, m)
	})
	if err != nil {
		return nil, err
	}
	cw.count()
	for _, s := range spills {
		c.cfg.Counters.Inc(job.FileBytesRead, s.size)
		c.cfg.Counters.Inc(job.FileReadOps, 1)
		s.remove()
	}
	return x, nil
}

// Copy writes the remaining records of m to the current segment of w.
func Copy(ctx context.Context, w *Writer, m *Merger) error {
	for n := 1; m.Next(); n++ {
		v, err := m.Value()
		if err != nil {
			return err
		}
		if err := w.Append(m.Tag(), m.Key(), v); err != nil {
			return err
		}
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return m.Err()
}
