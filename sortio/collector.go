package sortio

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Names of the files that a map leaves, as Hadoop's.
const (
	OutputName = "file.out"
	IndexName  = "file.out.index"
)

// Combiner turns the values of one key into fewer records. It may be called any number of times, also on its own output.
// What it emits must have a key that is equal to key in the order of the sort. values can be ranged over once.
type Combiner func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error

// Config says how a Collector works. Zero values mean the defaults that are named.
type Config struct {
	Dir        string               // local directory, exists; file.out and file.out.index are left here, spills lie here for a while
	Partitions int                  // number of reducers, 1 to MaxPartitions
	Cmp        mapreduce.Comparator // order of keys
	// Buffer is the memory for records, in bytes, including what sorting needs (mapreduce.task.io.sort.mb): 64 KiB to
	// 4 GiB. Beside it there are buffers for frames: about 512 KiB, and as much for each of Factor runs in a merge.
	Buffer int64
	// SpillPercent is the share of the buffer, above 0 and up to 1, that is filled before it is sorted and written
	// (mapreduce.map.sort.spill.percent); 0 = 0.8. Collecting waits meanwhile.
	SpillPercent float64
	Factor       int      // runs that are merged at once, at least 2 (mapreduce.task.io.sort.factor); 0 = 10
	Combine      Combiner // nil = none
	// CombineRun takes Combine's place for combiners that want a partition's records at once; nil = Combine counts.
	CombineRun RunCombiner
	// CombineInPlace does what Combine does for two values, in the first one's memory: acc is what came before value. False
	// means that it cannot and that acc is as it was; then Combine is asked. nil = it never can.
	CombineInPlace func(acc, value []byte) bool
	// OnCombineKey is called with the key of each record that the combiner reads, before its value is delivered.
	OnCombineKey func(key []byte)
	// MinSpills is the number of spills from which on a merge combines again (mapreduce.map.combine.minspills); 0 = 3.
	MinSpills int
	Codec     codec.Codec // of spills and of the output; nil = not compressed
	Counters  Counters    // nil = not counted
	// MaxRecord bounds key and value of one record, in bytes; above it Collect fails with kind RecordTooLarge. 0 = 2 GiB.
	// Records above Buffer and below MaxRecord are fine. A key may have a quarter of it, and merges hold no more keys at once
	// than fit into it.
	MaxRecord int64
}

func (c *Config) validate() error {
	bad := func(format string, args ...any) error {
		return failure.New(failure.Config, "collect map output", c.Dir, fmt.Errorf(format, args...))
	}
	if c.SpillPercent == 0 {
		c.SpillPercent = 0.8
	}
	if c.Factor == 0 {
		c.Factor = 10
	}
	if c.MinSpills == 0 {
		c.MinSpills = 3
	}
	if c.MaxRecord <= 0 || c.MaxRecord > math.MaxInt32 {
		c.MaxRecord = math.MaxInt32
	}
	c.MaxRecord = max(c.MaxRecord, min(c.Buffer, math.MaxInt32))
	if c.Counters == nil {
		c.Counters = noCounters{}
	}
	switch {
	case c.Partitions < 1 || c.Partitions > MaxPartitions:
		return bad("%d reducers: want 1 to %d", c.Partitions, MaxPartitions)
	case c.Cmp == nil:
		return bad("no order of keys")
	case c.Buffer < 64<<10 || c.Buffer > maxBuffer:
		return bad("mapreduce.task.io.sort.mb of %d bytes: want 64 KiB to 4 GiB", c.Buffer)
	case !(c.SpillPercent > 0 && c.SpillPercent <= 1):
		return bad("mapreduce.map.sort.spill.percent=%g: want more than 0, at most 1", c.SpillPercent)
	case c.Factor < 2:
		return bad("mapreduce.task.io.sort.factor=%d: want at least 2", c.Factor)
	}
	return nil
}

// frame gives the size of frames: full ones, unless the buffer is so small that those of a merge would dwarf it.
func (c *Config) frame() int {
	return int(min(frameSize, max(minFrameSize, c.Buffer/int64(4*(c.Factor+1)))))
}

// Collector takes a map's output, sorts it by (partition, key), combines it, and leaves it as one file with an index. It
// is used by one goroutine.
type Collector struct {
	cfg    Config
	buf    *buffer
	table  *table // takes the records instead of buf, in the same memory; nil = buf takes them
	stage  stage  // of the table
	spills []*spill
	serial int // of the next file
	failed error

	records int64 // collected
	// Counted here and handed on now and then.
	newRecords, newBytes int64
}

