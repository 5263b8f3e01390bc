// Package history holds the codecs of what a JobTracker writes down: the journal of facts, which is crash log, job history
// and trace in one.
//
// A journal file is a header (Magic) and records. A record is the payload's length (4 bytes, little-endian), the CRC32C of
// length and payload (4 bytes), and the payload. A file that ends inside a record, or in one whose checksum is wrong, has a
// torn tail: what lies before it is good, what follows was never acknowledged.
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

// Magic begins a journal file; its last character is the version of the format.
const Magic = "howdahj1"

// MaxRecord is the most bytes that a record's payload may have.
const MaxRecord = 256 << 20

const frameSize = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendHeader appends what a journal file begins with.
func AppendHeader(b []byte) []byte { return append(b, Magic...) }

// AppendRecord appends a fact as one record, frame and all. A fact too large for a record is refused with kind Limit and
// nothing is appended.
func AppendRecord(b []byte, e *event.Event) ([]byte, error) {
	return appendFrame(b, func(b []byte) []byte { return AppendEvent(b, e) })
}

// AppendFrame appends any payload as one record; journals of other things than facts share the frame.
func AppendFrame(b []byte, payload []byte) ([]byte, error) {
	return appendFrame(b, func(b []byte) []byte { return append(b, payload...) })
}

func appendFrame(b []byte, body func([]byte) []byte) ([]byte, error) {
	at := len(b)
	b = body(append(b, make([]byte, frameSize)...))
	n := len(b) - at - frameSize
	if n > MaxRecord {
		return b[:at], failure.New(failure.Limit, "write journal record", "", fmt.Errorf("%d bytes are more than %d", n, MaxRecord))
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(n))
	binary.LittleEndian.PutUint32(b[at+4:], checksum(b[at:at+4], b[at+frameSize:]))
	return b, nil
}

func checksum(length, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, payload)
}

// ErrTorn is what Decoder.Next returns at a torn tail; the file is to be cut at Decoder.Offset.
var ErrTorn = errors.New("torn record at the end of the journal")

// Decoder reads the records of a journal in order.
type Decoder struct {
	r      io.Reader
	magic  string
	offset int64
	buf    []byte
	err    error
	strict bool
}

// NewDecoder reads a journal of facts.
func NewDecoder(r io.Reader) *Decoder { return NewFrames(r, Magic) }

// NewFrames reads a file of records that begins with another header.
func NewFrames(r io.Reader, magic string) *Decoder { return &Decoder{r: r, magic: magic} }

// Strict makes damage an error of kind Corrupt that names its place: only a file that was cut inside its last record has a torn
// tail then. It is for files that are read to be believed. A JobTracker that recovers does without: what lies behind the place
// that a loss of power left unwritten was never acknowledged.
func (d *Decoder) Strict() *Decoder {
	d.strict = true
	return d
}

// Offset is the end of the last good record, or of the header.
func (d *Decoder) Offset() int64 { return d.offset }

// Next reads the next fact into e. It returns io.EOF at a clean end and ErrTorn at a torn tail, from then on for ever. A file
// of another kind or version, and a record that is intact but not understood, is refused with kind Corrupt.
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

// Each calls f with every fact up to a clean end; f may keep them. It ends with the first error, of f or as for Next.
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

// Payload reads the next record's payload, which is valid until the next call. Errors are as for Next.
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
		return nil, d.damaged("its length is more than a record can have")
	}
	if err := d.read(int(n)); err != nil {
		if err = torn(err); err == ErrTorn && d.strict && holdsRecord(d.buf) {
			err = d.damaged("its length is wrong, others follow it")
		}
		return nil, err
	}
	if checksum(frame[:4], d.buf) != binary.LittleEndian.Uint32(frame[4:]) {
		return nil, d.damaged("its checksum is wrong")
	}
	d.offset += frameSize + int64(n)
	return d.buf, nil
}

// damaged tells what a record is that no cut alone has made.
func (d *Decoder) damaged(why string) error {
	if !d.strict {
		return ErrTorn
	}
	return failure.New(failure.Corrupt, "read record", fmt.Sprintf("at byte %d", d.offset), errors.New(why))
}

// holdsRecord finds out whether a whole record begins anywhere in b: where the next one does, a damaged length does not tell.
func holdsRecord(b []byte) bool {
	budget := 4 << 30 // bytes to sum up; the next record is near, or there is none
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

// read fills the buffer piece by piece, so that a damaged length does not make us reserve what is not there.
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

// header reads the file's first bytes. A file too short for them was created and never used.
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
		return failure.New(failure.Corrupt, "open journal", "", fmt.Errorf("the file begins with %q, not with %q", got, d.magic)).
			Fix("it is no journal, or one of another version of howdah")
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
