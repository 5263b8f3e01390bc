package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/job/failure"
)

// MainAs is like Main, but name is the name by which the user called the program. If it is hadoop,
// mapred, or hdfs, MainAs accepts that program's sub-commands and returns its exit codes.
func MainAs(name string, args []string) int {
	heap.Delay(heap.Small)
	name = filepath.Base(name)
	if hadoopCommands[name] == nil {
		return Main(args)
	}
	ctx, stop := interruptible()
	defer stop()
	return runAs(ctx, name, args, os.Stdin, os.Stdout, os.Stderr)
}

// hadoopCommands maps the name of a Hadoop program and the name of its sub-command to a howdah
// command.
var hadoopCommands = map[string]map[string][]string{
	"hadoop": {
		"fs": {"fs"}, "dfs": {"fs"}, "jar": {"jar"}, "job": {"job"}, "queue": {"queue"}, "version": {"version"},
		"distcp": {"distcp"}, "fsck": {"fsck"}, "archive": {"archive"}, "daemonlog": {"daemonlog"},
		"dfsadmin": {"dfsadmin"},
		"mradmin":  {"admin"}, "jobtracker": {"jobtracker"}, "tasktracker": {"tasktracker"},
	},
	"mapred": {
		"job": {"job"}, "queue": {"queue"}, "streaming": {"streaming"}, "version": {"version"},
		"distcp": {"distcp"}, "archive": {"archive"}, "minicluster": {"minicluster"},
		"jobtracker": {"jobtracker"}, "tasktracker": {"tasktracker"},
		"mradmin": {"admin"},
	},
	"hdfs": {
		"dfs": {"fs"}, "getconf": {"getconf"}, "version": {"version"}, "dfsadmin": {"dfsadmin"},
		"fsck": {"fsck"}, "haadmin": {"haadmin"},
	},
}

// runAs runs a command under the name of one of Hadoop's programs and returns its exit code.
func runAs(ctx context.Context, program string, args []string, in io.Reader, out, errOut io.Writer) int {
	s := &session{in: in, out: out, err: errOut, program: program}
	args = s.dropShellOptions(args)
	known := s.commandsOf(program)
	if len(args) == 0 || arguments.AsksForHelp(args[0]) {
		fmt.Fprintf(out, "Usage: %s [--config confdir] COMMAND\nCOMMAND is one of: %s\n", program, strings.Join(known, " "))
		if len(args) == 0 {
			return 1
		}
		return 0
	}
	if !slices.Contains(known, args[0]) {
		fmt.Fprintf(errOut, "ERROR: %s is not COMMAND nor fully qualified CLASSNAME.\n%s here has: %s\n", args[0], program,
			strings.Join(known, " "))
		return 1
	}
	if args[0] == "getconf" {
		return s.getconf(args[1:])
	}
	return s.run1(ctx, append(slices.Clone(hadoopCommands[program][args[0]]), args[1:]...))
}

// commandsOf lists the sub-commands of a Hadoop program that howdah also has.
func (s *session) commandsOf(program string) []string {
	there := s.app().Commands
	var names []string
	for name, words := range hadoopCommands[program] {
		if words[0] == "getconf" || arguments.Find(there, words[0]) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// dropShellOptions removes leading options of Hadoop's start scripts. It applies --config and
// ignores the other options.
func (s *session) dropShellOptions(args []string) []string {
	for len(args) > 0 {
		switch {
		case args[0] == "--config" && len(args) > 1:
			s.generic.ConfigDir = args[1]
			args = args[2:]
		case args[0] == "--loglevel" && len(args) > 1:
			args = args[2:]
		case args[0] == "--debug":
			args = args[1:]
		default:
			return args
		}
	}
	return args
}

// hadoopCode returns the exit code of Hadoop's own command for an error. Some commands, such as fs
// and streaming, choose their exit codes themselves.
func hadoopCode(command string, kind failure.Kind) int {
	switch {
	case kind == failure.Failed || kind == failure.Killed:
		return 1
	case command == "jar" && kind == failure.Usage:
		return 2 // exit code of Hadoop's examples for invalid arguments
	case command == "jar", kind == failure.Usage, kind == failure.NotFound:
		return 255 // Java's System.exit(-1)
	}
	return 1 // an uncaught exception
}
