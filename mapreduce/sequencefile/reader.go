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

// ReadOptions tell how a file is read.
type ReadOptions struct {
	Name      string // of the file, for errors
	MaxRecord int    // bytes of a record, and of a block; 0 = DefaultMaxRecord
}

// Reader reads one file. One goroutine uses it. Damage is kind Corrupt and tells the file and the position, errors of the
// storage come through with theirs.
type Reader struct {
	h         Header
	src       io.Reader
	w         *window
	o         ReadOptions
	codec     codec.Codec // nil: none
	headerEnd int64
	stop      int64 // the first mark from here on ends the part
	marked    bool  // the last record followed a mark
	val       []byte
	block     block
}

// NewReader reads the header. What is no SequenceFile is kind Corrupt, an unknown codec kind Config.
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

// Header gives what the file says of itself.
func (r *Reader) Header() *Header { return &r.h }

// Next gives the next record, valid until the next call; io.EOF at the end.
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

// record reads a record that is not in a block, and the mark before it if there is one.
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
		return nil, nil, fmt.Errorf("a record of %d bytes", n)
	}
	b, err := r.w.take(4 + n)
	if err != nil {
		return nil, nil, unexpected(err)
	}
	k := int(int32(binary.BigEndian.Uint32(b)))
	if k < 0 || k > n {
		return nil, nil, fmt.Errorf("a key of %d bytes in a record of %d", k, n)
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

var errSync = errors.New("the bytes of a sync mark differ from those in the header")

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

// Position gives where in the file the reader is.
func (r *Reader) Position() int64 { return r.w.pos }

// Part restricts the reader to the bytes [start, end) of a file of size bytes: what lies between the first mark from start
// on and the first mark from end on, as Hadoop's SequenceFileRecordReader reads a split. All parts of a file together have
// each record once. The source must be an io.Seeker, and nothing may have been read yet.
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

// Sync moves to the first mark that begins at pos or behind it in a file of size bytes; to its end if there is none. The
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
		_, _ = r.w.take(len(b) - SyncSize + 1) // it is there
	}
}

// SeekTo moves to a position that Position gave, or a Writer's Length after its Sync.
func (r *Reader) SeekTo(pos int64) error {
	s, ok := r.src.(io.Seeker)
	if !ok {
		return failure.New(failure.Usage, "seek in SequenceFile", r.o.Name, errors.New("it is a stream"))
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
