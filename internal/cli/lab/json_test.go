package lab

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/jsonout/jsonouttest"
	"github.com/howdah/howdah/simulator/validate"
)

func TestJSONPage(t *testing.T) {
	page := jsonouttest.Open(t, "../../../docs/reference/json.md")
	for heading, v := range map[string]any{"Simulation": simJSON{}, "Simulated job": simJobJSON{},
		"Repetition": repeatJSON{}, "Interval": intervalJSON{}, "Row of a comparison": comparedJSON{},
		"Stored trace": storedJSON{}, "Stored simulation": storedRunJSON{}, "Job of a trace": shownJSON{},
		"Profile": profileJSON{}, "Phase": phaseJSON{}, "Fit": fitJSON{}, "Validation": validate.Report{},
		"Compared job": validate.Job{}, "Excluded job": validate.Apart{}, "Prediction": whatIfJSON{},
		"Predicted scheduler": predictJSON{}, "Skipped scheduler": skippedJSON{}, "Predicted job": whatIfJob{},
		"Range": rangeJSON{}, "Advice": adviceJSON{}, "Check": checkedTotals{}, "Experiment": experimentJSON{}} {
		page.Fields(t, heading, v)
	}
	page.Commands(t, (&session{}).app().Commands)
}

// A command prints JSON with --json, or rejects the option.
func TestJSONIsNeverIgnored(t *testing.T) {
	reject := func(name string) {
		var o, e bytes.Buffer
		require.Equal(t, 2, run(t.Context(), strings.Fields(name+" --json"), &o, &e), name)
		require.Empty(t, o.String(), name)
		require.Contains(t, e.String(), "--json", name)
	}
	check := func(c *urfave.Command, name string) {
		for _, f := range c.Flags {
			if f.Names()[0] == "json" {
				return
			}
		}
		reject(name)
	}
	for _, c := range (&session{}).app().Commands {
		check(c, c.Name)
		for _, sub := range c.Subcommands {
			check(sub, c.Name+" "+sub.Name)
		}
	}
}
