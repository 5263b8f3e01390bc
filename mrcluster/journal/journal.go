// Package journal stores the facts of the MR-cluster manager on a local disk (internal/factlog).
// Each fact is a line of human-readable JSON. Start with Open.
//
// In a file of version 2, each fact ends with a checksum of its line and all lines before it. An
// empty line ends the snapshot at the start of the file and begins every later write. The manager
// writes later empty lines only after the previous write is durable. Lines in a file of version 1
// need no checksum. The manager replaces such a file after its first write.
package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// The first line of a journal file.
const (
	header1 = `{"howdah":"mrcluster-journal","version":1}` + "\n"
	header2 = `{"howdah":"mrcluster-journal","version":2}` + "\n"
)

// mark ends the snapshot and begins every later write.
const mark = "\n"

// maxLine is the maximum length of a fact in bytes. The machine limits the text in facts, so a
// snapshot of the largest pool is much shorter.
const maxLine = 1 << 30

// Journal is the open journal in a directory. It is not safe for concurrent use.
type Journal struct {
	*factlog.Log
	sum uint32 // checksum of the last line
	old bool   // the file has version 1
	buf []byte
}

// Open locks the directory, which it creates if necessary, and passes every fact of the journal to
// apply, in order. It removes an incomplete write at the end of the journal and stores the removed
// bytes in a separate file. It returns an error of kind Exists if another manager uses the
// directory, and an error of kind Corrupt, with file and offset, if the journal is damaged. key is
// the directory's configuration key, for error messages. fs makes the changes to files; nil means
// disk.OS.
func Open(dir, key string, fs disk.FS, apply func(*mrcluster.Fact) error) (*Journal, factlog.Torn, error) {
	j := &Journal{sum: checksum(0, []byte(header2))}
	f := format(key)
	f.Disk = fs
	f.Replay = func(r io.Reader) (good, snapshot int64, err error) {
		d := newDecoder(r)
		err = d.each(apply)
		j.sum, j.old = d.sum, d.version == 1
		return d.good, d.snapshot, err
	}
	var torn factlog.Torn
	var err error
	j.Log, torn, err = factlog.Open(dir, f)
	return j, torn, err
}

func format(key string) factlog.Format {
	return factlog.Format{Header: []byte(header2), Empty: []byte(mark), Owner: "manager of MR-clusters", Key: key,
		Repair: "run howdah mrcluster manager --repair, which shows what a cut at the damage would lose"}
}

// Append adds checksums to lines that Encode has returned, writes the lines, and makes them durable.
func (j *Journal) Append(lines []byte) error {
	sum := j.sum
	j.buf, sum = seal(append(j.buf[:0], mark...), lines, sum)
	err := j.Log.Append(j.buf)
	if err == nil {
		j.sum = sum
	}
	return err
}

// Rotate begins a new file with lines that Encode has returned, in parts.
func (j *Journal) Rotate(lines ...[]byte) error {
	text, sum := seal(nil, slices.Concat(lines...), checksum(0, []byte(header2)))
	err := j.Log.Rotate(append(text, mark...))
	if err == nil {
		j.sum, j.old = sum, false
	}
	return err
}

// Grown reports whether a new snapshot should replace the file.
func (j *Journal) Grown() bool { return j.old || j.Log.Grown() }

// AppendHeader appends the header of a journal of version 1, whose lines need no checksums.
func AppendHeader(to []byte) []byte { return append(to, header1...) }

// Encode appends facts in the format that Append and Rotate expect.
func Encode(to []byte, facts ...mrcluster.Fact) ([]byte, error) {
	for i := range facts {
		text, err := json.Marshal(&facts[i])
		if err != nil {
			return nil, failure.New(failure.Internal, "encode fact", facts[i].Kind.String(), err)
		}
		if len(text) >= maxLine { // Replay would reject the journal
			return nil, failure.New(failure.Limit, "encode fact", facts[i].Kind.String(),
				fmt.Errorf("%d bytes exceed the limit of %d", len(text), maxLine))
		}
		to = append(append(to, text...), '\n')
	}
	return to, nil
}

// A line ends with its checksum, such as ,"crc":"1a2b3c4d"} before the newline.
const (
	sumBefore = `,"crc":"`
	sumAfter  = "\"}\n"
	sumLength = len(sumBefore) + 8 + len(sumAfter)
)

// seal appends lines with their checksums, which continue from the checksum sum.
func seal(to, lines []byte, sum uint32) ([]byte, uint32) {
	for line := range bytes.SplitAfterSeq(lines, []byte("\n")) {
		if body, ok := bytes.CutSuffix(line, []byte("}\n")); ok {
			sum = checksum(sum, body)
			to = fmt.Appendf(to, "%s%s%08x%s", body, sumBefore, sum, sumAfter)
		} else {
			to = append(to, line...)
		}
	}
	return to, sum
}
