// Package history encodes and decodes the data that a JobTracker stores. The journal of facts
// serves as the crash log, the job history, and the trace. Start with [AppendRecord] and [Decoder].
//
// A journal file consists of a header (Magic) and records. A record consists of the payload's
// length (4 bytes, little-endian), the CRC32C of the length and the payload (4 bytes), and the
// payload. Mark is a record without a payload. A writer that syncs its file writes a mark after the
// snapshot at the start of the file, and another one at the beginning of every later write. It
// writes these later marks only after the previous write is durable, and uses a snapshot only after
// the snapshot is durable. If a file also begins with Mark, a reader can detect that the end of the
// snapshot is missing.
//
// In a file with the header MagicSynced, the checksum of all earlier bytes follows each Mark. A
// reader can therefore detect that whole records before a mark are missing, duplicated, or
// misplaced. Only the end of a file can be missing unnoticed, and only after the snapshot.
//
// A crash during the last write can leave a torn tail. The file then ends inside a record, or
// sectors of the write contain only zeros. The data in a torn tail was never acknowledged. Any
// other broken record is damage, which a Decoder reports as an error of kind Corrupt.
package history

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// The headers of journal files. The last character is the version of the format. Files of a
// JobTracker begin with MagicSynced. Other journals of facts begin with Magic, as did a
// JobTracker's files in earlier versions.
const (
	Magic       = "howdahj1"
	MagicSynced = "howdahj2"
)

// MaxRecord is the maximum length of a record's payload, in bytes.
const MaxRecord = 256 << 20

const (
	frameSize = 8
	sumSize   = 4 // of the checksum after a Mark
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Mark is the record that ends the snapshot of a journal and begins every later write.
var Mark, _ = AppendFrame(nil, nil)

// AppendSyncedHeader appends the header and the first mark of a file whose writer syncs the
// snapshot.
func AppendSyncedHeader(b []byte) []byte {
	return AppendMark(append(b, MagicSynced...), Sum(0, []byte(MagicSynced)))
}

// AppendMark appends a mark to a file with the header MagicSynced. sum is the checksum of all bytes
// before the mark.
func AppendMark(b []byte, sum uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(b, Mark...), sum)
}

// Sum returns the checksum of a file after b has been appended. before is the file's earlier
// checksum. The checksum of an empty file is 0.
func Sum(before uint32, b []byte) uint32 { return crc32.Update(before, castagnoli, b) }

// AppendHeader appends the header of a journal file.
func AppendHeader(b []byte) []byte { return append(b, Magic...) }

// AppendRecord appends a fact as one record with its frame. If the fact is too large, AppendRecord
// appends nothing and the error is of kind Limit.
func AppendRecord(b []byte, e *event.Event) ([]byte, error) {
	return appendFrame(b, func(b []byte) []byte { return AppendEvent(b, e) })
}

// CheckRecord returns the error of AppendRecord without encoding the fact.
func CheckRecord(e *event.Event) error { return checkSize(eventSize(e)) }

func checkSize(n int) error {
	if n > MaxRecord {
		return failure.New(failure.Limit, "write journal record", "",
			fmt.Errorf("%d bytes exceed the limit of %d", n, MaxRecord))
	}
	return nil
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
	if err := checkSize(n); err != nil {
		return b[:at], err
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(n))
	binary.LittleEndian.PutUint32(b[at+4:], checksum(b[at:at+4], b[at+frameSize:]))
	return b, nil
}

func checksum(length, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, payload)
}

// ErrTorn is the error that Decoder.Next returns at a torn tail. Callers should truncate the file
// at Decoder.Offset.
var ErrTorn = errors.New("torn record at the end of the journal")

// Decoder reads the records of a journal in order. It is not safe for concurrent use.
type Decoder struct {
	r     io.Reader
	magic string
	at    place // the end of the last good record
	buf   []byte
	err   error

	chained  bool  // the file has MagicSynced: a checksum follows each mark
	mark     place // after the latest mark, whose checksum covers everything before it
	snapshot int64 // offset of the end of the snapshot
	marked   bool  // the snapshot is complete, or the file has none
	synced   bool  // the file begins with a mark, so its snapshot must end with another one
}

