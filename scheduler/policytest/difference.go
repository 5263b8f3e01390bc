package policytest

import (
	"bytes"
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// same fails the case if two runs led to different journals. The message shows only the first fact
// in which the journals differ, because later differences are consequences. what describes the
// failure, and a and b name the runs.
func (g game) same(what string, a string, ofA []byte, b string, ofB []byte) {
	if bytes.Equal(ofA, ofB) {
		return
	}
	x, y := history.NewDecoder(bytes.NewReader(ofA)), history.NewDecoder(bytes.NewReader(ofB))
	for {
		var one, other event.Event
		errOne, errOther := x.Next(&one), y.Next(&other)
		equal := errOne == nil && errOther == nil && bytes.Equal(record(&one), record(&other))
		if !equal {
			g.failf("%s\nthe first difference:\n  %s: %s\n  %s: %s", what, a, describe(&one, errOne), b,
				describe(&other, errOther))
		}
	}
}

func record(e *event.Event) []byte {
	b, _ := history.AppendRecord(nil, e) // a decoded fact can be encoded again
	return b
}

// describe returns the fact as text. If err is not nil, the text says that the journal has no more
// facts.
func describe(e *event.Event, err error) string {
	if err != nil {
		return "no further decision"
	}
	text := fmt.Sprintf("after %d ms, %v", e.Time-begin, e.Type)
	if e.Job != 0 {
		text += fmt.Sprint(" of job ", e.Job)
	}
	if e.Attempt.Job != 0 {
		kind := map[job.TaskType]string{job.Map: "map", job.Reduce: "reduce"}[e.Attempt.Type]
		text += fmt.Sprintf(", %s %d, attempt %d", kind, e.Attempt.Index, e.Attempt.N)
	}
	if e.Tracker != 0 {
		text += fmt.Sprint(" on tracker ", e.Tracker)
	}
	return text
}
