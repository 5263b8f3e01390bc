package daemon

import (
	"github.com/howdah/howdah/internal/feed"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
)

// keptEvents is the number of events that the JobTracker keeps for clients that reconnect.
const keptEvents = 8192

// Events returns the latest changes of jobs' states and ends of attempts since the JobTracker
// started.
func (d *Daemon) Events() *feed.Feed { return d.events }

// tell adds a fact to the events when it is durable.
func (d *Daemon) tell(e *event.Event) {
	x := feed.Event{TimeMs: e.Time, Job: job.ID{Cluster: d.owner.m.ClusterID(), Seq: e.Job}}
	switch e.Type {
	case event.JobSubmitted:
		x.State = job.Prep.Shown()
	case event.JobStarted:
		x.State = job.Running.Shown()
	case event.JobFinished:
		x.State = e.JobState.Shown()
	case event.AttemptFinished:
		id := e.Attempt.ID(x.Job.Cluster)
		x.Attempt, x.State = &id, e.State.String()
	default:
		return
	}
	d.owner.Later(func() { d.events.Add(x) })
}
