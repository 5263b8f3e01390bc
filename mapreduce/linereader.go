package mapreduce

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Keys of line readers.
const (
	KeyDelimiter = "textinputformat.record.delimiter" // default: \n, \r\n and \r

	// KeyMaxLine: lines that take as many bytes as this, with their delimiter, are skipped; no limit. (Hadoop gives the line
	// after a skipped one the other's offset and delivers the start of one that is skipped last in a split; this does not.)
	KeyMaxLine = "mapreduce.input.linerecordreader.line.maxlength"
)

// readPastEnd is how much is read at once behind the end of a split: the last line's rest is short as a rule.
const readPastEnd = 4 << 10

var utf8BOM = []byte("\xef\xbb\xbf")

// lineReader delivers the lines of a split's chunks, as Hadoop's LineRecordReader: key is the line's offset in its file,
// value the line without its end. A line belongs to the chunk that holds its first byte; one that starts exactly where a
// chunk ends belongs to that chunk too, which is why each chunk but a file's first throws its first line away.
type lineReader struct {
	c       *Context
	split   *Split
	maxLine int64
	scan    *lineScanner
	in      chunkSource
	chunk   int // the next chunk to open
	done    int64
	key     [8]byte

	start int64 // of the open chunk
	more  bool  // a delimiter lies across the chunk's end: the next line is ours as well
}

// maxLine reads KeyMaxLine.
func maxLine(c *conf.Config) (int64, error) {
	return c.Int(KeyMaxLine, math.MaxInt32, 1, math.MaxInt32)
}

// delimiter gives what the user set, nil if nothing.
func delimiter(c *conf.Config) []byte {
	if d := c.Get(KeyDelimiter); d != "" {
		return []byte(d)
	}
	return nil
}

// newLineReader reads the lines of a split; delim ends them, nil = \n, \r\n and \r.
func newLineReader(c *Context, s *Split, delim []byte) (*lineReader, error) {
	longest, err := maxLine(c.Conf)
	if err != nil {
		return nil, err
	}
	limit, err := recordLimit(c.Conf)
	if err != nil {
		return nil, err
	}
	r := &lineReader{c: c, split: s, maxLine: longest, in: chunkSource{c: c}}
	r.scan = newLineScanner(&r.in, delim, limit)
	return r, nil
}

// recordLimit is the longest line: a quarter of the task's memory budget, which leaves room for the buffer that it grew
// from and for the sort buffer that it goes to.
func recordLimit(c *conf.Config) (int, error) {
	mb, err := c.TaskMemory("mapreduce.map.memory.mb", 1)
	if err != nil {
		return 0, err
	}
	const ours = 64 // MiB of the process that are not for data
	return int(min(max(mb-ours, 16)<<20/4, math.MaxInt32)), nil
}

// Next gives offset and line. The value is the line in the buffer it was read into: the length that makes a Text of it is
// written over the bytes before, which were delivered already.
func (r *lineReader) Next() (key, value []byte, err error) {
	start, end, err := r.nextLine()
	if err != nil {
		return nil, nil, err
	}
	return r.key[:], r.scan.buf[putVInt(r.scan.buf, start, end-start):end], nil
}

// nextLine gives the line's place in the buffer and sets the key.
func (r *lineReader) nextLine() (start, end int, err error) {
	for {
		if r.in.open() && (r.more || r.scan.pos <= r.in.end) {
			start, end, err = r.oneLine()
			if err == nil || err != io.EOF && err != errSkipped {
				return start, end, r.explain(err)
			}
			if err == errSkipped {
				continue
			}
		}
		if err := r.nextChunk(); err != nil {
			return 0, 0, err
		}
	}
}

var errSkipped = errors.New("line skipped")

func (r *lineReader) oneLine() (start, end int, err error) {
	off := r.start + r.scan.pos
	start, end, delim, err := r.scan.next()
	if err != nil {
		return 0, 0, err
	}
	r.acrossEnd(delim)
	size := int64(end - start + delim)
	if off == 0 && bytes.HasPrefix(r.scan.buf[start:end], utf8BOM) {
		if size -= int64(len(utf8BOM)); size == 0 {
			return 0, 0, io.EOF
		}
		start += len(utf8BOM)
	}
	if size >= r.maxLine {
		return 0, 0, errSkipped
	}
	binary.BigEndian.PutUint64(r.key[:], uint64(off))
	return start, end, nil
}

// acrossEnd notes whether the delimiter just read began before the chunk's end and ended behind it: the next chunk's reader
// will not recognise its second half. A \n of \r\n is recognised.
func (r *lineReader) acrossEnd(delim int) {
	r.more = r.scan.delim != nil && r.scan.pos > r.in.end && r.scan.pos-int64(delim) < r.in.end
}

