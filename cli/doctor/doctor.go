// Package doctor looks at the machine, the configuration and the cluster, and says what to do about what it finds.
package doctor

import (
	"context"
	"fmt"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// Level says how bad a finding is.
type Level string

// The levels.
const (
	OK   Level = "ok"   // as it should be
	Note Level = "note" // worth knowing, nothing to do
	Warn Level = "warn" // works, but not well
	Fail Level = "FAIL" // something will not work
)

// Finding is the result of one check.
type Finding struct {
	Check  string       `json:"check"`
	Level  Level        `json:"level"`
	Detail string       `json:"detail"`
	Remedy string       `json:"remedy,omitempty"`
	Kind   failure.Kind `json:"-"` // of a Fail
}

// Report is what the doctor found.
type Report []Finding

func (r *Report) add(l Level, check, remedy, format string, args ...any) {
	*r = append(*r, Finding{Check: check, Level: l, Detail: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (r *Report) fail(k failure.Kind, check, remedy, format string, args ...any) {
	r.add(Fail, check, remedy, format, args...)
	(*r)[len(*r)-1].Kind = k
}

// Dial connects to a JobTracker; close when done.
type Dial func(address string) (c client.JobsClient, close func() error, err error)

// Storage looks at the root of the default file system.
type Storage func(context.Context) error

// Examine runs all checks.
func Examine(ctx context.Context, c *conf.Config, storage Storage, dial Dial) Report {
	var r Report
	r.configuration(c)
	r.security(ctx, c)
	r.storage(ctx, c, storage)
	r.jobTracker(ctx, c, dial)
	r.localDirs(c)
	r.ports(c)
	r.memory(c)
	r.limits()
	r.clock()
	r.cgroups(ctx, c)
	r.neighbours(c)
	return r
}

// Write prints the findings, one a line, with the remedy below.
func (r Report) Write(w io.Writer) error {
	var err error
	for _, f := range r {
		_, err = fmt.Fprintf(w, "%-4s  %-14s %s\n", f.Level, f.Check, f.Detail)
		if f.Remedy != "" {
			_, err = fmt.Fprintf(w, "%-4s  %-14s -> %s\n", "", "", f.Remedy)
		}
	}
	return err
}

// ExitCode gives 0 if nothing failed, else the code of the first failure.
func (r Report) ExitCode() int {
	for _, f := range r {
		if f.Level == Fail {
			return f.Kind.ExitCode()
		}
	}
	return 0
}
