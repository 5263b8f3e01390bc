package lab

import (
	"testing"

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
