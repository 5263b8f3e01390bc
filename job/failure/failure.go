// Package failure is the error type of the whole project: what was attempted, on what, of which kind, why, and what the
// user can do. The kind survives RPC (see Encode and Decode) and decides the exit code of a command.
package failure

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Kind classifies an error. Kinds are stable on the wire: new ones are appended.
type Kind uint8

// The kinds. Unknown is what an error has that nobody classified.
const (
	Unknown        Kind = iota
	Usage               // bad arguments, bad option, bad request of the user
	NotFound            // a file, job, task or queue that does not exist
	Exists              // something that must not exist does: the output directory
	Permission          // not allowed
	Config              // a configuration value that cannot be used
	IO                  // storage failed or answered wrong
	DiskFull            // no space left on a local or distributed disk
	Corrupt             // bytes that do not match their checksum or their format
	Unreachable         // a daemon or storage does not answer
	User                // the user's own code returned an error or panicked
	RecordTooLarge      // one record above the memory budget
	OutOfMemory         // a task exceeded its memory
	Timeout             // a task reported nothing for too long, or a call took too long
	Killed              // killed on purpose: by the user, by preemption, by speculation
	Node                // the node failed, not the task
	Interrupted         // the user pressed Ctrl-C
	Stale               // a message of an old epoch, an old protocol version
	Limit               // a documented limit was reached: counters, queue length, message size
	Failed              // the job failed
	Internal            // a bug of ours
	numKinds
)

var kindNames = [numKinds]string{"unknown", "usage", "not found", "exists", "permission", "configuration", "i/o", "disk full", "corrupt",
	"unreachable", "user code", "record too large", "out of memory", "timeout", "killed", "node", "interrupted", "stale", "limit", "failed", "internal"}

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown"
}

// ExitCode gives the exit code of a command that ends with an error of this kind: 1 the job failed or was killed, 2 bad
// input path or usage, which includes what the user has no right to, 3 invalid configuration, 4 output exists, 5 storage or
// JobTracker unreachable, 6 interrupted.
func (k Kind) ExitCode() int {
	switch k {
	case Usage, NotFound, Permission:
		return 2
	case Config:
		return 3
	case Exists:
		return 4
	case IO, DiskFull, Corrupt, Unreachable:
		return 5
	case Interrupted:
		return 6
	}
	return 1
}

// Error is an error with its circumstances. Empty fields are left out of the message.
type Error struct {
	Op     string // what was attempted: "open", "submit job"
	On     string // on what: a path, an address, a job id
	Kind   Kind
	Err    error  // why
	Remedy string // what to do about it
}

// New builds an *Error. err may be nil when kind and op say it all.
func New(kind Kind, op, on string, err error) *Error {
	return &Error{Op: op, On: on, Kind: kind, Err: err}
}

// Fix sets what the user can do about the error and returns the error itself.
func (e *Error) Fix(remedy string) *Error {
	e.Remedy = remedy
	return e
}

// Error gives "op on: why; remedy" on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.On != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.On)
	}
	if e.Err != nil {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	} else {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Kind.String())
	}
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, failure.NotFound.Target()) work on kinds.
func (e *Error) Is(target error) bool {
	t, ok := target.(kindTarget)
	return ok && Kind(t) == e.Kind
}

type kindTarget Kind

func (t kindTarget) Error() string { return Kind(t).String() }

// Target gives an error that errors.Is matches against every error of the kind.
func (k Kind) Target() error { return kindTarget(k) }

// KindOf classifies any error: an *Error by its kind, the standard library's by their meaning, nil and the rest as Unknown.
func KindOf(err error) Kind {
	var e *Error
	for errors.As(err, &e) {
		if e.Kind != Unknown {
			return e.Kind
		}
		err = e.Err
	}
	switch {
	case err == nil:
		return Unknown
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrExist):
		return Exists
	case errors.Is(err, fs.ErrPermission):
		return Permission
	case errors.Is(err, context.Canceled):
		return Killed
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Timeout
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EHOSTUNREACH):
		return Unreachable
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.EROFS):
		return IO
	}
	return Unknown
}

// Is reports whether err is of the kind.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }
