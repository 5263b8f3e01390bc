package sortio

import (
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/job/failure"
)

// reader reads the records of one segment. A key or value within a single frame is a slice of the
// frame and is not copied. A key or value that spans frames is collected in a buffer. A value that
// spans frames is read only on request, so a merge of many runs with huge values holds only one
// such value at a time.
type reader struct {
	frames frameReader
	mem    bool // the whole segment is in buf
	buf    []byte
	pos    int
	tagged bool
	max    int // size of the largest accepted record

	curTag  uint32
	curKey  []byte
	curVal  []byte
	pending int // bytes of the value that are still in the stream; curVal is not set in this case

	keyBuf, valBuf []byte
}

// open starts reading a segment. It keeps the buffers of earlier segments.
func (r *reader) open(s *Segment, max int) {
	r.buf, r.pos, r.pending = s.Data, 0, 0
	r.curTag, r.tagged, r.max = s.Tag, s.Tagged, max
	r.mem = s.Src == nil
	if !r.mem {
		r.frames.reset(io.NewSectionReader(s.Src, s.Entry.Start, s.Entry.Part), s.Entry, s.Codec, s.Name)
	} else {
		r.frames.what = s.Name
	}
}

func (r *reader) tag() uint32 { return r.curTag }
func (r *reader) key() []byte { return r.curKey }

// keepKey implements cursor. A key of more than maxFrame bytes is not in a frame. It is in keyBuf,
// which the reader then does not reuse, or in a segment in memory.
func (r *reader) keepKey() { r.keyBuf = nil }

// more reads the next frame. It returns io.EOF at the end of the segment.
func (r *reader) more() error {
	if r.mem {
		return io.EOF
	}
	b, err := r.frames.next()
	if err != nil {
		return err
	}
	r.buf, r.pos = b, 0
	return nil
}

// next moves to the next record and skips the unread part of the current record.
func (r *reader) next() (bool, error) {
	if cap(r.valBuf) > maxFrame {
		r.valBuf, r.curVal = nil, nil
	}
	if r.pending > 0 {
		if err := r.skip(); err != nil {
			return false, err
		}
	}
	if r.pos == len(r.buf) {
		switch err := r.more(); {
		case err == io.EOF:
			r.forgetKey()
			return false, nil
		case err != nil:
			return false, err
		}
	}
	var klen, vlen int
	if b := r.buf[r.pos:]; !r.tagged && len(b) >= 2 && b[0]|b[1] < 0x80 {
		klen, vlen = int(b[0]), int(b[1])
		r.pos += 2
	} else if err := r.lengths(&klen, &vlen); err != nil {
		return false, err
	}
	if end := r.pos + klen + vlen; end <= len(r.buf) {
		mid := r.pos + klen
		r.curKey, r.curVal = r.buf[r.pos:mid:mid], r.buf[mid:end:end]
		r.pos = end
		r.forgetKey()
		return true, nil
	}
	return true, r.spanning(klen, vlen)
}

// lengths reads a record's header. It handles the cases that next does not handle itself, such as
// tagged records and lengths of more than one byte.
func (r *reader) lengths(klen, vlen *int) error {
	if r.tagged {
		t, err := r.uvarint()
		if err != nil {
			return err
		}
		r.curTag = uint32(t)
	}
	k, err := r.uvarint()
	if err != nil {
		return err
	}
	v, err := r.uvarint()
	if err != nil {
		return err
	}
	if k > maxLength || v > maxLength {
		return r.frames.corrupt("record with a key of %d and a value of %d bytes", k, v)
	}
	if k+v > uint64(r.max) || k > uint64(keyLimit(int64(r.max))) {
		return TooLarge(r.frames.what, int64(k), int64(v), int64(r.max))
	}
	*klen, *vlen = int(k), int(v)
	return nil
}

func (r *reader) uvarint() (uint64, error) {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		if r.pos == len(r.buf) {
			if err := r.more(); err != nil {
				return 0, r.early(err)
			}
		}
		b := r.buf[r.pos]
		r.pos++
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x, nil
		}
	}
	return 0, r.frames.corrupt("length without end")
}

// spanning reads the key of a record that extends beyond the frame. The value remains in the
// stream, unless it ends in the same frame as the key.
func (r *reader) spanning(klen, vlen int) error {
	r.curVal, r.pending = nil, 0
	var err error
	if r.curKey, err = r.collect(&r.keyBuf, klen); err != nil {
		return err
	}
	if end := r.pos + vlen; end <= len(r.buf) {
		r.curVal = r.buf[r.pos:end:end]
		r.pos = end
		return nil
	}
	r.pending = vlen
	return nil
}

// value returns the current record's value. It is valid until next.
func (r *reader) value() ([]byte, error) {
	if r.pending == 0 {
		return r.curVal, nil
	}
	n := r.pending
	r.pending = 0
	var err error
	r.curVal, err = r.collect(&r.valBuf, n)
	return r.curVal, err
}

// collect copies n bytes, which may span frames, into buf. It replaces a buffer that grew for one
// huge record.
func (r *reader) collect(buf *[]byte, n int) ([]byte, error) {
	b := *buf
	if cap(b) < n || cap(b) > maxFrame && n < cap(b)/2 {
		b, *buf = nil, nil // allows freeing the old buffer before the new one is allocated
		b = heap.Make(n)
	}
	b = b[:n]
	*buf = b
	for got := 0; got < n; {
		if r.pos == len(r.buf) {
			if err := r.more(); err != nil {
				return nil, r.early(err)
			}
		}
		k := copy(b[got:], r.buf[r.pos:])
		got += k
		r.pos += k
	}
	return b, nil
}

// forgetKey releases the buffer of a huge key, so that many runs do not each keep the buffer of
// their largest key. The caller must not need the buffer for the next key. The buffer of a huge
// value is released along with its record.
func (r *reader) forgetKey() {
	if cap(r.keyBuf) > maxFrame {
		r.keyBuf = nil
	}
}

func (r *reader) skip() error {
	for r.pending > 0 {
		if r.pos == len(r.buf) {
			if err := r.more(); err != nil {
				return r.early(err)
			}
		}
		k := min(r.pending, len(r.buf)-r.pos)
		r.pending -= k
		r.pos += k
	}
	return nil
}

// early converts an EOF inside a record to an error about damaged data.
func (r *reader) early(err error) error {
	if errors.Is(err, io.EOF) {
		return r.frames.corrupt("segment ends inside a record")
	}
	return err
}

// keyLimit returns the maximum size of a key if records are limited to max bytes. A merge holds the
// keys of at least two runs, its result holds the key of the group, and a reducer may hold a copy.
func keyLimit(max int64) int64 { return max / 4 }

// TooLarge returns the error for a record that is larger than max bytes or whose key is too large
// for that limit. where identifies the record.
func TooLarge(where string, key, value, max int64) error {
	err := fmt.Errorf("key and value have %d bytes; the limit is %d", key+value, max)
	if limit := keyLimit(max); key > limit {
		err = fmt.Errorf("the key has %d bytes; the limit is %d", key, limit)
	}
	return failure.New(failure.RecordTooLarge, "hold record", where, err).
		Fix("raise mapreduce.map.memory.mb and mapreduce.reduce.memory.mb")
}
