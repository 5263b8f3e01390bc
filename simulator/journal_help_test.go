package simulator_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// facts reads a journal.
func facts(t *testing.T, journal []byte) (list []event.Event) {
	d := history.NewDecoder(bytes.NewReader(journal))
	for {
		var e event.Event
		err := d.Next(&e)
		if err != nil {
			require.EqualError(t, err, "EOF")
			return list
		}
		list = append(list, e)
	}
}

// requireSameJournal fails with the first fact in which two journals differ.
func requireSameJournal(t *testing.T, a, b []byte, msg string) {
	t.Helper()
	if bytes.Equal(a, b) {
		return
	}
	x, y := facts(t, a), facts(t, b)
	for i := range min(len(x), len(y)) {
		require.Equal(t, line(&x[i]), line(&y[i]), "%s: fact %d after %s", msg, i, line(&x[max(0, i-1)]))
	}
	require.Len(t, y, len(x), msg)
}

func line(e *event.Event) string {
	return fmt.Sprintf("%d %v job %d tracker %d attempt %+v slot %v %v %v slots %v sorted %d %s", e.Time, e.Type, e.Job,
		e.Tracker, e.Attempt, e.Slot, e.State, e.TaskState, e.Slots, e.SortDone, e.Text)
}
