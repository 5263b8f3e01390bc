// Package fs implements `howdah fs`. It is Hadoop's file system shell with the same options,
// columns, messages, and exit codes, for every storage that a resolver supports.
package fs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/howdah/howdah/dfs"
)

// Exit codes of Hadoop's shell.
const (
	exitFailed      = 1   // at least one operation failed
	exitInterrupted = 130 // the context was canceled
	exitUsage       = 255 // Hadoop's -1
)

// Run executes one command and returns the exit code of the process. args contains the command's
// name and arguments ("-ls", "-R", "/"). Results go to stdout and messages to stderr.
func Run(ctx context.Context, r dfs.Resolver, set Settings, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	s := &shell{ctx: ctx, resolver: r, set: set, in: stdin, out: bufio.NewWriterSize(stdout, 64<<10), err: stderr}
	if len(args) == 0 {
		s.usages()
		return exitUsage
	}
	return s.run(args[0], args[1:])
}

// shell is one execution of a command.
type shell struct {
	ctx      context.Context
	resolver dfs.Resolver
	set      Settings
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	name     string     // name of the command, without the dash
	mu       sync.Mutex // guards the following fields and out, because several copies can fail at the same time
	failures int        // number of operations that failed
	misused  error      // the usageError of an invalid argument
}

func (s *shell) run(word string, args []string) int {
	s.name = strings.TrimPrefix(word, "-")
	c := find(s.name)
	if c == nil {
		s.complain("%s: Unknown command", word)
		s.usages()
		return exitUsage
	}
	if c.deprecated != "" {
		s.complain("%s: DEPRECATED: Please use '%s' instead.", s.name, c.deprecated)
	}
	o, rest, err := c.parse(args)
	if err == nil {
		err = c.run(s, o, rest)
	}
	return s.finish(c, err)
}

func (s *shell) finish(c *command, err error) int {
	var u usageError
	switch {
	case errors.As(err, &u), errors.As(s.misused, &u):
		s.complain("-%s: %s", s.name, u)
		s.usages()
		s.complain("Usage: hadoop fs [generic options] %s", c.line(s.name))
		return exitUsage
	case s.ctx.Err() != nil:
		s.out.Flush()
		s.complain("%s: interrupted", s.name)
		return exitInterrupted
	case err != nil:
		s.report(err)
	}
	if s.out.Flush() != nil {
		s.complain("%s: Unable to write to output stream.", s.name)
		return exitFailed
	}
	if s.failed() > 0 {
		return exitFailed
	}
	return 0
}

// report records that the command failed and prints the error. It does not print errSilent or a
// usageError, which finish prints.
func (s *shell) report(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures++
	var u usageError
	if errors.As(err, &u) {
		s.misused = err
	} else if err != errSilent {
		s.complain("%s: %v", s.name, err)
	}
}

// failed returns the number of failures that report has recorded.
func (s *shell) failed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures
}

func (s *shell) complain(format string, args ...any) {
	s.out.Flush() // keeps the order of output and messages
	fmt.Fprintf(s.err, format+"\n", args...)
}

func (s *shell) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// stop reports whether the command must stop because of an interrupt, a failed write to standard
// output, or a usage error.
func (s *shell) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.out.Write(nil) // returns the first write error again
	return s.ctx.Err() != nil || err != nil || s.misused != nil
}

// each calls do for every item that the arguments match. It reports failures and continues.
func (s *shell) each(args []string, do func(*item) error) {
	s.eachTarget(args, func(i *item) error {
		if err := i.missing(); err != nil {
			return err
		}
		return do(i)
	})
}

// eachTarget is like each, but also calls do for paths that do not exist.
func (s *shell) eachTarget(args []string, do func(*item) error) {
	s.eachFound(s.found(args, s.expand), do)
}

// found resolves all arguments and reports failures. Callers use the items afterward, so that no
// operation affects the matches of a later argument.
func (s *shell) found(args []string, expand func(string) ([]*item, error)) []*item {
	var all []*item
	for _, a := range args {
		items, err := expand(a)
		if err != nil {
			s.report(err)
		}
		all = append(all, items...)
	}
	return all
}

func (s *shell) eachFound(items []*item, do func(*item) error) {
	for _, i := range items {
		if s.stop() {
			return
		}
		if err := do(i); err != nil {
			s.report(err)
		}
	}
}
