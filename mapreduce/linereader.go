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
	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// readPastEnd is the size of reads beyond the end of a split, in bytes. It is small because the
// rest of the last line is usually short.
const readPastEnd = 4 << 10

var utf8BOM = []byte("\xef\xbb\xbf")

// lineReader delivers the lines of a split's chunks, like Hadoop's LineRecordReader. The key is the
// line's offset in its file, and the value is the line without its delimiter. A line belongs to the
// chunk that contains its first byte. The exception is a line that starts exactly at the end of a
// chunk, which belongs to that chunk. In every chunk except a file's first, the reader therefore
// drops the first line.
type lineReader struct {
	c       *Context
	maxLine int64
	scan    *lineScanner
	in      chunkSource
	needed  []byte // Next may leave out lines without these bytes; empty = it leaves out no lines
	key     [8]byte

	start int64 // position at which the open chunk starts
	more  bool  // a delimiter spans the chunk's end, so the next line belongs to this chunk
}

func maxLine(c *conf.Config) (int64, error) {
	return conf.InputLineRecordReaderLineMaxLength.Get(c)
}

// delimiter returns the configured delimiter, or nil.
func delimiter(c *conf.Config) []byte {
	if d := conf.TextInputFormatRecordDelimiter.Get(c); d != "" {
		return []byte(d)
	}
	return nil
}

// newLineReader returns a reader for the lines in s. delim ends a line. A nil delim means \n, \r\n,
// and \r.
func newLineReader(c *Context, s *Split, delim []byte) (*lineReader, error) {
	longest, err := maxLine(c.Conf)
	if err != nil {
		return nil, err
	}
	limit, err := recordLimit(c.Conf)
	if err != nil {
		return nil, err
	}
	r := &lineReader{c: c, maxLine: longest, in: chunkSource{c: c, split: s}}
	r.scan = newLineScanner(&r.in, delim, limit, longest+int64(len(utf8BOM)))
	return r, nil
}

// recordLimit returns the maximum length of a line or record in bytes. This is a quarter of the
// map's memory after subtracting 64 MiB for the process, but at least 4 MiB. The rest is for the
// sort buffer and for the smaller buffers that the reader has outgrown.
func recordLimit(c *conf.Config) (int, error) {
	mb, err := conf.MapMemoryMB.AtLeast(c, 1)
	if err != nil {
		return 0, err
	}
	const ours = 64 // MiB that the process itself needs
	return int(min(max(mb-ours, 16)<<20/4, math.MaxInt32)), nil
}

// Sift implements Sifter. It has no effect if a delimiter is configured or if needed contains a
// line break.
func (r *lineReader) Sift(needed []byte) {
	if r.scan.delim == nil && !bytes.ContainsAny(needed, "\r\n") {
		r.needed = needed
	}
}

// Next returns the offset and the line. The value is a view of the read buffer. The length prefix
// that makes the value a Text overwrites bytes before the line, which are no longer needed.
func (r *lineReader) Next() (key, value []byte, err error) {
	start, end, err := r.nextLine()
	if err != nil {
		return nil, nil, err
	}
	return r.key[:], r.scan.buf[putVInt(r.scan.buf, start, end-start):end], nil
}

