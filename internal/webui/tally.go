package webui

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"strings"
)

// tally contains the number of attempts in each state, for one type of attempt.
type tally struct {
	Type                                string
	Tasks, Done                         int32
	Progress                            float32
	Running, Succeeded, Failed, KilledN int
}

func tallies(j *status.Job) []tally {
	out := []tally{{Type: "map", Tasks: j.Maps.Total, Done: j.Maps.Done, Progress: j.Maps.Progress},
		{Type: "reduce", Tasks: j.Reduces.Total, Done: j.Reduces.Done, Progress: j.Reduces.Progress}}
	for _, a := range j.Attempts {
		for i := range out {
			t := &out[i]
			if !strings.EqualFold(a.ID.Type.String(), t.Type) {
				continue
			}
			switch a.State {
			case job.AttemptSucceeded:
				t.Succeeded++
			case job.AttemptFailed:
				t.Failed++
			case job.AttemptKilled:
				t.KilledN++
			default:
				t.Running++
			}
		}
	}
	return out
}
