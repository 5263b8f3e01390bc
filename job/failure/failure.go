// Package failure defines the error type of howdah. An [Error] contains the operation, its object,
// the cause, and a remedy for the user. Its [Kind] survives RPC (see internal/rpc) and determines the
// exit code of a command.
package failure

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Kind classifies an error. The protocol contains the numbers, so add new kinds at the end.
type Kind uint8

// The kinds. Unknown is the kind of an unclassified error.
const (
	Unknown        Kind = iota
	Usage               // invalid argument, option, or request from the user
	NotFound            // missing file, job, task, or queue
	Exists              // existing object that must not exist, such as the output directory
	Permission          // operation not permitted
	Config              // invalid configuration value
	IO                  // storage failed or answered incorrectly
	DiskFull            // no space left on a local or distributed disk
	Corrupt             // bytes that do not match their checksum or format
	Unreachable         // a daemon or storage does not answer
	User                // error or panic in the user's own code
	RecordTooLarge      // record larger than the memory budget
	OutOfMemory         // task that exceeded its memory
	Timeout             // task without progress, or call that took too long
	Killed              // killed deliberately by a user, preemption, or speculation
	Node                // failure of the node, not of the task
	Interrupted         // the user pressed Ctrl-C
	Stale               // message with an old epoch or protocol version
	Limit               // documented limit reached, such as counters, queue length, or message size
	Failed              // the job failed
	Internal            // bug in howdah
	numKinds
)

var kindNames = [numKinds]string{"unknown", "usage", "not found", "exists", "permission", "configuration", "i/o",
	"disk full", "corrupt", "unreachable", "user code", "record too large", "out of memory", "timeout", "killed", "node",
	"interrupted", "stale", "limit", "failed", "internal"}

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown"
}

// ExitCode returns the exit code of a command that fails with an error of this kind:
//
//   - 1: any error not listed below, such as a job that failed or was killed
//   - 2: bad usage, a missing object, or a missing permission
//   - 3: invalid configuration
//   - 4: the output exists
//   - 5: storage or a network operation failed, or a daemon is unreachable
//   - 6: interrupted
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

// Error is an error with its context. Its message omits empty fields.
type Error struct {
	Op     string // operation, such as "open" or "submit job"
	On     string // object of the operation: a path, an address, or a job ID
	Kind   Kind
	Err    error  // the cause; if it is nil, the message contains Kind
	Remedy string // advice for the user
}

// New returns an *Error. err may be nil if kind and op are enough to describe the error.
func New(kind Kind, op, on string, err error) *Error {
	return &Error{Op: op, On: on, Kind: kind, Err: err}
}

// Fix sets the remedy of e and returns e.
func (e *Error) Fix(remedy string) *Error {
	e.Remedy = remedy
	return e
}

// Error returns the message in the form "op on: why; remedy".
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

// Is reports whether target is the Target of e's kind. It makes errors.Is(err,
// failure.NotFound.Target()) work.
func (e *Error) Is(target error) bool {
	t, ok := target.(kindTarget)
	return ok && Kind(t) == e.Kind
}

type kindTarget Kind

func (t kindTarget) Error() string { return Kind(t).String() }

// Target returns an error for errors.Is, which matches it with every *Error of kind k.
func (k Kind) Target() error { return kindTarget(k) }

// KindOf returns the kind of the outermost *Error in err's chain whose kind is not Unknown. Without
// such an *Error, it returns the kind that corresponds to an error of the standard library, such as
// NotFound for fs.ErrNotExist. For nil and all other errors it returns Unknown.
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

// Is reports whether err is not nil and KindOf(err) is k.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }
