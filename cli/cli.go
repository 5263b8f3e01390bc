// Package cli is the command line as a library: cmd/howdah calls Main, and a program of one's own may offer the same
// commands. Results go to Out, messages to Err, and the exit code follows the kind of the error (failure.Kind.ExitCode).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/job/failure"
)

// session is one call of the command line.
type session struct {
	in       io.Reader
	out, err io.Writer
	generic  conf.GenericOptions // taken off the arguments by arrange
	code     int                 // exit code of a command that ended without an error of its own
	program  string              // hadoop, mapred or hdfs, when called by that name
}

// Main runs the command that args name (without the program's own name) and gives the exit code.
func Main(args []string) int {
	ctx, stop := interruptible()
	defer stop()
	return run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// interruptible gives a context that Ctrl-C ends; a second one ends the process at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	return (&session{in: in, out: out, err: errOut}).run1(ctx, args)
}

// run1 runs one command.
func (s *session) run1(ctx context.Context, args []string) int {
	app := s.app()
	if s.completeDashes(app.Commands, args) {
		return 0
	}
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

// report prints an error and gives its exit code.
func (s *session) report(err error) int {
	var quiet silent
	if errors.As(err, &quiet) {
		return quiet.code
	}
	fmt.Fprintf(s.err, "howdah: %v\n", err)
	return failure.KindOf(err).ExitCode()
}

// silent is an error about which everything was said already.
type silent struct{ code int }

func (silent) Error() string { return "" }

func usageError(format string, args ...any) error {
	return failure.New(failure.Usage, "usage", "", fmt.Errorf(format, args...))
}

const description = `A Hadoop-compatible MapReduce runtime. Generic options stand before a command's own arguments:
  --config DIR            configuration directory (else $HOWDAH_CONF_DIR, else $HADOOP_CONF_DIR)
  -conf FILE              one more configuration file
  -D key=value            one setting
  -fs URI                 default file system
  -jt local|host:port     JobTracker; local runs jobs in this process
  --mrcluster NAME        MR-cluster, found through the manager of its pool; jobs have it deployed`

func (s *session) app() *urfave.App {
	a := &urfave.App{
		Name: "howdah", Usage: "MapReduce in one binary", Description: description,
		HideVersion: true, EnableBashCompletion: true,
		DisableSliceFlagSeparator: true, // -D a=1,2 is one value
		Reader:                    s.in, Writer: s.out, ErrWriter: s.err,
		ExitErrHandler: func(*urfave.Context, error) {}, // Main decides the exit code
		Action:         s.noCommand,
		Commands: []*urfave.Command{
			s.runCommand(), s.streamingCommand(), s.jarCommand(), s.jobCommand(), s.queueCommand(), s.adminCommand(), s.fsCommand(), s.dfsAdminCommand(), s.distcpCommand(),
			s.jobTrackerCommand(), s.taskTrackerCommand(), s.miniclusterCommand(), s.mrclusterCommand(),
			s.doctorCommand(), s.versionCommand(), s.completionCommand(),
		},
	}
	a.Commands = append(a.Commands, s.labCommands()...)
	a.OnUsageError = func(_ *urfave.Context, err error, _ bool) error {
		return usageError("howdah: %w; howdah help lists all", err)
	}
	arguments.TellUsageErrors("howdah", a.Commands)
	return a
}

// noCommand answers a call without a command, or with one that does not exist.
func (s *session) noCommand(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return urfave.ShowAppHelp(c)
	}
	return arguments.Unknown("command", c.Args().First(), arguments.Names(c.App.Commands, ""), "howdah help")
}

// config loads what the generic options name and prints warnings about it once.
func (s *session) config() (*conf.Config, error) {
	c, err := s.generic.Load()
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings() {
		fmt.Fprintln(s.err, "howdah: warning:", w)
	}
	return c, nil
}

// exactly refuses a wrong number of arguments.
func exactly(c *urfave.Context, n int) error {
	if c.Args().Len() == n {
		return nil
	}
	return usageError("%s takes %d arguments, not %d: %s", c.Command.HelpName, n, c.Args().Len(), strings.TrimSpace(c.Command.HelpName+" "+c.Command.ArgsUsage))
}
