// Package doctor examines the machine, the configuration, and the cluster, and suggests remedies
// for its findings.
package doctor

import (
	"context"
	"fmt"
	"io"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/job/failure"
)

// The types and levels of findings.
type (
	Level   = diagnosis.Level
	Finding = diagnosis.Finding
)

// The levels, from the least to the most severe.
const (
	OK   = diagnosis.OK
	Note = diagnosis.Note
	Warn = diagnosis.Warn
	Fail = diagnosis.Fail
)

// Report is a list of findings.
type Report diagnosis.Report

func (r *Report) add(l Level, check, remedy, format string, args ...any) {
	(*diagnosis.Report)(r).Add(l, check, remedy, format, args...)
}

func (r *Report) fail(k failure.Kind, check, remedy, format string, args ...any) {
	(*diagnosis.Report)(r).Fail(k, check, remedy, format, args...)
}

// Dial is a function that connects to a JobTracker.
type Dial func(address string) (*client.Client, error)

// Storage is a function that stats the root of the default file system.
type Storage func(context.Context) error

// Examine runs all checks and returns their findings. c contains the configuration that was loaded.
// unread is the error from loading it, or nil.
func Examine(ctx context.Context, c *conf.Config, unread error, storage Storage, dial Dial) Report {
	var r Report
	if unread != nil {
		r.failed("configuration", unread)
	}
	r.configuration(c)
	r.security(ctx, c)
	r.storage(ctx, c, storage)
	cluster := r.jobTracker(ctx, c, dial)
	r.localDirs(c)
	r.ports(c, cluster)
	r.memory(c)
	r.limits()
	r.clock()
	r.cgroups(ctx, c)
	r.neighbors(c)
	return r
}

// Write prints each finding on a line, followed by a line with its remedy if it has one.
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

// ExitCode returns the exit code of the first failure, or 0 if there are no failures.
func (r Report) ExitCode() int {
	for _, f := range r {
		if f.Level == Fail {
			return f.Kind.ExitCode()
		}
	}
	return 0
}
