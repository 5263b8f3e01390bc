package cli

import urfave "github.com/urfave/cli/v2"

// distcpCommand is `hadoop distcp`: the application of that name, under the name that fingers know.
func (s *session) distcpCommand() *urfave.Command {
	const name = "distcp"
	return &urfave.Command{
		Name: name, Usage: "copy files and trees with many maps, within HDFS, between two, from and to this machine",
		ArgsUsage: "[generic options] [options] <src>... <dst>", SkipFlagParsing: true, HideHelpCommand: true,
		Description: "-update copies what differs, -overwrite everything; -delete removes what the source has not; -p keeps attributes;\n" +
			"-i goes on when a file cannot be copied; -m is the number of maps. A copy is compared with its source before it gets its name.",
		Action: func(c *urfave.Context) error {
			args, err := s.takeGeneric(c.Args().Slice())
			if err != nil {
				return err
			}
			return s.runApplication(c, application(name), args)
		},
	}
}
