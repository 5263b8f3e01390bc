// Package fs is the command `howdah fs`: Hadoop's file-system shell, with the same options, columns, messages and exit
// codes, on every storage that a resolver knows.
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

// Exit codes, as Hadoop's shell has them.
const (
	exitFailed      = 1   // something could not be done; the rest was
	exitInterrupted = 130 // the context ended
	exitUsage       = 255 // Hadoop's -1
)

// Run carries out one command: args are its name and arguments ("-ls", "-R", "/"). Results go to stdout, messages to stderr.
// It gives the exit code of the process.
func Run(ctx context.Context, r dfs.Resolver, set Settings, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &shell{ctx: ctx, resolver: r, set: set, in: stdin, out: bufio.NewWriterSize(stdout, 64<<10), err: stderr}
	if len(args) == 0 {
		s.usages()
		return exitUsage
	}
	return s.run(args[0], args[1:])
}

// shell is one run of one command.
type shell struct {
	ctx      context.Context
	resolver dfs.Resolver
	set      Settings
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	name     string     // of the command, without dash
	mu       sync.Mutex // over what follows and out: several copies may fail at once
	failed   bool
	misused  error // a usageError that an argument turned out to be
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
	if s.failed {
		return exitFailed
	}
	return 0
}

// report tells of an error; the command goes on with its next argument.
func (s *shell) report(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	var u usageError
	if errors.As(err, &u) {
		s.misused = err
	} else if err != errSilent {
		s.complain("%s: %v", s.name, err)
	}
}

func (s *shell) complain(format string, args ...any) {
	s.out.Flush() // what was printed before comes first
	fmt.Fprintf(s.err, format+"\n", args...)
}

func (s *shell) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// stop reports whether there is nobody left to work for.
func (s *shell) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.out.Write(nil) // the first failed write stays
	return s.ctx.Err() != nil || err != nil || s.misused != nil
}

// each calls do for everything that the arguments match. What fails is reported and the rest done.
func (s *shell) each(args []string, do func(*item) error) {
	s.eachTarget(args, func(i *item) error {
		if err := i.missing(); err != nil {
			return err
		}
		return do(i)
	})
}

// eachTarget does the same, whether something is there or not.
func (s *shell) eachTarget(args []string, do func(*item) error) {
	s.eachFound(s.found(args, s.expand), do)
}

// found looks for all arguments before anything is done with one of them.
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
