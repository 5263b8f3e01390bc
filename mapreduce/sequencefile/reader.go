package sequencefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

// ReadOptions contains the options of a Reader.
type ReadOptions struct {
	Name      string // file name for error messages
	MaxRecord int    // maximum size of a record or of a part of a block, in bytes; 0 = DefaultMaxRecord
}

// Reader reads a SequenceFile. It is not safe for concurrent use. For damaged data, the error
// contains the file name and the position. It is of kind Corrupt or, if a length in the file
// exceeds MaxRecord, RecordTooLarge.
type Reader struct {
	h         Header
	src       io.Reader
	w         *window
	o         ReadOptions
	codec     codec.Codec // nil = uncompressed
	headerEnd int64
	stop      int64 // the part ends at the first mark at or after this position
	marked    bool  // a mark precedes the last record
	val       []byte
	block     block
}

// NewReader reads the header and returns a Reader. It returns an error of kind Corrupt if the file
// is not a SequenceFile, or of kind Config if its codec is unknown.
func NewReader(r io.Reader, o ReadOptions) (*Reader, error) {
	if o.MaxRecord == 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	w := newWindow(r, 0, max(o.MaxRecord, maxMeta))
	h, err := readHeader(w)
	if err != nil {
		return nil, at(o.Name, w.pos, err)
	}
	w.max = o.MaxRecord
	s := &Reader{h: *h, src: r, w: w, o: o, headerEnd: w.pos, stop: math.MaxInt64}
	if s.codec, err = h.codecOf(); err != nil {
		return nil, failure.New(failure.Config, "read SequenceFile", o.Name, err)
	}
	return s, nil
}

// Header returns the file's header.
func (r *Reader) Header() *Header { return &r.h }

// Next returns the next record, or io.EOF at the end. The record is valid until the next call.
func (r *Reader) Next() (key, value []byte, err error) {
	if r.h.Compression == Block {
		return r.nextInBlock()
	}
	start := r.w.pos
	key, value, err = r.record()
	switch {
	case err == io.EOF:
		return nil, nil, io.EOF
	case err != nil:
		return nil, nil, at(r.o.Name, start, err)
	case r.marked && start >= r.stop:
		return nil, nil, io.EOF
	}
	return key, value, nil
}

// record reads a record that is not part of a block. It skips a mark before the record.
func (r *Reader) record() (key, value []byte, err error) {
	n, err := r.w.int()
	if err != nil {
		return nil, nil, err
	}
	if r.marked = n == syncEscape; r.marked {
		if err := r.checkSync(); err != nil {
			return nil, nil, err
		}
		if n, err = r.w.int(); err != nil {
			return nil, nil, err
		}
	}
	if n < 0 {
		return nil, nil, fmt.Errorf("a record has %d bytes", n)
	}
	b, err := r.w.take(4 + n)
	if err != nil {
		return nil, nil, unexpected(err)
	}
	k := int(int32(binary.BigEndian.Uint32(b)))
	if k < 0 || k > n {
		return nil, nil, fmt.Errorf("a key has %d bytes in a record of %d bytes", k, n)
	}
	key, value = b[4:4+k], b[4+k:]
	if r.codec != nil {
		if r.val, err = r.codec.AppendDecodedStream(r.val[:0], value, r.o.MaxRecord); err != nil {
			return nil, nil, err
		}
		value = r.val
	}
	return key, value, nil
}

var errSync = errors.New("a sync marker differs from that in the header")

func (r *Reader) checkSync() error {
	b, err := r.w.take(SyncSize)
	if err != nil {
		return unexpected(err)
	}
	if !bytes.Equal(b, r.h.Sync[:]) {
		return errSync
	}
	return nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Position returns the reader's position in the file.
func (r *Reader) Position() int64 { return r.w.pos }

// Part restricts the reader to a part of the file, namely the records between the first mark at or
// after start and the first one at or after end. size is the size of the whole file in bytes.
// Hadoop's SequenceFileRecordReader reads splits in the same way. Adjacent parts together contain
// each record exactly once. The source must be an io.Seeker. Call Part before the first Next.
func (r *Reader) Part(start, end, size int64) error {
	if start > r.headerEnd {
		if err := r.Sync(start, size); err != nil {
			return err
		}
	}
	r.stop = end
	if r.w.pos >= end {
		r.w.eof, r.w.i, r.w.n = true, 0, 0
	}
	return nil
}

// Sync moves to the first mark at or after pos, or to the end of the file if no such mark exists. For
// a position in the header, it moves to the first record. size is the size of the file in bytes. The
// source must be an io.Seeker.
func (r *Reader) Sync(pos, size int64) error {
	r.block.reset()
	switch {
	case pos+markSize >= size:
		return r.SeekTo(size)
	case pos < r.headerEnd:
		return r.SeekTo(r.headerEnd)
	}
	if err := r.SeekTo(pos + 4); err != nil {
		return err
	}
	for {
		_, err := r.w.peek(SyncSize)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return r.SeekTo(size)
		}
		if err != nil {
			return at(r.o.Name, r.w.pos, err)
		}
		b := r.w.buf[r.w.i:r.w.n]
		if i := bytes.Index(b, r.h.Sync[:]); i >= 0 {
			return r.SeekTo(r.w.pos + int64(i) - 4)
		}
		_, _ = r.w.take(len(b) - SyncSize + 1) // cannot fail because the bytes are buffered
	}
}

// SeekTo moves to a position that Position or a Writer's Length returned. In a file with compressed
// blocks, the position is the start of a block. If the source is not an io.Seeker, the error is of
// kind Usage.
func (r *Reader) SeekTo(pos int64) error {
	s, ok := r.src.(io.Seeker)
	if !ok {
		return failure.New(failure.Usage, "seek in SequenceFile", r.o.Name, errors.New("the source is a stream, "+
			"which cannot seek"))
	}
	r.block.reset()
	if ahead := pos - r.w.pos; ahead >= -int64(r.w.i) && ahead <= int64(r.w.n-r.w.i) {
		r.w.i += int(ahead)
		r.w.pos = pos
		return nil
	}
	if _, err := s.Seek(pos, io.SeekStart); err != nil {
		return failure.New(failure.KindOf(err), "seek in SequenceFile", r.o.Name, err)
	}
	r.w.reset(pos)
	return nil
}

// Rewind moves to the first record.
func (r *Reader) Rewind() error { return r.SeekTo(r.headerEnd) }
