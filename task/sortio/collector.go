package sortio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// OutputName is the name of a map's output file, as in Hadoop. Unlike Hadoop's, the file ends with its
// index, because each further file costs a small map much of its time.
const OutputName = "file.out"

// Combiner turns the values of one key into fewer records. The collector may call it any number of
// times, even with its own output. Every key that it emits must equal key in the sort order. It can
// iterate over values only once.
type Combiner func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error

// Config configures a Collector. If a field is zero, it has the documented default, or the default
// of the configuration key in the field's comment.
type Config struct {
	// Dir is an existing local directory. The collector writes file.out and, temporarily, its
	// spills to this directory.
	Dir string
	// Room is memory for the output. It is used instead of file.out if the output is not compressed
	// and Room has enough memory left. The collector then creates Dir only if it needs files. Nil
	// means that the output always goes to file.out.
	Room       *Room
	Partitions int                  // number of reducers, 1 to MaxPartitions
	Cmp        mapreduce.Comparator // order of keys
	// Buffer is the memory for records in bytes, including the memory for sorting
	// (mapreduce.task.io.sort.mb). It is between 64 KiB and 4 GiB. Frame buffers need about another
	// 512 KiB, and a merge needs the same amount again for each of up to Factor runs.
	Buffer int64
	// SpillPercent is the portion of the buffer, above 0 and up to 1, at which the collector sorts
	// and writes the records (mapreduce.map.sort.spill.percent). Collect waits while a spill is
	// being written.
	SpillPercent float64
	Factor       int      // maximum number of runs in a merge, at least 2 (mapreduce.task.io.sort.factor)
	Combine      Combiner // nil means none
	// CombineRun replaces Combine for combiners that process all records of a partition in a single
	// call. If CombineRun is nil, the collector uses Combine.
	CombineRun RunCombiner
	// CombineInPlace has the same effect as Combine for two values and stores the result in acc's
	// memory. In the order of values, acc precedes value. If CombineInPlace cannot store the
	// result, it leaves acc unchanged and returns false, and the collector calls Combine. Nil means
	// that the collector always calls Combine.
	CombineInPlace func(acc, value []byte) bool
	// Aggregation describes what Combine does. If it is not the zero value, the collector aggregates
	// values itself instead of calling CombineInPlace, and needs another MiB of memory.
	Aggregation mapreduce.Aggregation
	// OnCombineKey receives a record's key before Combine reads the record's value. Consecutive
	// records with the same key may cause only one call.
	OnCombineKey func(key []byte)
	// MinSpills is the minimum number of spills for which the collector combines records again when
	// it merges the spills (mapreduce.map.combine.minspills).
	MinSpills int
	Codec     codec.Codec // codec of spills and of the output; nil means no compression
	Counters  Counters    // nil means no counting
	// MaxRecord limits the total size of a record's key and value in bytes; 0 means 2 GiB, and a value
	// below Buffer means Buffer. For a larger record, Collect returns an error of kind
	// RecordTooLarge. Records may be larger than Buffer. A key may be up to a quarter of MaxRecord,
	// and the keys that a merge holds at the same time fit into MaxRecord.
	MaxRecord int64
}

func (c *Config) validate() error {
	bad := func(format string, args ...any) error {
		return failure.New(failure.Config, "collect map output", c.Dir, fmt.Errorf(format, args...))
	}
	c.SpillPercent = cmp.Or(c.SpillPercent, conf.MapSortSpillPercent.BuiltIn())
	c.Factor = cmp.Or(c.Factor, int(conf.TaskIOSortFactor.BuiltIn()))
	c.MinSpills = cmp.Or(c.MinSpills, int(conf.MapCombineMinSpills.BuiltIn()))
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
		return bad("no key order is set")
	case c.Buffer < 64<<10 || c.Buffer > maxBuffer:
		return bad("mapreduce.task.io.sort.mb of %d bytes: want 64 KiB to 4 GiB", c.Buffer)
	case !(c.SpillPercent > 0 && c.SpillPercent <= 1):
		return bad("mapreduce.map.sort.spill.percent=%g: want more than 0, at most 1", c.SpillPercent)
	case !validAggregation(c.Aggregation):
		return bad("the combiner's aggregation is %+v: want integers, or the minimum or maximum of floats, "+
			"of 4 or 8 bytes", c.Aggregation)
	case c.Factor < 2:
		return bad("mapreduce.task.io.sort.factor=%d: want at least 2", c.Factor)
	}
	return nil
}

// frame returns the size of frames. It is smaller than a full frame only if the full frames of a merge
// would need more than half as much memory as the buffer.
func (c *Config) frame() int {
	return int(min(frameSize, max(minFrameSize, c.Buffer/int64(4*(c.Factor+1)))))
}

