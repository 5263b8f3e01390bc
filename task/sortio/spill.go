package sortio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// spill is a sorted file on the local disk, or an output in memory, with a segment for each partition.
type spill struct {
	path   string
	data   []byte // the output's content if it is in memory
	size   int64
	raw    int64 // size before compression
	maxKey int64 // length of the largest key
	index  Index // nil if the index is only in the file
}

// indexInMemory is the maximum number of partitions for which the indexes of spills stay in memory.
// A map may have thousands of spills.
const indexInMemory = 256

func newSpill(path string, x Index) *spill {
	s := &spill{path: path, size: x.Part(), raw: x.Raw(), maxKey: x.MaxKey(), index: x}
	if len(x) > indexInMemory {
		s.index = nil
	}
	return s
}

func (s *spill) load() (Index, error) {
	if s.index != nil {
		return s.index, nil
	}
	return ReadIndex(s.path)
}

func (s *spill) remove() { os.Remove(s.path) }

// keep reserves memory for the output if there is enough. The next write then writes the output to
// memory. Combiners usually make the output smaller than the memory that keep reserves.
func (c *Collector) keep() {
	n := int64(c.buf.used) + c.indexSize()
	for _, s := range c.spills {
		n += s.raw
	}
	if c.cfg.Codec == nil && c.cfg.Room.take(n) {
		c.inRoom, c.taken = true, n
	}
}

// indexSize returns the size of the output's index in memory.
func (c *Collector) indexSize() int64 { return entrySize * int64(c.cfg.Partitions) }

// trim frees memory of an in-memory output that data does not use. It returns data, which it may
// have moved.
func (c *Collector) trim(data []byte) []byte {
	if cap(data)-len(data) > len(data)/4 {
		data = append(make([]byte, 0, len(data)), data...)
	}
	if c.inRoom {
		size := int64(cap(data)) + c.indexSize()
		c.cfg.Room.give(c.taken - size)
		c.taken = size
	}
	return data
}

// create returns a writer for the next spill file or, if the output goes to memory, for that
// memory.
func (c *Collector) create() (*Writer, error) {
	if c.inRoom {
		return newMemoryWriter(c.taken - c.indexSize()), nil
	}
	if c.serial == 0 && c.cfg.Room != nil {
		if err := os.Mkdir(c.cfg.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, ioError("create", c.cfg.Dir, err)
		}
	}
	path := filepath.Join(c.cfg.Dir, fmt.Sprintf("spill%d.out", c.serial))
	c.serial++
	return NewWriter(path, WriterConfig{Codec: c.cfg.Codec, Frame: c.cfg.frame(), Counters: c.cfg.Counters})
}

// write writes a spill file, or the output in memory. body appends the records of each partition in
// turn.
func (c *Collector) write(ctx context.Context, body func(w *Writer, part int) error) (*spill, error) {
	w, err := c.create()
	if err != nil {
		return nil, err
	}
	for p := range c.cfg.Partitions {
		if p&0xff == 0 && ctx.Err() != nil {
			err = failure.New(failure.KindOf(ctx.Err()), "write", w.path, ctx.Err())
			break
		}
		if err = body(w, p); err != nil {
			break
		}
		if err = w.EndSegment(); err != nil {
			break
		}
	}
	if err == nil {
		var index Index
		if index, err = w.Close(); err == nil && c.inRoom {
			return &spill{data: w.frames.buf, size: w.off, maxKey: index.MaxKey(), index: index}, nil
		} else if err == nil {
			return newSpill(w.path, index), nil
		}
	}
	w.Abort()
	return nil, err
}

// spill sorts the records in memory, writes them to a file, and discards them.
func (c *Collector) spill(ctx context.Context) error {
	if c.table != nil {
		return c.spillTable(ctx)
	}
	return c.spillBuffer(ctx)
}

func (c *Collector) spillBuffer(ctx context.Context) error {
	s := c.buf.sort(c.cfg.Cmp)
	var x *spill
	var err error
	switch {
	case c.cfg.CombineRun != nil:
		x, err = c.spillRuns(ctx, s)
	case c.cfg.Combine != nil:
		x, err = c.spillCombined(ctx, s)
	default:
		x, err = c.write(ctx, func(w *Writer, p int) error {
			metas := s.part(p)
			for i, m := range metas {
				c.buf.touch(metas, i)
				key, _, n := parseRecord(c.buf.arena[m.off:])
				if err := w.appendRaw(c.buf.arena[m.off:int(m.off)+n], len(key)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	c.spills = append(c.spills, x)
	c.buf.reset()
	return nil
}

func (c *Collector) spillCombined(ctx context.Context, s *sorted) (*spill, error) {
	run := &memRun{}
	cursors := []cursor{run}
	cw := c.newCombining(&Merger{cmp: c.cfg.Cmp})
	defer cw.count()
	return c.write(ctx, func(w *Writer, p int) error {
		run.open(s, p, 0)
		cw.groups.m.start(cursors)
		return cw.run(w)
	})
}

// spillOne writes a single record that is larger than the buffer to a spill of its own.
func (c *Collector) spillOne(partition int, key, value []byte) error {
	x, err := c.write(context.Background(), func(w *Writer, p int) error {
		if p != partition {
			return nil
		}
		return w.Append(0, key, value)
	})
	if err == nil {
		c.spills = append(c.spills, x)
	}
	return err
}

// combining runs a combiner over groups and writes the combined records.
type combining struct {
	cfg    *Config
	groups *Groups
	w      *Writer
	out    int64
}

func (c *Collector) newCombining(m *Merger) *combining {
	return &combining{cfg: &c.cfg, groups: NewGroups(m, nil, c.cfg.OnCombineKey)}
}

// run combines the merger's records into the current segment of w.
func (cw *combining) run(w *Writer) error {
	cw.w = w
	cw.groups.restart()
	for cw.groups.Next() {
		if err := cw.cfg.Combine(cw.groups.Key(), cw.groups.Values(), cw); err != nil {
			return err
		}
	}
	return cw.groups.Err()
}

// Emit writes a record from the combiner. It rejects a key that differs from the group's key, which
// would break the order of the file.
func (cw *combining) Emit(key, value []byte) error {
	if cw.cfg.Cmp.Compare(cw.groups.Key(), key) != 0 {
		return badCombinerKey()
	}
	cw.out++
	return cw.w.Append(0, key, value)
}

func (cw *combining) count() {
	cw.cfg.Counters.Inc(job.CombineInputRecords, cw.groups.Records())
	cw.cfg.Counters.Inc(job.CombineOutputRecords, cw.out)
}
