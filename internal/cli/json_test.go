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
	"github.com/howdah/howdah/internal/jsonout/jsonouttest"
	"github.com/howdah/howdah/internal/objects"
	"github.com/howdah/howdah/internal/runner"
)

func TestJSONPage(t *testing.T) {
	page := jsonouttest.Open(t, "../../docs/reference/json.md")
	for heading, v := range map[string]any{"Job": objects.Job{}, "Attempt": objects.Attempt{}, "Share": objects.Share{},
		"Counter": counterObject{}, "Event": eventObject{}, "Log": logObject{}, "TaskTracker": objects.Tracker{},
		"Drain": objects.Drain{}, "Queue": objects.Queue{}, "Permissions": permissionsObject{}, "Token": tokenObject{},
		"Setting": settingObject{}, "Host": hosts.Row{}, "Daemon": hosts.Daemon{},
		"Finding": doctor.Finding{}, "Pool": objects.Pool{}, "MR-cluster": objects.MRCluster{}, "Node": objects.Node{},
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
			require.NotZero(t, code, name)
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
		for _, sub := range c.Subcommands {
			check(sub, c.Name+" "+sub.Name)
		}
	}
	code, _, said := call(t, "job", "--json", "-kill", "job_1_0001")
	require.Equal(t, 2, code)
	require.Contains(t, said, "howdah job kill has no such option")
}
