// Package history encodes and decodes the data that a JobTracker stores. The journal of facts
// serves as the crash log, the job history, and the trace. Start with [AppendRecord] and [Decoder].
//
// A journal file consists of a header (Magic) and records. A record consists of the payload's
// length (4 bytes, little-endian), the CRC32C of the length and the payload (4 bytes), and the
// payload. A file has a torn tail if it ends inside a record or has a record with a wrong checksum.
// All data before the tail is good, and the data after that point was never acknowledged.
package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Magic is the header of a journal file. Its last character is the version of the format.
const Magic = "howdahj1"

// MaxRecord is the maximum length of a record's payload, in bytes.
const MaxRecord = 256 << 20

const frameSize = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendHeader appends the header of a journal file.
func AppendHeader(b []byte) []byte { return append(b, Magic...) }

// AppendRecord appends a fact as one record with its frame. If the fact is too large, AppendRecord
// appends nothing and the error is of kind Limit.
func AppendRecord(b []byte, e *event.Event) ([]byte, error) {
	return appendFrame(b, func(b []byte) []byte { return AppendEvent(b, e) })
}

// AppendFrame appends any payload as one record. Journals of data other than facts use the same
// frame.
func AppendFrame(b []byte, payload []byte) ([]byte, error) {
	return appendFrame(b, func(b []byte) []byte { return append(b, payload...) })
}

func appendFrame(b []byte, body func([]byte) []byte) ([]byte, error) {
	at := len(b)
	b = body(append(b, make([]byte, frameSize)...))
	n := len(b) - at - frameSize
	if n > MaxRecord {
		return b[:at], failure.New(failure.Limit, "write journal record", "",
			fmt.Errorf("%d bytes exceed the limit of %d", n, MaxRecord))
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(n))
	binary.LittleEndian.PutUint32(b[at+4:], checksum(b[at:at+4], b[at+frameSize:]))
	return b, nil
}

func checksum(length, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, payload)
}

// ErrTorn is the error of Decoder.Next at a torn tail. Callers should truncate the file at
// Decoder.Offset.
var ErrTorn = errors.New("torn record at the end of the journal")

// Decoder reads the records of a journal in order. It is not safe for concurrent use.
type Decoder struct {
	r      io.Reader
	magic  string
	offset int64
	buf    []byte
	err    error
	strict bool
}

// NewDecoder returns a decoder for a journal of facts.
func NewDecoder(r io.Reader) *Decoder { return NewFrames(r, Magic) }

// NewFrames returns a decoder for a file of records with a different header.
func NewFrames(r io.Reader, magic string) *Decoder { return &Decoder{r: r, magic: magic} }

// Strict makes the decoder return damage as an error of kind Corrupt that contains the offset. Then
// only a file that was cut inside its last record has a torn tail. Use Strict for files that must
// be complete. A recovering JobTracker does not use it, because data after a gap that a power
// failure left was never acknowledged.
func (d *Decoder) Strict() *Decoder {
	d.strict = true
	return d
}

// Offset returns the offset of the end of the last good record, or of the header if there is none.
func (d *Decoder) Offset() int64 { return d.offset }

// Next decodes the next fact into e. It returns io.EOF at a clean end and ErrTorn at a torn tail.
// Further calls return the same error. It returns an error of kind Corrupt for a file of a
// different kind or version and for an intact record that it cannot decode.
func (d *Decoder) Next(e *event.Event) error {
	payload, err := d.Payload()
	if err != nil {
		return err
	}
	if err := DecodeEvent(payload, e); err != nil {
		d.err = err
		return err
	}
	return nil
}

// Each calls f with every fact until a clean end. f can retain the facts. Each returns the first
// error from f or from Next.
func (d *Decoder) Each(f func(*event.Event) error) error {
	for {
		e := &event.Event{}
		switch err := d.Next(e); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
}

// Payload returns the next record's payload, which is valid until the next call. Its errors are
// those of Next.
func (d *Decoder) Payload() ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	payload, err := d.payload()
	d.err = err
	return payload, err
}

func (d *Decoder) payload() ([]byte, error) {
	if d.offset == 0 {
		if err := d.header(); err != nil {
			return nil, err
		}
	}
	var frame [frameSize]byte
	if n, err := io.ReadFull(d.r, frame[:]); n == 0 && err == io.EOF {
		return nil, io.EOF
	} else if err != nil {
		return nil, torn(err)
	}
	n := binary.LittleEndian.Uint32(frame[:])
	if n > MaxRecord {
		return nil, d.damaged("its length exceeds the limit of a record")
	}
	if err := d.read(int(n)); err != nil {
		if err = torn(err); err == ErrTorn && d.strict && holdsRecord(d.buf) {
			err = d.damaged("its length is wrong because more records follow")
		}
		return nil, err
	}
	if checksum(frame[:4], d.buf) != binary.LittleEndian.Uint32(frame[4:]) {
		return nil, d.damaged("its checksum is wrong")
	}
	d.offset += frameSize + int64(n)
	return d.buf, nil
}

// damaged returns the error for a record that truncation alone cannot explain.
func (d *Decoder) damaged(why string) error {
	if !d.strict {
		return ErrTorn
	}
	return failure.New(failure.Corrupt, "read record", fmt.Sprintf("at byte %d", d.offset), errors.New(why))
}

// holdsRecord reports whether a whole record begins anywhere in b. It tries every position, because
// a damaged length does not show where the next record begins.
func holdsRecord(b []byte) bool {
	budget := 4 << 30 // maximum number of bytes to checksum; a following record is usually near
	for ; len(b) > frameSize && budget > 0; b = b[1:] {
		n := binary.LittleEndian.Uint32(b)
		if n == 0 || uint64(n) > uint64(len(b)-frameSize) {
			continue
		}
		if checksum(b[:4], b[frameSize:frameSize+n]) == binary.LittleEndian.Uint32(b[4:]) {
			return true
		}
		budget -= int(n)
	}
	return false
}

// read fills the buffer piece by piece, so that a damaged length does not allocate memory for
// missing data.
func (d *Decoder) read(n int) error {
	const piece = 1 << 20
	d.buf = d.buf[:0]
	for len(d.buf) < n {
		at := len(d.buf)
		d.buf = append(d.buf, make([]byte, min(piece, n-at))...)
		if got, err := io.ReadFull(d.r, d.buf[at:]); err != nil {
			d.buf = d.buf[:at+got]
			return err
		}
	}
	return nil
}

// header reads the header. A file that is shorter than the header was created but never used.
func (d *Decoder) header() error {
	got := make([]byte, len(d.magic))
	n, err := io.ReadFull(d.r, got)
	if n == 0 && err == io.EOF {
		return io.EOF
	}
	if err != nil {
		return torn(err)
	}
	if string(got) != d.magic {
		return failure.New(failure.Corrupt, "open journal", "",
			fmt.Errorf("the file begins with %q, not %q", got, d.magic)).
			Fix("it is not a journal, or it is from another version of howdah")
	}
	d.offset = int64(n)
	return nil
}

func torn(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTorn
	}
	return failure.New(failure.IO, "read journal", "", err)
}
