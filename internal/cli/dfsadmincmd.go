package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/cli/dfsadmin"
)

// dfsAdminCommand returns the counterpart of `hdfs dfsadmin`. Its options, messages, and exit codes
// match Hadoop's.
func (s *session) dfsAdminCommand() *urfave.Command {
	return &urfave.Command{
		Name: "dfsadmin", Usage: "manage an HDFS: reports, safe mode, DataNodes, quotas", ArgsUsage: "-COMMAND ARGS...",
		Description: "howdah dfsadmin -help lists the commands.", SkipFlagParsing: true, HideHelpCommand: true,
		Action: func(c *urfave.Context) error { return s.dfsAdmin(c.Context, c.Args().Slice()) },
	}
}

func (s *session) dfsAdmin(ctx context.Context, args []string) error {
	cfg, err := s.terminalConfig(ctx)
	if err != nil {
		return err
	}
	r, err := schemes.Resolver(cfg, schemes.Warn(s.err))
	if err != nil {
		return err
	}
	defer r.Close()
	s.code = dfsadmin.Run(ctx, r, args, s.out, s.err)
	return nil
}