// Collector collects a map's output, sorts it by (partition, key), combines it, and writes it to a
// single file that ends with an index, or to memory. It is not safe for concurrent use.
type Collector struct {
	cfg    Config
	buf    *buffer
	table  *table // stores the records instead of buf, in the same memory; nil if buf stores them
	stage  stage  // the table's stage
	spills []*spill
	serial int   // number of the next file
	inRoom bool  // the next write is the output, to memory
	taken  int64 // number of bytes of Room that the output uses
	failed error

	records int64 // number of records added to the counters so far
	// newRecords and newBytes are added to the counters periodically.
	newRecords, newBytes int64
}

// NewCollector returns a collector. It creates no files.
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

// Collect adds a copy of a record. After an error, the caller must call Abort.
func (c *Collector) Collect(partition int, key, value []byte) error {
	if uint(partition) >= uint(c.cfg.Partitions) {
		return failure.New(failure.User, "partition record", "",
			fmt.Errorf("the partitioner returned %d, want 0 to %d", partition,
				c.cfg.Partitions-1))
	}
	c.accept(len(key) + len(value))
	if t := c.table; t != nil && t.roomy && len(key) > 0 && len(value) == t.width &&
		t.addHot(key[1:], hotID(partition, key[0], key[1:]), wholeID, len(value), number(value)) {
		return nil
	}
	if int64(len(key)) > keyLimit(c.cfg.MaxRecord) {
		return c.tooLarge(key, value)
	}
	if c.table != nil {
		return c.collectStaged(partition, key, value)
	}
	if c.buf.add(partition, c.cfg.Cmp.Prefix(key), key, value) {
		return nil
	}
	return c.full(partition, key, value)
}

// Add implements mapreduce.Adder. It stores the record in the partition of earlier records with the
// same key. Use it only if all records with the same key belong to the same partition.
func (c *Collector) Add(head byte, body []byte, width int, value uint64) bool {
	if c.table == nil || !c.table.addHot(body, hotID(0, head, body), noPart, width, value) {
		return false
	}
	c.accept(1 + len(body) + width)
	return true
}

// accept counts a record of size bytes.
func (c *Collector) accept(size int) {
	c.newRecords++
	c.newBytes += int64(size)
	if c.newRecords == 4096 {
		c.count()
	}
}

// add stores a record. It returns false if the record does not fit into the remaining buffer.
func (c *Collector) add(partition int, key, value []byte) (bool, error) {
	if c.table == nil {
		return c.buf.add(partition, c.cfg.Cmp.Prefix(key), key, value), nil
	}
	ok, err := c.table.add(c.table.hash(partition, key), partition, key, value)
	return ok, c.fail(err)
}

// full spills the buffer and then adds a record that did not fit. A record larger than the whole
// buffer becomes its own spill.
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

// held returns the number of records in memory or, with a table, the number of keys.
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

// Output is a map's finished output, either in a file or in memory.
type Output struct {
	Path  string // "" in memory
	Data  []byte // for an output in memory, the records of all partitions, at the positions in Index
	Index Index
}

// Memory returns the number of bytes of memory that the output's data and index use.
func (o *Output) Memory() int64 { return int64(cap(o.Data)) + entrySize*int64(len(o.Index)) }

// Segment returns the records of one partition of an in-memory output.
func (o *Output) Segment(partition int) []byte {
	e := o.Index[partition]
	return o.Data[e.Start : e.Start+e.Raw]
}

// Close sorts, merges, and writes the remaining records, and completes file.out or the output in
// memory. After an error, the caller must call Abort.
func (c *Collector) Close(ctx context.Context) (*Output, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	c.count()
	if err := c.flushStage(); err != nil {
		return nil, err
	}
	last, err := c.finish(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	out := &Output{Data: c.trim(last.data)}
	if out.Index, err = last.load(); err != nil {
		return nil, c.fail(err)
	}
	if !c.inRoom {
		out.Path = filepath.Join(c.cfg.Dir, OutputName)
		if err := os.Rename(last.path, out.Path); err != nil {
			return nil, c.fail(ioError("rename", last.path, err))
		}
	}
	c.cfg.Counters.Inc(job.MapOutputMaterializedBytes, last.size)
	c.release(failure.Internal)
	c.spills = nil
	return out, nil
}

// release releases the buffer. Later Collect calls return the collector's first error or, if there
// was none, an error of kind why.
func (c *Collector) release(why failure.Kind) {
	c.buf.free()
	c.table = nil
	c.fail(failure.New(why, "collect map output", c.cfg.Dir, errors.New("the collector is closed")))
}

// Abort removes every file that the collector created and returns the output's memory to Room. It
// may be called at any time, even after Close.
func (c *Collector) Abort() {
	c.cfg.Room.give(c.taken)
	c.taken = 0
	for _, s := range c.spills {
		s.remove()
	}
	c.release(failure.Killed)
	c.spills = nil
	os.Remove(filepath.Join(c.cfg.Dir, OutputName))
}