// NewCollector prepares a collector; it makes no file yet.
func NewCollector(cfg Config) (*Collector, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := &Collector{cfg: cfg, buf: newBuffer(cfg.Buffer, cfg.SpillPercent, cfg.Partitions)}
	if x, ok := cfg.Cmp.(mapreduce.ExactComparator); ok && x.Exact() && cfg.Combine != nil {
		c.table = newTable(c.buf, &cfg)
	}
	return c, nil
}

// Collect takes a record and copies it. After an error the collector can only be aborted.
func (c *Collector) Collect(partition int, key, value []byte) error {
	if uint(partition) >= uint(c.cfg.Partitions) {
		return failure.New(failure.User, "partition record", "", fmt.Errorf("partitioner gave %d, want 0 to %d", partition, c.cfg.Partitions-1))
	}
	if int64(len(key)) > keyLimit(c.cfg.MaxRecord) {
		return c.tooLarge(key, value)
	}
	c.newRecords++
	c.newBytes += int64(len(key) + len(value))
	if c.newRecords == 4096 {
		c.count()
	}
	if c.table != nil {
		return c.collectStaged(partition, key, value)
	}
	if c.buf.add(partition, c.cfg.Cmp.Prefix(key), key, value) {
		return nil
	}
	return c.full(partition, key, value)
}

// add stores a record; false if it does not fit into what is left of the buffer.
func (c *Collector) add(partition int, key, value []byte) (bool, error) {
	if c.table == nil {
		return c.buf.add(partition, c.cfg.Cmp.Prefix(key), key, value), nil
	}
	ok, err := c.table.add(c.table.hash(partition, key), partition, key, value)
	return ok, c.fail(err)
}

// full makes room for a record. One that is larger than the whole buffer becomes a spill of its own.
func (c *Collector) full(partition int, key, value []byte) error {
	if c.failed != nil {
		return c.failed
	}
	if int64(len(key))+int64(len(value)) > c.cfg.MaxRecord {
		return c.tooLarge(key, value)
	}
	if c.held() > 0 {
		if err := c.spill(context.Background()); err != nil {
			return c.fail(err)
		}
	}
	if ok, err := c.add(partition, key, value); ok || err != nil {
		return err
	}
	return c.fail(c.spillOne(partition, key, value))
}

// held gives the number of records, or of keys, in memory.
func (c *Collector) held() int {
	if c.table != nil {
		return c.table.n
	}
	return c.buf.n
}

func (c *Collector) fail(err error) error {
	if err != nil && c.failed == nil {
		c.failed = err
	}
	return err
}

func (c *Collector) tooLarge(key, value []byte) error {
	where := "collected as number " + fmt.Sprint(c.records+c.newRecords)
	return c.fail(TooLarge(where, int64(len(key)), int64(len(value)), c.cfg.MaxRecord))
}

func (c *Collector) count() {
	c.records += c.newRecords
	c.cfg.Counters.Inc(job.MapOutputRecords, c.newRecords)
	c.cfg.Counters.Inc(job.MapOutputBytes, c.newBytes)
	c.newRecords, c.newBytes = 0, 0
}

// Output is what a map leaves.
type Output struct {
	Path, IndexPath string
	Index           Index
}

// Close sorts, merges and writes what is left and leaves file.out and file.out.index. After an error call Abort.
func (c *Collector) Close(ctx context.Context) (*Output, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	c.count()
	if err := c.flushStage(); err != nil {
		return nil, err
	}
	out := &Output{Path: filepath.Join(c.cfg.Dir, OutputName), IndexPath: filepath.Join(c.cfg.Dir, IndexName)}
	last, err := c.finish(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	if out.Index, err = last.load(); err != nil {
		return nil, c.fail(err)
	}
	if err := os.Rename(last.path, out.Path); err != nil {
		return nil, c.fail(ioError("rename", last.path, err))
	}
	last.remove()
	if err := writeIndex(out.IndexPath, out.Index); err != nil {
		return nil, c.fail(err)
	}
	c.cfg.Counters.Inc(job.MapOutputMaterializedBytes, last.size)
	c.release(failure.Internal)
	c.spills = nil
	return out, nil
}

// release gives the buffer back. What is left of it has no room, so that a later Collect fails with why.
func (c *Collector) release(why failure.Kind) {
	c.buf.free()
	c.table = nil
	c.fail(failure.New(why, "collect map output", c.cfg.Dir, errors.New("the collector is closed")))
}

// Abort removes every file that the collector made. It may be called at any time, also after Close.
func (c *Collector) Abort() {
	for _, s := range c.spills {
		s.remove()
	}
	c.release(failure.Killed)
	c.spills = nil
	for _, name := range []string{OutputName, IndexName, IndexName + ".tmp"} {
		os.Remove(filepath.Join(c.cfg.Dir, name))
	}
}