// nextLine sets the key and returns the line's position in the buffer.
func (r *lineReader) nextLine() (start, end int, err error) {
	for {
		if r.in.open() && (r.more || r.scan.pos <= r.in.end) {
			r.sift()
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

// sift drops lines that Next may leave out and counts them as input records. It keeps lines that
// may be too long to be records. It never drops a file's first line, which can start with a
// byte-order mark, because the buffer is still empty before that line.
func (r *lineReader) sift() {
	if len(r.needed) == 0 {
		return
	}
	if n := r.scan.sift(r.needed, min(r.in.end-r.scan.pos, r.maxLine-1)); n > 0 {
		r.c.Inc(job.MapInputRecords, int64(n))
	}
}

var errSkipped = errors.New("line skipped")

func (r *lineReader) oneLine() (start, end int, err error) {
	off := r.start + r.scan.pos
	start, end, delim, err := r.scan.next()
	r.acrossEnd(delim)
	if err != nil {
		return 0, 0, err
	}
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

// acrossEnd records whether the last delimiter, if it is a configured one, spans the chunk's end.
// The reader of the next chunk does not recognize the second half of such a delimiter, so this
// reader also delivers the next line.
func (r *lineReader) acrossEnd(delim int) {
	r.more = r.scan.delim != nil && r.scan.pos > r.in.end && r.scan.pos-int64(delim) < r.in.end
}

// nextChunk opens the next chunk. Unless the chunk is the file's first, nextChunk skips the first
// line, which belongs to the previous chunk. It does not keep that line, and it stops after the end of
// the chunk, because a line that starts later belongs to another chunk.
func (r *lineReader) nextChunk() error {
	ch, err := r.in.next()
	if err != nil {
		return err
	}
	if err := r.in.start(ch); err != nil {
		return err
	}
	r.start, r.more = ch.Start, false
	r.scan.reset(&r.in)
	for r.start > 0 && r.scan.pos <= r.in.end {
		if err := r.scan.fill(); err != nil {
			return r.explain(err)
		}
		if delim := r.scan.discard(); delim >= 0 {
			r.acrossEnd(delim)
			break
		}
	}
	return nil
}

// explain adds the file name and the position to err, a read error.
func (r *lineReader) explain(err error) error {
	if err == nil {
		return nil
	}
	where := fmt.Sprintf("%s at byte %d", r.in.chunk.Path, r.start+r.scan.pos)
	var long errLineTooLong
	if errors.As(err, &long) {
		return failure.New(failure.RecordTooLarge, "read", where, fmt.Errorf("a line has more than %d bytes", long.limit)).
			Fix("raise mapreduce.map.memory.mb, or skip such lines with " + conf.InputLineRecordReaderLineMaxLength.Name)
	}
	if r.in.decoder != nil {
		return failure.New(orCorrupt(err), "decompress", where, err)
	}
	return failure.New(failure.KindOf(err), "read", where, err)
}

// orCorrupt returns the kind of err, a decoder's error. If err has no kind, it returns Corrupt,
// because such an error indicates damaged data.
func orCorrupt(err error) failure.Kind {
	if k := failure.KindOf(err); k != failure.Unknown {
		return k
	}
	return failure.Corrupt
}

// Progress returns the fraction of the split's bytes that the reader has read. For a compressed
// file, it counts compressed bytes.
func (r *lineReader) Progress() float32 {
	if r.in.decoder != nil {
		return r.in.progress(r.in.read)
	}
	return r.in.progress(r.scan.pos)
}

func (r *lineReader) Close() error {
	heap.Drop(&r.scan.buf)
	return r.in.close()
}

// chunkSource reads the decompressed bytes of a chunk and counts the bytes read from the file. For
// a compressed file, the codec defines what the chunk contains (see codec.Splitter).
type chunkSource struct {
	c       *Context
	split   *Split
	number  int   // index of the next chunk to open
	done    int64 // total bytes of the chunks before the open one
	chunk   Chunk
	file    dfs.File
	decoder io.ReadCloser     // nil = uncompressed
	part    codec.SplitReader // the decoder if it reads only a part of the file, otherwise nil
	end     int64             // end of the chunk, as a position in the decoded bytes; MaxInt64 = unknown
	read    int64             // number of bytes read from the file
}

func (s *chunkSource) open() bool { return s.file != nil }

// next closes the open chunk and returns the chunk to open next, or io.EOF.
func (s *chunkSource) next() (Chunk, error) {
	if s.open() {
		s.done += s.chunk.Length
	}
	if err := s.close(); err != nil {
		return Chunk{}, err
	}
	if s.number == len(s.split.Chunks) {
		return Chunk{}, io.EOF
	}
	s.number++
	return s.split.Chunks[s.number-1], nil
}

// progress returns the fraction of the split that has been read, given that n bytes of the open
// chunk have been read.
func (s *chunkSource) progress(n int64) float32 {
	if s.split.Length <= 0 {
		return 0
	}
	done := s.done
	if s.open() {
		done += min(n, s.chunk.Length)
	}
	return min(float32(float64(done)/float64(s.split.Length)), 1)
}

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
	s.c.SetInputFile(ch.Path)
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

// fileBytes reads the raw bytes of the file and counts them.
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
