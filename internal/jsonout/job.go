package jsonout

import (
	"time"

	"github.com/howdah/howdah/job/status"
)

// Job is a job. Scripts depend on the names of its fields.
type Job struct {
	ID             string                      `json:"id"`
	Name           string                      `json:"name,omitempty"`
	User           string                      `json:"user"`
	Queue          string                      `json:"queue,omitempty"`
	Priority       string                      `json:"priority"`
	State          string                      `json:"state"`
	SubmitMs       int64                       `json:"submit_ms"`
	StartMs        int64                       `json:"start_ms,omitempty"`
	FinishMs       int64                       `json:"finish_ms,omitempty"`
	MapProgress    float32                     `json:"map_progress"`
	ReduceProgress float32                     `json:"reduce_progress"`
	Maps           int32                       `json:"maps"`
	Reduces        int32                       `json:"reduces"`
	DeadlineMs     int64                       `json:"deadline_ms,omitempty"`
	PredictedMs    int64                       `json:"predicted_finish_ms,omitempty"`
	SlackMs        *int64                      `json:"slack_ms,omitempty"` // may be 0
	Missed         bool                        `json:"missed"`
	Pool           string                      `json:"pool,omitempty"`
	Profile        string                      `json:"profile,omitempty"`
	ProfileFrom    string                      `json:"profile_from,omitempty"`
	Attempts       *[]Attempt                  `json:"attempts,omitempty"`
	Counters       map[string]map[string]int64 `json:"counters,omitempty"`
	Diagnostics    string                      `json:"diagnostics,omitempty"`
}

// Attempt is an attempt of a task.
type Attempt struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Tracker  string  `json:"tracker,omitempty"`
	State    string  `json:"state"`
	StartMs  int64   `json:"start_ms,omitempty"`
	FinishMs int64   `json:"finish_ms,omitempty"`
	Progress float32 `json:"progress"`
	Phase    string  `json:"phase"`
	Slot     string  `json:"slot,omitempty"` // set if the slot is borrowed from the other kind
	// Diagnostics is the reason why the attempt failed or was killed.
	Diagnostics string `json:"diagnostics,omitempty"`
	// Shares are the shares that an orchestrator has assigned to the attempt, in chronological
	// order.
	Shares []Share `json:"shares,omitempty"`
}

// Share is a share of a node's CPU and memory that applies from a point in time. A CPU or
// memory that is absent has the value at the attempt's launch.
type Share struct {
	AtMs   int64  `json:"at_ms"`
	CPU    int32  `json:"cpu_millicores,omitempty"` // weight
	Memory int32  `json:"memory_mb,omitempty"`
	Why    string `json:"why"`
}

func shares(a *status.Attempt) (out []Share) {
	for _, c := range a.Limits {
		out = append(out, Share{c.AtMs, c.CPU, c.Memory, c.Why})
	}
	return out
}

// OfJob returns the object for a job. If full is set, the object includes attempts and counters.
func OfJob(j *status.Job, full bool) Job {
	o := Job{
		ID: j.ID.String(), Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority.String(), State: j.State.Shown(),
		SubmitMs: j.SubmitMs, StartMs: j.StartMs, FinishMs: j.FinishMs, MapProgress: j.Maps.Progress,
		ReduceProgress: j.Reduces.Progress,
		Maps:           j.Maps.Total, Reduces: j.Reduces.Total, DeadlineMs: j.DeadlineMs, Diagnostics: j.Diagnostics,
	}
	o.PredictedMs, o.Missed, o.Pool, o.Profile, o.ProfileFrom = j.PredictedFinishMs, j.Missed(time.Now()), j.Pool,
		j.Profile, j.ProfileFrom
	slack, known := j.Slack()
	o.SlackMs = Known(slack, known)
	if !full {
		return o
	}
	attempts := []Attempt{}
	for _, a := range j.Attempts {
		attempts = append(attempts, OfAttempt(a))
	}
	o.Attempts = &attempts
	if j.Counters != nil {
		o.Counters = CountersByName(j.Counters)
	}
	return o
}

// OfAttempt returns the object for an attempt.
func OfAttempt(a *status.Attempt) Attempt {
	o := Attempt{ID: a.ID.String(), Type: a.ID.Type.String(), Tracker: a.Tracker, State: a.State.String(),
		StartMs: a.StartMs, FinishMs: a.FinishMs, Progress: a.Progress, Phase: a.Phase.String(),
		Diagnostics: a.Diagnostics, Shares: shares(a)}
	if a.ForeignSlot() {
		o.Slot = a.Slot.String()
	}
	return o
}

// OfJobs returns the objects for jobs, without attempts and counters. The list is never nil.
func OfJobs(jobs []*status.Job) []Job {
	out := []Job{}
	for _, j := range jobs {
		out = append(out, OfJob(j, false))
	}
	return out
}
