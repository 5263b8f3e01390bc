package cli

import (
	"fmt"
	"runtime"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/version"
)

func (s *session) versionCommand() *urfave.Command {
	return &urfave.Command{
		Name: "version", Usage: "print the version",
		Action: taking(0, func(*urfave.Context) error {
			_, err := fmt.Fprintf(s.out, "howdah %s\n%s %s/%s\nprotocol %d.%d\n", version.Howdah(), runtime.Version(),
				runtime.GOOS, runtime.GOARCH, rpc.Protocol/1000, rpc.Protocol%1000)
			return err
		}),
	}
}
