// Package journal keeps the JobTracker's facts on a local disk (internal/factlog), written as history has them.
package journal

import (
	"bufio"
	"fmt"
	"io"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/event"
)

// Journal is the open journal of one directory.
type Journal = factlog.Log

// Torn tells what Open cut off the end of the journal.
type Torn = factlog.Torn

// Open locks the directory, making it if need be, and hands every fact of the journal to apply, in order. A directory that
// another process uses is kind Exists. An incomplete record at the end is cut off and kept beside the journal.
func Open(dir string, apply func(*event.Event) error) (*Journal, Torn, error) {
	return factlog.Open(dir, factlog.Format{
		Header: history.AppendHeader(nil), Owner: "JobTracker", Key: "howdah.jobtracker.dir",
		Replay: func(r io.Reader) (int64, error) { return replay(r, apply) },
	})
}

// replay applies all complete records and returns where they end.
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
