package cli

import (
	"context"
	"os"

	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/howdah/howdah/cli/fs"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/schemes"
)

// fsCommand is `hadoop fs`; its options, messages and exit codes are Hadoop's own.
func (s *session) fsCommand() *urfave.Command {
	return &urfave.Command{
		Name: "fs", Usage: "look at files and change them, as hadoop fs does", ArgsUsage: "-COMMAND ARGS...",
		Description: "howdah fs -help lists the commands.", SkipFlagParsing: true, HideHelpCommand: true,
		Action: func(c *urfave.Context) error { return s.fs(c.Context, c.Args().Slice()) },
	}
}

// terminalConfig is the configuration of commands of somebody who would rather hear of safe mode than wait for its end.
func (s *session) terminalConfig(ctx context.Context) (*conf.Config, error) {
	cfg, err := s.filesConfig(ctx)
	if err != nil {
		return nil, err
	}
	if _, _, set := cfg.Lookup(hdfs.KeySafeMode); !set {
		cfg.Set(hdfs.KeySafeMode, "0", "the command")
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
	f, ok := s.err.(*os.File)
	set.Terminal = ok && term.IsTerminal(int(f.Fd()))
	s.code = fs.Run(ctx, r, set, args, s.in, s.out, s.err)
	return nil
}
