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
	return s.shellCommand("dfsadmin", "manage an HDFS: reports, safe mode, DataNodes, quotas", dfsadmin.Lines(),
		dfsadmin.Verbs(), s.dfsAdmin)
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
