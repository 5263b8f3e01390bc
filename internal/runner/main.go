package runner

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/howdah/howdah/job/failure"
)

// AsksForHelp reports whether a program's only argument asks for its usage.
func AsksForHelp(args []string) bool {
	return len(args) == 1 && slices.Contains([]string{"--help", "-help", "-h"}, args[0])
}

// Main runs f with a context that SIGINT or SIGTERM cancels. It prints f's error, unless the user
// has already seen it, and returns the exit code.
func Main(f func(ctx context.Context) error) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	err := f(ctx)
	if err == nil {
		return 0
	}
	if !Told(err) {
		fmt.Fprintln(os.Stderr, err)
	}
	return failure.KindOf(err).ExitCode()
}
