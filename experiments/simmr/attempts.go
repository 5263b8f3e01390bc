package simmr

import (
	"bytes"
	"errors"
	"io"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// Attempt is a successful attempt in a journal. Times are in ms since the epoch.
type Attempt struct {
	ID                      job.Attempt
	Tracker                 int32
	Start, SortDone, Finish int64
}

// Attempts returns the successful attempts of a job's maps or reduces, in the order in which they
// started.
func Attempts(journal []byte, seq int32, typ job.TaskType) (list []Attempt, err error) {
	at := map[job.Attempt]int{}
	var all []Attempt
	var ok []bool
	d := history.NewDecoder(bytes.NewReader(journal))
	for {
		var e event.Event
		if err := d.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if e.Job != seq || e.Attempt.Type != typ {
			continue
		}
		switch e.Type {
		case event.AttemptStarted:
			at[e.Attempt] = len(all)
			all = append(all, Attempt{ID: e.Attempt, Tracker: e.Tracker, Start: e.Time})
			ok = append(ok, false)
		case event.AttemptFinished:
			if i, known := at[e.Attempt]; known && e.State == job.AttemptSucceeded {
				all[i].SortDone, all[i].Finish, ok[i] = e.SortDone, e.Time, true
			}
		}
	}
	for i := range all {
		if ok[i] {
			list = append(list, all[i])
		}
	}
	return list, nil
}
