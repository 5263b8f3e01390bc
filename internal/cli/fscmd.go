package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/cli/fs"
	"github.com/howdah/howdah/internal/progress"
)

// fsCommand returns the counterpart of `hadoop fs`. Its options, messages, and exit codes match
// Hadoop's.
func (s *session) fsCommand() *urfave.Command {
	return &urfave.Command{
		Name: "fs", Usage: "list and change files, like hadoop fs", ArgsUsage: "-COMMAND ARGS...",
		Description: "howdah fs -help lists the commands.", SkipFlagParsing: true, HideHelpCommand: true,
		Action: func(c *urfave.Context) error { return s.fs(c.Context, c.Args().Slice()) },
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
