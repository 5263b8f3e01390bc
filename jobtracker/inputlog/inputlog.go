// Package inputlog encodes and decodes recordings of a JobTracker machine's inputs. A machine that
// has the same start and receives the same inputs makes the same decisions (jobtracker
// --record-inputs, --replay-inputs). The journal contains only the decisions. Start with
// [AppendStart] and [NewDecoder].
//
// A file consists of Magic followed by records, framed as in a journal: one Start, then the inputs.
package inputlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
)

// Magic is the beginning of a recording. Its last character is the version of the format.
const Magic = "howdahi1"

// Start is the initial state of the recorded machine.
type Start struct {
	Config    jobtracker.Config
	Scheduler string            // name of the policy
	Settings  map[string]string // settings of the policy
	Files     []scheduler.File  // files of the policy
	// Speculator is the name of the speculation rule, which uses the same settings; "" means no
	// speculation.
	Speculator string
	Now        int64  // time of Recovered
	Journal    []byte // the facts before the recording, as a journal file; nil = no facts
}

// AppendStart appends the beginning of a file: the header and the Start record.
func AppendStart(b []byte, s *Start) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return b, failure.New(failure.Internal, "record inputs", "", err)
	}
	return history.AppendFrame(append(b, Magic...), text)
}

// AppendRecord appends an input as a framed record.
func AppendRecord(b []byte, in *jobtracker.Input) ([]byte, error) {
	return history.AppendFrame(b, AppendInput(nil, in))
}

// Decoder reads a recording. It is not safe for concurrent use.
type Decoder struct{ d *history.Decoder }

// NewDecoder reads the beginning of a file and returns a Decoder and the file's Start.
func NewDecoder(r io.Reader) (*Decoder, *Start, error) {
	d := &Decoder{history.NewFrames(r, Magic)}
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

// Next decodes the next input into in. It returns io.EOF at the end of the file and history.ErrTorn
// if the last record is incomplete. For a damaged record, it returns an error of kind Corrupt with
// the record's offset.
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
