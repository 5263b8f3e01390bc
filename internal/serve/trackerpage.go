package serve

import (
	"context"
	"errors"
	"time"

	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker/daemon"
)

// trackerPage collects the data of a TaskTracker's web page.
func trackerPage(d *daemon.Daemon, find *finder, started time.Time) (webui.Tracker, error) {
	s, ok := d.Status()
	if !ok {
		return webui.Tracker{}, failure.New(failure.Unreachable, "ask TaskTracker", d.Name(),
			errors.New("it is shutting down"))
	}
	t := webui.Tracker{Name: d.Name(), Web: find.web(), Version: version.Howdah(), StartedMs: started.UnixMilli(),
		Slots: s.Slots, Used: s.Used, Unhealthy: s.Unhealthy, Draining: s.Draining}
	if s.Registered {
		t.JobTracker, _ = find.jobTracker(context.Background())
	}
	uses := map[job.Attempt]daemon.Use{}
	for _, u := range d.Uses() {
		uses[u.Attempt] = u
	}
	for _, a := range s.Attempts {
		u := uses[a.Attempt]
		shown := webui.TrackerAttempt{State: a.State.String(), Phase: a.Phase.String(), Progress: float32(a.Progress) / 1e6,
			PID: s.PIDs[a.Child], Status: a.Status, Text: a.Text, CPUMillis: u.CPU.Milliseconds(),
			Memory: u.Memory, MemoryLimit: u.Limits.Memory, CPUWeight: u.Limits.Weight, CPUQuota: u.Limits.Quota}
		if r := s.Shares[a.Attempt]; r != nil {
			shown.Shares = r.Record()
		}
		if id, err := job.ParseID(s.JobIDs[a.Attempt.Job]); err == nil {
			shown.ID = a.Attempt.ID(id.Cluster).String()
		}
		t.Attempts = append(t.Attempts, shown)
	}
	return t, nil
}
