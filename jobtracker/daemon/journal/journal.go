// Package journal keeps the JobTracker's facts on a local disk (internal/factlog) in the format of
// package history.
package journal

import (
	"bufio"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// Journal is the open journal of one directory.
type Journal = factlog.Log

// Torn describes the bytes that Open removed from the end of the journal.
type Torn = factlog.Torn

// Open locks the directory, creates it if necessary, and passes every fact of the journal to apply,
// in order. If another process uses the directory, the error is of kind Exists. Open moves an
// incomplete record at the end to a file next to the journal. fs makes the changes to files; nil
// means disk.OS.
func Open(dir string, fs disk.FS, apply func(*event.Event) error) (*Journal, Torn, error) {
	f := format(apply)
	f.Disk = fs
	return factlog.Open(dir, f)
}

func format(apply func(*event.Event) error) factlog.Format {
	return factlog.Format{
		Header: history.AppendSyncedHeader(nil), Mark: history.Mark, Owner: "JobTracker", Key: "howdah.jobtracker.dir",
		Replay: func(r io.Reader) (int64, error) { return replay(r, apply) },
		Repair: "run howdah jobtracker --repair, which shows what a cut at the damage would lose",
	}
}

// replay applies all complete records and returns the offset of their end.
func replay(r io.Reader, apply func(*event.Event) error) (int64, error) {
	d := history.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for {
		var e event.Event
		switch err := d.Next(&e); {
		case err == io.EOF, err == history.ErrTorn:
			return d.Offset(), nil
		case err != nil:
			return 0, err
		}
		if err := apply(&e); err != nil {
			return 0, fmt.Errorf("fact at byte %d: %w", d.Offset(), err)
		}
	}
}
