package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	urfave "github.com/urfave/cli/v2"
)

// version is set by the Makefile (-ldflags -X).
var version = ""

// Version gives the version of this build: the one that the linker was told, else that of the module, else the revision.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func (s *session) versionCommand() *urfave.Command {
	return &urfave.Command{
		Name: "version", Usage: "print the version",
		Action: func(c *urfave.Context) error {
			if err := exactly(c, 0); err != nil {
				return err
			}
			_, err := fmt.Fprintf(s.out, "howdah %s\n%s %s/%s\n", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
