package journal

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of a line. before is the previous line's checksum.
func checksum(before uint32, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(binary.LittleEndian.AppendUint32(nil, before), castagnoli), castagnoli, body)
}

// unseal splits a line that ends with a checksum into its body, without the closing brace, and the
// checksum. ok is false for any other line.
func unseal(line []byte) (body []byte, sum uint32, ok bool) {
	at := len(line) - sumLength
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sumBefore)) || !bytes.HasSuffix(line, []byte(sumAfter)) {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(string(line[at+len(sumBefore):len(line)-len(sumAfter)]), 16, 32)
	return line[:at], uint32(n), err == nil
}

// decoder reads the lines of a journal in order.
type decoder struct {
	r       *bufio.Reader
	good    int64  // offset after the last good line
	line    int    // number of the last good line
	version int    // 0 means that the header is still to come
	sum     uint32 // checksum of the last good line
	marked  bool   // the snapshot is complete

	snapshot int64 // offset of the snapshot's end; 0 = no mark of the end yet
}

func newDecoder(r io.Reader) *decoder { return &decoder{r: bufio.NewReaderSize(r, 1<<16)} }

// Replay applies all complete facts of a file and returns the offset after the last one. If a line
// is damaged, the error is of kind Corrupt and contains the line number and the offset. Replay
// ignores an incomplete write at the end of the file.
func Replay(r io.Reader, apply func(*mrcluster.Fact) error) (good int64, err error) {
	d := newDecoder(r)
	err = d.each(apply)
	return d.good, err
}

func (d *decoder) each(apply func(*mrcluster.Fact) error) error {
	for {
		var f mrcluster.Fact
		switch err := d.next(&f); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := apply(&f); err != nil {
			return d.damage(err)
		}
	}
}

// next decodes the next fact. It returns io.EOF at the end of the file or where an interrupted
// write begins.
func (d *decoder) next(f *mrcluster.Fact) error {
	for {
		text, err := readLine(d.r)
		if err == io.EOF && len(text) == 0 {
			if d.version == 2 && !d.marked {
				return d.damage(errors.New("the end of the snapshot is missing"))
			}
			return io.EOF
		}
		if err != nil && err != io.EOF {
			return err
		}
		sum, why := d.take(text, f)
		if why != nil {
			return d.broken(text, why)
		}
		d.good += int64(len(text))
		if d.marked && d.snapshot == 0 {
			d.snapshot = d.good
		}
		d.line++
		d.sum = sum
		if f.Kind != 0 {
			return nil
		}
	}
}

// take decodes one line and returns its checksum. For the header and for marks, it updates the
// decoder's state and leaves f unchanged.
func (d *decoder) take(text []byte, f *mrcluster.Fact) (sum uint32, err error) {
	switch {
	case !bytes.HasSuffix(text, []byte("\n")):
		return 0, errIncomplete
	case d.version == 0:
		switch string(text) {
		case header1:
			d.version = 1
		case header2:
			d.version = 2
		default:
			return 0, errors.New("the file is not a manager's journal, or it has another version")
		}
		return checksum(0, text), nil
	case len(text) == 1:
		d.marked = true
		return d.sum, nil
	}
	body, sum, sealed := unseal(text)
	switch {
	case sealed && sum != checksum(d.sum, body):
		return 0, errors.New("the checksum is wrong")
	case sealed:
		text = append(bytes.Clone(body), '}')
	case d.version == 1:
		sum = d.sum
	default:
		return 0, errors.New("the checksum is missing")
	}
	r := json.NewDecoder(bytes.NewReader(text))
	r.DisallowUnknownFields() // a fact with unknown fields would rebuild a different state
	if err = r.Decode(f); err == nil && f.Kind == 0 {
		err = errors.New("the line contains no fact")
	}
	return sum, err
}

var errIncomplete = errors.New("the line is incomplete")

// broken returns the error for an unreadable line. It is io.EOF if a crash during the last write
// explains the line.
func (d *decoder) broken(text []byte, why error) error {
	more, err := io.ReadAll(d.r)
	if err != nil {
		return failure.New(failure.KindOf(err), "read journal", "", err)
	}
	rest := append(text, more...)
	synced := d.version == 2
	switch later := laterLine(rest); {
	case later == "" && why == errIncomplete && (!synced || d.marked) && !complete(text):
		return io.EOF
	case synced && d.marked && later != laterWrite && disk.HasHole(rest, d.good):
		return io.EOF
	case later != "":
		why = fmt.Errorf("%w, and %s follows", why, later)
	}
	return d.damage(why)
}

// complete reports whether text is a whole line with a checksum, even if its last byte, the
// newline, is damaged.
func complete(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	_, _, sealed := unseal(append(bytes.Clone(text[:len(text)-1]), '\n'))
	return sealed
}

const (
	laterRecord = "an intact line"
	laterWrite  = "a later write"
)

// laterLine describes evidence that the journal continues after the damaged line at the start of b.
// The evidence is a later write or an intact line. Without evidence, laterLine returns "". A line
// is intact if its checksum follows from the checksum in the previous line.
func laterLine(b []byte) string {
	if bytes.Contains(b, []byte("\n\n")) { // only the start of a write is an empty line
		return laterWrite
	}
	var before uint32
	known := false
	for line := range bytes.SplitAfterSeq(b, []byte("\n")) {
		body, sum, sealed := unseal(line)
		if sealed && known && sum == checksum(before, body) {
			return laterRecord
		}
		before, known = sum, sealed
	}
	return ""
}

func (d *decoder) damage(why error) error {
	return failure.New(failure.Corrupt, "replay", fmt.Sprintf("line %d at byte %d", d.line+1, d.good), why)
}

// readLine returns a line including its newline. If the last line has no newline, readLine returns
// it together with io.EOF.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > maxLine {
			return nil, failure.New(failure.Corrupt, "replay", "", fmt.Errorf("a line exceeds the limit of %d bytes", maxLine))
		}
	}
}