// place is an offset in a file and the checksum of all bytes before that offset.
type place struct {
	offset int64
	sum    uint32
}

func (p *place) pass(b []byte) {
	p.offset += int64(len(b))
	p.sum = Sum(p.sum, b)
}

// NewDecoder returns a decoder for a journal of facts. The header can be Magic or MagicSynced.
func NewDecoder(r io.Reader) *Decoder { return NewFrames(r, Magic) }

// NewFrames returns a decoder for a file of records with the header magic.
func NewFrames(r io.Reader, magic string) *Decoder { return &Decoder{r: r, magic: magic} }

// Offset returns the offset of the end of the last good record, or of the header if there is none.
// If Next has reported that records before a mark are missing, duplicated, or misplaced, Offset
// returns the end of the previous mark or of the header, although Next has returned the facts in
// between.
func (d *Decoder) Offset() int64 { return d.at.offset }

// Snapshot returns the offset after the mark that ends the snapshot. It is 0 until the Decoder has
// read that mark, and if the writer did not mark the end.
func (d *Decoder) Snapshot() int64 { return d.snapshot }

// Sum returns the checksum of all bytes before Offset. chained reports whether marks in this file
// need the checksum, because its header is MagicSynced.
func (d *Decoder) Sum() (sum uint32, chained bool) { return d.at.sum, d.chained }

// Next decodes the next fact into e. It returns io.EOF at a clean end and ErrTorn at a torn tail.
// The error is of kind Corrupt if a record is damaged or cannot be decoded, or if the file is not a
// journal of a known version. It is of kind IO if reading fails. Later calls return the same error.
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

// Each calls f with every fact in order until a clean end. It returns the first error from f or
// from Next. f can retain the facts.
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
	if d.at.offset == 0 {
		if err := d.header(); err != nil {
			return nil, err
		}
	}
	for {
		var frame [frameSize]byte
		if n, err := io.ReadFull(d.r, frame[:]); n == 0 && err == io.EOF {
			return nil, d.atEnd(io.EOF)
		} else if err != nil {
			return nil, d.atEnd(torn(err))
		}
		d.buf = d.buf[:0]
		n := binary.LittleEndian.Uint32(frame[:])
		if n > MaxRecord {
			return nil, d.broken(frame[:], "its length exceeds the limit of a record")
		}
		switch err := d.read(int(n)); {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil, d.broken(frame[:], "")
		case err != nil:
			return nil, torn(err)
		}
		if checksum(frame[:4], d.buf) != binary.LittleEndian.Uint32(frame[4:]) {
			return nil, d.broken(frame[:], "its checksum is wrong")
		}
		if n > 0 {
			d.at.pass(frame[:])
			d.at.pass(d.buf)
			return d.buf, nil
		}
		if err := d.passMark(frame[:]); err != nil {
			return nil, err
		}
	}
}

// passMark processes a mark whose frame has been read.
func (d *Decoder) passMark(frame []byte) error {
	if d.chained {
		switch err := d.read(sumSize); {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return d.broken(frame, "")
		case err != nil:
			return torn(err)
		}
		if binary.LittleEndian.Uint32(d.buf) != d.at.sum {
			err := d.broken(frame, "the checksum after the mark is wrong")
			if failure.Is(err, failure.Corrupt) {
				mark := d.at.offset
				d.at = d.mark
				err = d.damage(fmt.Sprintf("between here and byte %d, a record is missing, duplicated, or misplaced", mark))
			}
			return err
		}
	}
	first := d.at.offset == int64(len(d.magic))
	d.at.pass(frame)
	d.at.pass(d.buf)
	d.mark = d.at
	switch {
	case first:
		d.synced = true
	case !d.marked:
		d.marked, d.snapshot = true, d.at.offset
	}
	return nil
}

