package lab

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/viewer"
)

func (s *session) serveCommand() *urfave.Command {
	return &urfave.Command{
		Name: "serve", Usage: "show results and try schedulers in a browser on this host", ArgsUsage: "DIR",
		HideHelpCommand: true,
		Description: "DIR contains results of howdah scenario run --out and howdah experiment run --out.\n" +
			"An example:\nhowdah serve experiments/results",
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "port", Value: 50099, Usage: "`PORT` on localhost; 0 means any free port"},
		},
		Action: func(c *urfave.Context) error {
			if c.Args().Len() != 1 {
				return usageError("howdah serve needs one DIR, got %d", c.Args().Len())
			}
			if p := c.Int("port"); p < 0 || p > 65535 {
				return usageError("--port=%d: want 0 to 65535", p)
			}
			return viewer.Serve(c.Context, c.Args().First(), c.Int("port"), s.out)
		},
	}
}
