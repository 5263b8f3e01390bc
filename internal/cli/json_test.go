package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/cli/doctor"
	"github.com/howdah/howdah/internal/cli/hosts"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/jsonout/jsonouttest"
	"github.com/howdah/howdah/internal/runner"
)

func TestJSONPage(t *testing.T) {
	page := jsonouttest.Open(t, "../../docs/reference/json.md")
	for heading, v := range map[string]any{"Job": jsonout.Job{}, "Attempt": jsonout.Attempt{}, "Share": jsonout.Share{},
		"Counter": counterObject{}, "Event": eventObject{}, "Log": logObject{}, "TaskTracker": jsonout.Tracker{},
		"Drain": jsonout.Drain{}, "Queue": jsonout.Queue{}, "Permissions": permissionsObject{}, "Token": tokenObject{},
		"Setting": settingObject{}, "Finding": doctor.Finding{}, "Host": hosts.Row{}, "Daemon": hosts.Daemon{},
		"Pool": jsonout.Pool{}, "MR-cluster": jsonout.MRCluster{}, "Node": jsonout.Node{},
		"Finished job": runner.RanObject{}} {
		page.Fields(t, heading, v)
	}
	page.Commands(t, slices.DeleteFunc((&session{}).app().Commands, func(c *urfave.Command) bool {
		return slices.Contains(laboratory, c.Name)
	}))
}

// A command prints JSON with --json, or rejects the option.
func TestJSONIsNeverIgnored(t *testing.T) {
	app := (&session{}).app()
	check := func(c *urfave.Command, name string) {
		if c.SkipFlagParsing && !slices.Contains(laboratory, name) { // those start another program
			code, _, said := call(t, c.Name, "--json")
			want := 2
			if c.Name == "fs" || c.Name == "dfsadmin" { // these have Hadoop's exit codes
				want = 255
			}
			require.Equal(t, want, code, name)
			require.Contains(t, said, "-json", name)
			return
		}
		for _, f := range c.Flags {
			if f.Names()[0] == "json" {
				return
			}
		}
		if len(c.Subcommands) == 0 && !c.SkipFlagParsing {
			_, err := (&arguments.Arranger{Own: ownArguments}).Arrange(app.Commands, strings.Fields(name+" --json"))
			require.ErrorContains(t, err, "howdah "+name+" has no such option", name)
		}
	}
	for _, c := range app.Commands {
		check(c, c.Name)
		if len(c.Subcommands) > 0 {
			code, out, said := call(t, c.Name, "--json")
			require.Equal(t, 2, code, c.Name)
			require.Empty(t, out, c.Name)
			require.NotEmpty(t, said, c.Name)
		}
		for _, sub := range c.Subcommands {
			check(sub, c.Name+" "+sub.Name)
		}
	}
	for args, want := range map[string]string{
		"job --json -kill job_1_0001":              "howdah job kill has no such option",
		"run --json":                               "howdah run --json needs an application",
		"run wordcount --json":                     "--json is an option of howdah run; write it before the application",
		"streaming -info --json":                   "Unrecognized option: --json",
		"streaming -json -help":                    "Unrecognized option: -json",
		"job -jt localhost:1 -list --human --json": "takes --human or --json, and not both",
	} {
		code, out, said := call(t, strings.Fields(args)...)
		require.Equal(t, 2, code, args)
		require.Empty(t, out, args)
		require.Contains(t, said, want, args)
	}
}