// atEnd returns the error at the end of the file. This is end, or an error of kind Corrupt if the
// mark after the snapshot is missing although the writer synced the snapshot. A crash cannot cause
// that, because a snapshot is durable before its first use.
func (d *Decoder) atEnd(end error) error {
	if d.synced && !d.marked && (end == io.EOF || end == ErrTorn) {
		return d.damage("the end of the snapshot is missing")
	}
	return end
}

func (d *Decoder) damage(why string) error {
	return failure.New(failure.Corrupt, "read record", fmt.Sprintf("at byte %d", d.at.offset), errors.New(why))
}

// broken returns the error for a broken record. It is ErrTorn if a crash during the last write
// explains the record. why is the reason for any other error; it is "" if the file ends inside the
// record.
func (d *Decoder) broken(frame []byte, why string) error {
	more, err := io.ReadAll(io.LimitReader(d.r, MaxRecord))
	if err != nil {
		return torn(err)
	}
	rest := slices.Concat(frame, d.buf, more)
	switch {
	case d.laterWrite(rest[1:]):
		why = cmp.Or(why, "its length is wrong") + ", and a later write follows"
	case d.marked && disk.HasHole(rest, d.at.offset):
		return ErrTorn
	case holdsRecord(rest[1:]):
		why = cmp.Or(why, "its length is wrong") + ", and more records follow"
	case why == "" || disk.HasHole(rest, d.at.offset):
		return d.atEnd(ErrTorn)
	}
	return d.damage(why)
}

// laterWrite reports whether b contains a mark at its end or before an intact record. Everything before
// such a mark was durable when the mark was written.
func (d *Decoder) laterWrite(b []byte) bool {
	sum := 0
	if d.chained {
		sum = sumSize
	}
	for {
		_, after, found := bytes.Cut(b, Mark)
		if !found {
			return false
		}
		if len(after) <= sum || intact(after[sum:]) {
			return true
		}
		b = after
	}
}

// intact reports whether b begins with a record that has a payload and a correct checksum.
func intact(b []byte) bool {
	if len(b) < frameSize {
		return false
	}
	n := binary.LittleEndian.Uint32(b)
	return n > 0 && uint64(n) <= uint64(len(b)-frameSize) &&
		checksum(b[:4], b[frameSize:frameSize+n]) == binary.LittleEndian.Uint32(b[4:])
}

// holdsRecord reports whether it finds an intact record in b. It tries every position, because a
// damaged length does not show where the next record begins.
func holdsRecord(b []byte) bool {
	budget := 4 << 30 // maximum number of bytes to checksum; a following record is usually near
	for ; len(b) > frameSize && budget > 0; b = b[1:] {
		if intact(b) {
			return true
		}
		if n := binary.LittleEndian.Uint32(b); uint64(n) <= uint64(len(b)-frameSize) {
			budget -= int(n)
		}
	}
	return false
}

// Salvage returns the facts of all intact records in b, which can begin anywhere in a journal.
func Salvage(b []byte) iter.Seq[*event.Event] {
	return func(yield func(*event.Event) bool) {
		for len(b) > frameSize {
			if !intact(b) {
				b = b[1:]
				continue
			}
			n := frameSize + binary.LittleEndian.Uint32(b)
			var e event.Event
			if DecodeEvent(b[frameSize:n], &e) == nil && !yield(&e) {
				return
			}
			b = b[n:]
		}
	}
}

// read fills the buffer to n bytes, piece by piece, so that a damaged length does not allocate
// memory for missing data.
func (d *Decoder) read(n int) error {
	const piece = 1 << 20
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

// ErrNoJournal is the error for a file that does not begin like a journal.
var ErrNoJournal = errors.New("it is not a journal")

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
	d.chained = d.magic == Magic && string(got) == MagicSynced
	if string(got) != d.magic && !d.chained {
		return failure.New(failure.Corrupt, "open journal", "",
			fmt.Errorf("%w: the file begins with %q, not %q", ErrNoJournal, got, d.magic)).
			Fix("if it is a journal, it is from another version of howdah")
	}
	d.at.pass(got)
	d.mark = d.at
	return nil
}

func torn(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTorn
	}
	return failure.New(failure.IO, "read journal", "", err)
}
