package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/cli/fs"
	"github.com/howdah/howdah/internal/progress"
)

// fsCommand returns the counterpart of `hadoop fs`. Its options, messages, and exit codes match
// Hadoop's.
func (s *session) fsCommand() *urfave.Command {
	return s.shellCommand("fs", "list and change files, like hadoop fs", fs.Lines(), fs.Verbs(), s.fs)
}

// shellCommand returns a command whose sub-commands have Hadoop's options, messages, and exit
// codes. lines describe the sub-commands, and verbs are their names. Unlike Hadoop, the command
// accepts --help, also after a sub-command, and suggests a sub-command for an unknown one.
func (s *session) shellCommand(name, usage string, lines, verbs []string,
	run func(ctx context.Context, args []string) error) *urfave.Command {
	return &urfave.Command{
		Name: name, Usage: usage, ArgsUsage: "-COMMAND ARGS...", SkipFlagParsing: true, HideHelpCommand: true,
		Description: "howdah " + name + " -help COMMAND explains a command. The commands:\n" + strings.Join(lines, "\n"),
		Action: func(c *urfave.Context) error {
			args := c.Args().Slice()
			switch {
			case len(args) == 1 && args[0] != "-help" && arguments.AsksForHelp(args[0]):
				return urfave.ShowCommandHelp(c, name)
			case len(args) > 1 && args[1] == "--help":
				args = []string{"-help", args[0]}
			}
			err := run(c.Context, args)
			if s.code != 0 && len(args) > 0 && !slices.Contains(verbs, "-"+strings.TrimPrefix(args[0], "-")) {
				fmt.Fprint(s.err, arguments.Hint("-"+strings.TrimLeft(args[0], "-"), verbs, "howdah "+name+" --help"))
			}
			return err
		},
	}
}

// terminalConfig returns the configuration for interactive commands. Unless the user sets a time to
// wait, these commands report an error while HDFS is in safe mode instead of waiting until safe
// mode ends.
func (s *session) terminalConfig(ctx context.Context) (*conf.Config, error) {
	cfg, err := s.filesConfig(ctx)
	if err != nil {
		return nil, err
	}
	if cfg.IsDefault(conf.HDFSSafeModeTimeout.Name) {
		cfg.Set(conf.HDFSSafeModeTimeout.Name, "0", "the command")
	}
	return cfg, nil
}

func (s *session) fs(ctx context.Context, args []string) error {
	cfg, err := s.terminalConfig(ctx)
	if err != nil {
		return err
	}
	r, err := schemes.Resolver(cfg, schemes.Warn(s.err))
	if err != nil {
		return err
	}
	defer r.Close()
	set, err := fs.FromConf(cfg)
	if err != nil {
		return err
	}
	set.Terminal = progress.Terminal(s.err)
	s.code = fs.Run(ctx, r, set, args, s.in, s.out, s.err)
	return nil
}
