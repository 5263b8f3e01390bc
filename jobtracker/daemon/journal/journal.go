// Package journal keeps the JobTracker's facts on a local disk (internal/factlog) in the format of
// package history.
package journal

import (
	"bufio"
	"fmt"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// Journal is the open journal of one directory. It is not safe for concurrent use. A file of an earlier
// version keeps its format until Rotate replaces it. Grown always reports true for such a file.
type Journal struct {
	*factlog.Log
	sum uint32 // checksum of the file
	old bool   // the marks in the file have no checksums
	buf []byte
}

// Torn describes the bytes that Open removed from the end of the journal.
type Torn = factlog.Torn

// Open locks the directory, creates it if necessary, and passes every fact of the journal to apply,
// in order. If another process uses the directory, the error is of kind Exists. Open moves an
// incomplete record at the end to a file next to the journal. fs is the file system that the
// journal writes to; nil means disk.OS.
func Open(dir string, fs disk.FS, apply func(*event.Event) error) (*Journal, Torn, error) {
	j := &Journal{sum: history.Sum(headerSum, format.Empty)}
	f := format
	f.Disk = fs
	f.Replay = func(r io.Reader) (good, snapshot int64, err error) {
		d := history.NewDecoder(bufio.NewReaderSize(r, 1<<20))
		err = replay(d, apply)
		j.take(d)
		return d.Offset(), d.Snapshot(), err
	}
	var torn Torn
	var err error
	if j.Log, torn, err = factlog.Open(dir, f); err != nil {
		return nil, Torn{}, err
	}
	return j, torn, nil
}

var (
	header    = history.AppendSyncedHeader(nil)
	headerSum = history.Sum(0, header)
)

var format = factlog.Format{Header: header, Empty: history.AppendMark(nil, headerSum), Owner: "JobTracker",
	Key:    conf.JobTrackerDir.Name,
	Repair: "run howdah jobtracker --repair, which shows what a cut at the damage would lose"}

// take prepares the journal to append to a file that a decoder has read.
func (j *Journal) take(d *history.Decoder) {
	sum, chained := d.Sum()
	j.sum, j.old = sum, !chained
}

// replay applies all complete records.
func replay(d *history.Decoder, apply func(*event.Event) error) error {
	for {
		var e event.Event
		switch err := d.Next(&e); {
		case err == io.EOF, err == history.ErrTorn:
			return nil
		case err != nil:
			return err
		}
		if err := apply(&e); err != nil {
			return fmt.Errorf("fact at byte %d: %w", d.Offset(), err)
		}
	}
}

// maxBuf is the maximum size of the buffer that a Journal keeps between two writes, in bytes. The
// submission of a large job needs a much larger one.
const maxBuf = 1 << 20

// Append writes encoded facts and makes them durable.
func (j *Journal) Append(facts []byte) error {
	if j.old {
		j.buf = append(append(j.buf[:0], history.Mark...), facts...)
	} else {
		j.buf = append(history.AppendMark(j.buf[:0], j.sum), facts...)
	}
	err := j.Log.Append(j.buf)
	if err == nil {
		j.sum = history.Sum(j.sum, j.buf)
	}
	if cap(j.buf) > maxBuf {
		j.buf = nil
	}
	return err
}

// Rotate begins a new file with encoded facts, in parts, that rebuild the current state.
func (j *Journal) Rotate(snapshot ...[]byte) error {
	sum := headerSum
	for _, part := range snapshot {
		sum = history.Sum(sum, part)
	}
	mark := history.AppendMark(nil, sum)
	err := j.Log.Rotate(append(snapshot, mark)...)
	if err == nil {
		j.sum, j.old = history.Sum(sum, mark), false
	}
	return err
}

// Grown reports whether a new snapshot should replace the file.
func (j *Journal) Grown() bool { return j.old || j.Log.Grown() }
