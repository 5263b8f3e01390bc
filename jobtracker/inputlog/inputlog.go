// Package inputlog is the codec of recorded inputs: what a JobTracker was fed, in order, so that the same machine fed the same
// decides the same (jobtracker --record-inputs, --replay-inputs). The journal holds what was decided; this holds why.
//
// A file is Magic and then records framed as in a journal: first one Start, then inputs.
package inputlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// Magic begins a file of recorded inputs; its last character is the version of the format.
const Magic = "howdahi1"

// Start says how the recorded machine began.
type Start struct {
	Config    jobtracker.Config
	Scheduler string            // by which name it was built
	Settings  map[string]string // and with which settings
	Files     []scheduler.File  // and with which files
	// Speculator names the rule of speculative execution; "" = none. It is built with the same settings.
	Speculator string
	Now        int64  // of Recovered
	Journal    []byte // the facts before that, as a journal file; nil = none
}

// AppendStart appends what a file begins with: header and start.
func AppendStart(b []byte, s *Start) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return b, failure.New(failure.Internal, "record inputs", "", err)
	}
	return history.AppendFrame(append(b, Magic...), text)
}

// AppendRecord appends an input as one record.
func AppendRecord(b []byte, in *jobtracker.Input) ([]byte, error) {
	return history.AppendFrame(b, AppendInput(nil, in))
}

// Decoder reads a file of recorded inputs.
type Decoder struct{ d *history.Decoder }

// NewDecoder begins to read and gives how the machine began.
func NewDecoder(r io.Reader) (*Decoder, *Start, error) {
	d := &Decoder{history.NewFrames(r, Magic).Strict()}
	b, err := d.d.Payload()
	if errors.Is(err, io.EOF) {
		err = failure.New(failure.Corrupt, "read recorded inputs", "", errors.New("the file is empty"))
	}
	if err != nil {
		return nil, nil, err
	}
	s := &Start{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, nil, failure.New(failure.Corrupt, "read recorded inputs", "start", err)
	}
	return d, s, nil
}

// Next reads the next input into in. It returns io.EOF at the end and history.ErrTorn if the last record is incomplete; a
// damaged record is of kind Corrupt, and its place is named.
func (d *Decoder) Next(in *jobtracker.Input) error {
	at := d.d.Offset()
	b, err := d.d.Payload()
	if err != nil {
		return err
	}
	if err := DecodeInput(b, in); err != nil {
		return failure.New(failure.Corrupt, "read record", fmt.Sprintf("at byte %d", at), err)
	}
	return nil
}
