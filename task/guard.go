package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/howdah/howdah/job/failure"
)

// guard calls user code. A panic becomes an error of kind User, its stack goes to the task's log. runtime.Goexit, which a
// test helper might call, cannot be told from a return, so nothing is done about it.
func guard(log io.Writer, what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(log, "panic in %s: %v\n%s", what, p, debug.Stack())
			err = failure.New(failure.User, what, "", fmt.Errorf("panic: %v", p)).Fix("the stack is in the task's log")
		}
	}()
	return f()
}

// userError gives the error of user code a kind. Errors that have one keep it: a full disk under Emit is no fault of the
// mapper's.
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

// stopped is the error of an attempt whose context ended.
func stopped(ctx context.Context) error {
	cause := context.Cause(ctx)
	if k := failure.KindOf(cause); k != failure.Unknown {
		return failure.New(k, "run attempt", "", cause)
	}
	return failure.New(failure.Killed, "run attempt", "", cause)
}
