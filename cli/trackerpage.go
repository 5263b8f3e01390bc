package cli

import (
	"context"
	"errors"
	"time"

	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	tasktracker "github.com/howdah/howdah/tasktracker/daemon"
	"github.com/howdah/howdah/webui"
)

// trackerPage gathers what a TaskTracker's page shows.
func trackerPage(d *tasktracker.Daemon, find *finder, started time.Time) (webui.Tracker, error) {
	s, ok := d.Status()
	if !ok {
		return webui.Tracker{}, failure.New(failure.Unreachable, "ask TaskTracker", d.Name(), errors.New("it is about to end"))
	}
	t := webui.Tracker{Name: d.Name(), Web: find.web(), Version: version.Howdah(), StartedMs: started.UnixMilli(), Slots: s.Slots, Used: s.Used, Unhealthy: s.Unhealthy}
	if s.Registered {
		t.JobTracker, _ = find.jobTracker(context.Background())
	}
	for _, a := range s.Attempts {
		shown := webui.TrackerAttempt{State: a.State.String(), Phase: a.Phase.String(), Progress: float32(a.Progress) / 1e6, PID: s.PIDs[a.Child], Status: a.Status, Text: a.Text}
		if id, err := job.ParseID(s.JobIDs[a.Attempt.Job]); err == nil {
			shown.ID = a.Attempt.ID(id.Cluster).String()
		}
		t.Attempts = append(t.Attempts, shown)
	}
	return t, nil
}
