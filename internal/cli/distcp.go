package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
)

// distcpCommand returns the counterpart of `hadoop distcp`, which runs the application of the same
// name.
func (s *session) distcpCommand() *urfave.Command {
	const name = "distcp"
	return &urfave.Command{
		Name: name, Usage: "copy files and directories with many maps, within or between file systems",
		ArgsUsage: "[generic options] [options] <src>... <dst>", SkipFlagParsing: true, HideHelpCommand: true,
		Description: "-update copies only files that differ, and -overwrite copies all files. -delete " +
			"removes files that the source lacks.\n-p preserves attributes. -i continues when a file " +
			"cannot be copied. -m is the number of maps.\nEach copy is verified against its source before " +
			"it is renamed to its final name. An example:\nhowdah distcp -update -m 8 hdfs://nn1/data hdfs://nn2/data",
		Action: func(c *urfave.Context) error {
			if arguments.AsksForHelp(c.Args().First()) {
				return urfave.ShowCommandHelp(c, name)
			}
			return s.start(c, application(name), c.Args().Slice())
		},
	}
}
