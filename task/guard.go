package task

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/howdah/howdah/job/failure"
)

// guard calls user code. It turns a panic into an error of kind User and writes the stack to
// env.Log. If f calls runtime.Goexit, as some test helpers do, guard does not detect it.
func guard(env *Env, what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(env.Log, "panic in %s: %v\n%s", what, p, userFrames(debug.Stack()))
			err = failure.New(failure.User, what, "", fmt.Errorf("panic: %v", p)).
				Fix("the stack is " + cmp.Or(env.LogPlace, "in the task's log"))
		}
	}()
	return f()
}

// userFrames returns stack without guard's callers, which are the same for every task, and without
// the frames of the panic itself. The rest usually fits into the part of the log that a client
// prints.
func userFrames(stack []byte) []byte {
	head, rest, ok := bytes.Cut(stack, []byte("\n"))
	_, rest, thrown := bytes.Cut(rest, []byte("\npanic("))
	_, rest, line := bytes.Cut(rest, []byte("\n\t"))
	_, rest, frame := bytes.Cut(rest, []byte("\n"))
	if end := bytes.Index(rest, []byte("howdah/task.guard(")); ok && thrown && line && frame && end >= 0 {
		return slices.Concat(head, []byte("\n"), rest[:bytes.LastIndexByte(rest[:end], '\n')+1])
	}
	return stack
}

// userError returns err, an error from user code, with the kind User. A *failure.Error keeps its
// kind. An error about a full disk also keeps its kind, because it is not the user code's fault. If
// ctx has ended, userError returns the reason for that instead.
func userError(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	var e *failure.Error
	if errors.As(err, &e) && e.Kind != failure.Unknown {
		return err
	}
	if k := failure.KindOf(err); k == failure.DiskFull {
		return failure.New(k, what, "", err)
	}
	return failure.New(failure.User, what, "", err)
}

// stopped returns the error for an attempt whose context was canceled.
func stopped(ctx context.Context) error {
	cause := context.Cause(ctx)
	if k := failure.KindOf(cause); k != failure.Unknown {
		return failure.New(k, "run attempt", "", cause)
	}
	return failure.New(failure.Killed, "run attempt", "", cause)
}