// nextChunk opens the next chunk and skips the line that belongs to the one before it.
func (r *lineReader) nextChunk() error {
	if r.in.open() {
		r.done += r.in.chunk.Length
	}
	if err := r.in.close(); err != nil {
		return err
	}
	if r.chunk == len(r.split.Chunks) {
		return io.EOF
	}
	ch := r.split.Chunks[r.chunk]
	r.chunk++
	if err := r.in.start(ch); err != nil {
		return err
	}
	r.start, r.more = ch.Start, false
	r.scan.reset(&r.in)
	if r.start == 0 {
		return nil
	}
	_, _, delim, err := r.scan.next()
	if err == io.EOF {
		return nil
	}
	r.acrossEnd(delim)
	return r.explain(err)
}

// explain says where in which file reading failed.
func (r *lineReader) explain(err error) error {
	if err == nil {
		return nil
	}
	where := fmt.Sprintf("%s at byte %d", r.in.chunk.Path, r.start+r.scan.pos)
	var long errLineTooLong
	if errors.As(err, &long) {
		return failure.New(failure.RecordTooLarge, "read", where, fmt.Errorf("line of more than %d bytes", long.limit)).
			Fix("raise mapreduce.map.memory.mb, or skip such lines with " + KeyMaxLine)
	}
	if r.in.decoder != nil {
		return failure.New(orCorrupt(err), "decompress", where, err)
	}
	return failure.New(failure.KindOf(err), "read", where, err)
}

// orCorrupt gives the kind of a decoder's error; one without a kind is about the bytes.
func orCorrupt(err error) failure.Kind {
	if k := failure.KindOf(err); k != failure.Unknown {
		return k
	}
	return failure.Corrupt
}

// Progress counts bytes of the files; of compressed ones as they lie there.
func (r *lineReader) Progress() float32 {
	if r.split.Length <= 0 {
		return 0
	}
	done := r.done
	if r.in.open() {
		n := r.scan.pos
		if r.in.decoder != nil {
			n = r.in.read
		}
		done += min(n, r.in.chunk.Length)
	}
	return min(float32(float64(done)/float64(r.split.Length)), 1)
}

func (r *lineReader) Close() error { return r.in.close() }

// chunkSource reads one chunk's bytes, decompressed, and counts what came from the file. A part of a compressed file is what
// its codec says that it is (codec.Splitter).
type chunkSource struct {
	c       *Context
	chunk   Chunk
	file    dfs.File
	decoder io.ReadCloser     // nil: not compressed
	part    codec.SplitReader // the decoder, if it reads a part of a file only
	end     int64             // where the chunk ends in the bytes that are read; MaxInt64 if that is unknown yet
	read    int64             // bytes read from the file
}

func (s *chunkSource) open() bool { return s.file != nil }

func (s *chunkSource) start(ch Chunk) error {
	fs, name, err := s.c.FS.Resolve(ch.Path)
	if err != nil {
		return err
	}
	file, err := fs.Open(s.c.Context(), name)
	if err != nil {
		return err
	}
	s.file, s.chunk, s.read, s.end = file, ch, 0, ch.Length
	if ch.Start > 0 {
		if _, err := s.file.Seek(ch.Start, io.SeekStart); err != nil {
			return failure.New(failure.KindOf(err), "seek in", ch.Path, err)
		}
	}
	if how := codec.ByPath(name); how != nil {
		s.end = math.MaxInt64
		return s.decompress(how)
	}
	return nil
}

func (s *chunkSource) decompress(how codec.Codec) error {
	if cut, ok := how.(codec.Splitter); ok && (s.chunk.Start > 0 || s.chunk.Length < s.file.Size()) {
		s.part = cut.NewSplitReader(fileBytes{s}, s.chunk.Start, s.chunk.Start+s.chunk.Length)
		s.decoder = s.part
		return nil
	}
	decoder, err := how.NewReader(fileBytes{s})
	if err != nil {
		return failure.New(orCorrupt(err), "decompress", s.chunk.Path, err)
	}
	s.decoder = decoder
	return nil
}

func (s *chunkSource) Read(p []byte) (int, error) {
	if s.decoder != nil {
		n, err := s.decoder.Read(p)
		if s.part != nil && s.end == math.MaxInt64 {
			if end, known := s.part.Boundary(); known {
				s.end = end
			}
		}
		return n, err
	}
	if left := s.chunk.Length - s.read; left > 0 {
		p = p[:min(int64(len(p)), left)]
	} else {
		p = p[:min(len(p), readPastEnd)]
	}
	return fileBytes{s}.Read(p)
}

// fileBytes reads the file itself and counts.
type fileBytes struct{ s *chunkSource }

func (f fileBytes) Read(p []byte) (int, error) {
	if err := f.s.c.Context().Err(); err != nil {
		return 0, err
	}
	n, err := f.s.file.Read(p)
	f.s.read += int64(n)
	f.s.c.Inc(job.InputBytesRead, int64(n))
	return n, err
}

func (s *chunkSource) close() error {
	if s.file == nil {
		return nil
	}
	var err error
	if s.decoder != nil {
		err = s.decoder.Close()
		s.decoder, s.part = nil, nil
	}
	if e := s.file.Close(); err == nil {
		err = e
	}
	s.file = nil
	return err
}
