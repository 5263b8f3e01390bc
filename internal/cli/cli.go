// Package cli is the command line as a library, which cmd/howdah calls through MainAs. Results go
// to standard output and messages to standard error. The kind of an error determines the exit code
// (failure.Kind.ExitCode), except for commands with Hadoop's exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
)

// session is one invocation of the command line.
type session struct {
	in       io.Reader
	out, err io.Writer
	generic  conf.GenericOptions // generic options that arrange has removed from the arguments
	code     int                 // exit code of a command that returned no error
	// sends reports whether the command sends a setting to a daemon, which then warns of an unknown key.
	// nil means that the command sends none.
	sends   func(key string) bool
	program string // hadoop, mapred, or hdfs if the user called the program by that name
}

// Main runs the command in args, which excludes the program's own name, and returns the exit code.
func Main(args []string) int {
	ctx, stop := interruptible()
	defer stop()
	return run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// interruptible returns a context that Ctrl-C or SIGTERM cancels. A second signal ends the process
// immediately.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	return (&session{in: in, out: out, err: errOut}).run1(ctx, args)
}

// run1 runs one command, prints its error, and returns the exit code.
func (s *session) run1(ctx context.Context, args []string) int {
	if arguments.Completes(args) {
		s.complete(ctx, args[:len(args)-1])
		return 0
	}
	app := s.app()
	args, err := s.arrange(app.Commands, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{app.Name}, args...))
	}
	if err == nil {
		return s.code
	}
	code := s.report(err)
	var said silent
	if s.program == "" || errors.As(err, &said) {
		return code
	}
	return hadoopCode(args[0], failure.KindOf(err))
}

// report prints an error and returns its exit code.
func (s *session) report(err error) int {
	var quiet silent
	if errors.As(err, &quiet) {
		return quiet.code
	}
	fmt.Fprintf(s.err, "howdah: %v\n", err)
	return failure.KindOf(err).ExitCode()
}

// silent is an error that the command has already reported.
type silent struct{ code int }

func (silent) Error() string { return "" }

func usageError(format string, args ...any) error {
	return failure.New(failure.Usage, "usage", "", fmt.Errorf(format, args...))
}

const description = `A Hadoop-compatible MapReduce runtime. Generic options go before a command's own arguments:
  --config DIR            configuration directory (default: $HOWDAH_CONF_DIR, then $HADOOP_CONF_DIR)
  -conf FILE              additional configuration file
  -D key=value            value of a configuration key
  -fs URI                 default file system
  -jt local|host:port     JobTracker; local runs jobs in this process
  --mrcluster NAME        MR-cluster of the pool; the manager deploys it for a job if necessary
  -files LIST, -archives LIST, -libjars LIST   files for the tasks of a job (howdah run, howdah streaming)`

// App returns howdah's commands, which write to out, for documents that are generated from them.
func App(out io.Writer) *urfave.App { return (&session{out: out, err: io.Discard}).app() }

func (s *session) app() *urfave.App {
	a := &urfave.App{
		Name: "howdah", Usage: "MapReduce in one binary", Description: description,
		HideVersion:               true,
		DisableSliceFlagSeparator: true, // -D a=1,2 is one value
		Reader:                    s.in, Writer: s.out, ErrWriter: s.err,
		ExitErrHandler: func(*urfave.Context, error) {}, // Main returns the exit code
		Action:         s.noCommand,
		Commands: []*urfave.Command{
			s.runCommand(), s.newCommand(), s.streamingCommand(), s.jarCommand(), s.jobCommand(), s.queueCommand(),
			s.topCommand(),
			s.adminCommand(),
			s.fsCommand(), s.distcpCommand(), s.dfsAdminCommand(), s.haAdminCommand(), s.fsckCommand(),
			archiveCommand(), s.daemonLogCommand(),
			s.jobTrackerCommand(), s.taskTrackerCommand(), s.historyServerCommand(), s.miniclusterCommand(),
			s.clusterCommand(), s.mrclusterCommand(), s.tokenCommand(), s.doctorCommand(), s.confCommand(),
			s.versionCommand(), s.completionCommand(),
		},
	}
	a.Commands = append(a.Commands, s.labCommands()...)
	a.OnUsageError = func(_ *urfave.Context, err error, _ bool) error {
		return usageError("howdah: %w; howdah help lists all commands", err)
	}
	arguments.TellUsageErrors("howdah", a.Commands)
	return a
}

// noCommand handles a command line without a command or with an unknown one.
func (s *session) noCommand(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return urfave.ShowAppHelp(c)
	}
	return arguments.Unknown("command", c.Args().First(), arguments.Names(c.App.Commands, ""), "howdah help")
}

// config loads the configuration that the generic options specify, and prints its warnings.
func (s *session) config() (*conf.Config, error) {
	c, err := s.generic.Load()
	if err != nil {
		return nil, err
	}
	told := c
	if s.sends != nil {
		own := s.generic
		own.Set = slices.DeleteFunc(slices.Clone(own.Set), func(p conf.Property) bool {
			return s.sends(p.Name) && conf.Find(p.Name) == nil
		})
		if told, err = own.Load(); err != nil {
			return nil, err
		}
	}
	for _, w := range told.Warnings() {
		fmt.Fprintln(s.err, "howdah: warning:", w)
	}
	return c, nil
}

// taking returns an action that rejects a command line without exactly n arguments.
func taking(n int, action urfave.ActionFunc) urfave.ActionFunc {
	return func(c *urfave.Context) error {
		if err := exactly(c, n); err != nil {
			return err
		}
		return action(c)
	}
}

// exactly returns an error unless the command has n arguments.
func exactly(c *urfave.Context, n int) error {
	if c.Args().Len() == n {
		return nil
	}
	return usageError("%s needs %s, got %d: %s", c.Command.HelpName, plural.Of(n, "argument"), c.Args().Len(),
		strings.TrimSpace(c.Command.HelpName+" "+c.Command.ArgsUsage))
}
