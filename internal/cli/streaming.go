package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/streaming"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

func (s *session) streamingCommand() *urfave.Command {
	return &urfave.Command{
		Name: "streaming", Usage: "run arbitrary executables as the mapper, combiner, and reducer, like Hadoop " +
			"Streaming",
		ArgsUsage: "[generic options] -input PATH -output PATH -mapper COMMAND [-reducer COMMAND] ...",
		Description: "howdah streaming -info explains the options. Exit codes: 1 job failed " +
			"or invalid arguments, 2 bad input path, 3 invalid configuration, 4 output exists, 5 I/O " +
			"error, 6 interrupted.",
		SkipFlagParsing: true, HideHelpCommand: true,
		Action: func(c *urfave.Context) error { return s.streaming(c.Context, c.Args().Slice()) },
	}
}

// streaming runs a Streaming job. Generic options can appear between Streaming's options.
func (s *session) streaming(ctx context.Context, args []string) error {
	err := s.stream(ctx, args)
	if err == nil {
		return nil
	}
	code := s.streamingCode(err)
	if code != failure.Interrupted.ExitCode() {
		fmt.Fprintln(s.err, "Streaming Command Failed!")
	}
	return silent{code}
}

// streamingCode prints err, unless it has already been printed, and returns the exit code. For
// invalid arguments, and for a command that cannot run, Hadoop Streaming uses the same exit code as
// for a failed job. Under Hadoop's names, an error that prevents submission results in 5, as in
// Hadoop 3.
func (s *session) streamingCode(err error) int {
	var bad badArguments
	if errors.As(err, &bad) {
		fmt.Fprintln(s.err, err)
		return 1
	}
	code := s.report(err)
	var said silent
	if s.program == "" || errors.As(err, &said) {
		return code
	}
	switch failure.KindOf(err) {
	case failure.Exists, failure.NotFound, failure.Usage, failure.Permission:
		return failure.IO.ExitCode()
	}
	return code
}

// badArguments is an error for invalid arguments and for arguments that name a command that cannot
// run.
type badArguments struct{ error }

func (b badArguments) Unwrap() error { return b.error }

// argumentError wraps err in badArguments if it is an error in the arguments, but not if it is an
// error in a file that an argument names.
func argumentError(err error) error {
	if failure.Is(err, failure.Usage) {
		return badArguments{err}
	}
	return err
}

func (s *session) stream(ctx context.Context, args []string) error {
	args, err := s.takeGenericAnywhere(args)
	if err != nil {
		return argumentError(err)
	}
	if ok, err := s.typedFiles(ctx, args); ok {
		return argumentError(err)
	}
	if len(args) > 0 && args[0] == "streamjob" { // the optional name of the command
		args = args[1:]
	}
	o, err := streaming.Parse(args)
	if err != nil && s.program == "" && (slices.Contains(args, "--json") || slices.Contains(args, "-json")) {
		return err // exits as all of howdah's own commands do that lack this option
	}
	if err != nil {
		return argumentError(err)
	}
	if o.Help || o.Info {
		return streaming.WriteUsage(s.out, o.Info)
	}
	c, err := s.config()
	if err != nil {
		return err
	}
	if err := o.Configure(c, s.err); err != nil {
		return argumentError(err)
	}
	if err := o.CheckCommands(c, runsHere(c)); err != nil {
		return badArguments{err}
	}
	if o.Verbose {
		s.listSettings(c)
	}
	return s.runStreaming(ctx, o, c, args)
}

// runsHere reports whether jobs run in this process.
func runsHere(c *conf.Config) bool {
	return runner.Local(c) && conf.FrameworkName.Get(c) != "yarn" && conf.MRClusterName.Get(c) == ""
}

// runStreaming runs a Streaming job with the configuration c, which was made from args.
func (s *session) runStreaming(ctx context.Context, o *streaming.Options, c *conf.Config, args []string) error {
	return mrclient.Run(ctx, c, s.err, runner.Unsent, func(ctx context.Context, in *mrclient.InUse) error {
		return s.runStreamingOn(ctx, in, o, c, args)
	})
}

// runStreamingOn is like runOn for a Streaming job with the configuration c.
func (s *session) runStreamingOn(ctx context.Context, mrCluster *mrclient.InUse, o *streaming.Options, c *conf.Config,
	args []string) error {
	if binary, err := s.ownVersion(mrCluster, c); err != nil {
		return err
	} else if binary != "" {
		return s.runBy(ctx, mrCluster, binary, []string{"streaming"}, args)
	}
	fs, err := schemes.Resolver(c, schemes.Warn(s.err))
	if err != nil {
		return err
	}
	defer fs.Close()
	app := &mapreduce.App{Run: func(ctx context.Context, r mapreduce.Runner, _ []string) error {
		return streaming.Run(ctx, r, c)
	}}
	err = runner.Display{Background: o.Background}.Run(ctx, app, nil, c, fs, s.out, s.err)
	if runner.Told(err) {
		return silent{failure.KindOf(err).ExitCode()}
	}
	if err == nil {
		fmt.Fprintln(s.err, "Output directory:", o.Output)
	}
	return err
}

// listSettings prints the output of -verbose.
func (s *session) listSettings(c *conf.Config) {
	fmt.Fprintln(s.out, "STREAM: ==== JobConf properties:")
	for _, p := range c.Properties(false) {
		fmt.Fprintf(s.out, "STREAM: %s=%s\n", p.Name, p.Value)
	}
	fmt.Fprintln(s.out, "STREAM: ====")
}

// takeGenericAnywhere moves generic options from any position in args to s.generic.
func (s *session) takeGenericAnywhere(args []string) ([]string, error) {
	var own []string
	for len(args) > 0 {
		rest, err := s.takeGeneric(args)
		if err != nil {
			return nil, err
		}
		if len(rest) > 0 {
			own, rest = append(own, rest[0]), rest[1:]
		}
		args = rest
	}
	return own, nil
}
