// Package diagnosis contains findings about a cluster, and explains why a job makes no progress. Start
// with [Waiting].
package diagnosis

import (
	"fmt"

	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/job/failure"
)

// Level is the severity of a finding.
type Level string

// The levels, from the least to the most severe.
const (
	OK   Level = "ok"   // no problem
	Note Level = "note" // information that requires no action
	Warn Level = "warn" // works, but with limitations
	Fail Level = "FAIL" // does not work
)

// MarshalText returns the level in upper case, as JSON contains states.
func (l Level) MarshalText() ([]byte, error) { return []byte(jsonout.State(string(l))), nil }

// Finding is the result of one check.
type Finding struct {
	Check  string       `json:"check"`
	Level  Level        `json:"level"`
	Detail string       `json:"detail"`
	Remedy string       `json:"remedy,omitempty"`
	Kind   failure.Kind `json:"-"` // kind of the failure if Level is Fail
}

// Report is a list of findings.
type Report []Finding

// Add adds a finding. remedy can be "".
func (r *Report) Add(l Level, check, remedy, format string, args ...any) {
	*r = append(*r, Finding{Check: check, Level: l, Detail: fmt.Sprintf(format, args...), Remedy: remedy})
}

// Fail adds a finding about something that does not work.
func (r *Report) Fail(k failure.Kind, check, remedy, format string, args ...any) {
	r.Add(Fail, check, remedy, format, args...)
	(*r)[len(*r)-1].Kind = k
}
