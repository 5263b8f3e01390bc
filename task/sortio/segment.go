package sortio

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
)

// Counters receives the counts that this package collects. A *mapreduce.Context is one
// implementation. Implementations must be safe for concurrent use.
type Counters interface {
	Inc(id job.CounterID, n int64)
}

type noCounters struct{}

func (noCounters) Inc(job.CounterID, int64) {}

// Writer writes consecutive segments and their index to a file, or their records to memory. It is not safe for
// concurrent use.
type Writer struct {
	path   string
	file   *os.File // nil = in memory, in the buffer of frames
	out    *bufio.Writer
	frames frameWriter
	tagged bool
	index  Index
	off    int64
	count  Counters
	recs   int64
	maxKey int // length of the largest key in the current segment
	head   [3 * binary.MaxVarintLen64]byte
}

// WriterConfig configures a Writer.
type WriterConfig struct {
	Codec    codec.Codec // nil means no compression
	Tagged   bool        // each record contains a map index
	Frame    int         // bytes per frame; 0 means 128 KiB
	Counters Counters    // receives FILE_BYTES_WRITTEN, FILE_WRITE_OPS, and SPILLED_RECORDS; nil means no counting
}

// NewWriter creates the file at path, which must not exist, and returns its Writer.
func NewWriter(path string, c WriterConfig) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return nil, ioError("create", path, err)
	}
	if c.Frame == 0 {
		c.Frame = frameSize
	}
	if c.Counters == nil {
		c.Counters = noCounters{}
	}
	w := &Writer{path: path, file: f, tagged: c.Tagged, count: c.Counters}
	// The buffer joins small segments into larger writes. A full frame bypasses it.
	w.out = bufio.NewWriterSize(f, c.Frame/2)
	w.frames = frameWriter{w: w.out, codec: c.Codec, size: c.Frame}
	w.frames.start()
	return w, nil
}

// newMemoryWriter returns a Writer that writes about size bytes to memory.
func newMemoryWriter(size int64) *Writer {
	return &Writer{count: noCounters{}, frames: frameWriter{size: math.MaxInt / 2, buf: make([]byte, 0, size)}}
}

// Append adds a record to the current segment. The tag is the map's index, which Append writes only
// if the file is tagged.
func (w *Writer) Append(tag uint32, key, value []byte) error {
	h := w.head[:0]
	if w.tagged {
		h = binary.AppendUvarint(h, uint64(tag))
	}
	h = binary.AppendUvarint(h, uint64(len(key)))
	h = binary.AppendUvarint(h, uint64(len(value)))
	w.recs++
	w.maxKey = max(w.maxKey, len(key))
	f := &w.frames
	if len(h)+len(key)+len(value) <= f.room() {
		f.buf = append(append(append(f.buf, h...), key...), value...)
		return nil
	}
	return w.check(firstError(f.write(h), f.write(key), f.write(value)))
}

// appendRaw adds a record that is already encoded for a file without tags. key is the length of the
// record's key.
func (w *Writer) appendRaw(rec []byte, key int) error {
	w.recs++
	w.maxKey = max(w.maxKey, key)
	f := &w.frames
	if len(rec) <= f.room() {
		f.buf = append(f.buf, rec...)
		return nil
	}
	return w.check(f.write(rec))
}

// EndSegment completes the current segment. The next record belongs to the next partition.
func (w *Writer) EndSegment() error {
	f := &w.frames
	if w.file == nil {
		f.raw = int64(len(f.buf)) - w.off
		f.stored = f.raw
	} else if err := w.check(f.flush()); err != nil {
		return err
	}
	w.index = append(w.index, Entry{Start: w.off, Raw: f.raw, Part: f.stored, CRC: f.crc, MaxKey: uint32(w.maxKey)})
	w.off += f.stored
	w.maxKey = 0
	f.start()
	return nil
}

// Close completes the file and returns its index, whose bytes do not count as written. After an error
// from any method, call Abort instead.
func (w *Writer) Close() (Index, error) {
	if w.file == nil {
		return w.index, nil
	}
	b, _ := w.index.MarshalBinary()
	_, _ = w.out.Write(b) // Flush returns the error
	if err := w.check(w.out.Flush()); err != nil {
		return nil, err
	}
	if err := w.check(w.file.Close()); err != nil {
		return nil, err
	}
	w.count.Inc(job.FileBytesWritten, w.off)
	w.count.Inc(job.FileWriteOps, 1)
	w.count.Inc(job.SpilledRecords, w.recs)
	return w.index, nil
}

// Abort removes the file.
func (w *Writer) Abort() {
	if w.file != nil {
		w.file.Close()
		os.Remove(w.path)
	}
}

func (w *Writer) check(err error) error {
	if err != nil {
		return ioError("write", w.path, err)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Segment is one sorted run, either in memory or as part of an open file.
type Segment struct {
	// Data holds verified, uncompressed records. Either Data or Src is used.
	Data []byte
	// Src and Entry describe a part of a file.
	Src   io.ReaderAt
	Entry Entry
	Codec codec.Codec
	Name  string // name for errors
	// Tag is the map's index or the run's number. It determines the order of equal keys. In a
	// Tagged segment, every record has its own tag instead.
	Tag    uint32
	Tagged bool
}
