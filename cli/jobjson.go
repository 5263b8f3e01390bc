package cli

import (
	"encoding/json"
	"io"
	"time"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/goal"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/wire/client"
)

// jobObject is a job in --json. Scripts rely on these names.
type jobObject struct {
	ID             string                      `json:"id"`
	Name           string                      `json:"name"`
	User           string                      `json:"user"`
	Queue          string                      `json:"queue"`
	Priority       string                      `json:"priority"`
	State          string                      `json:"state"`
	SubmitMs       int64                       `json:"submit_ms"`
	StartMs        int64                       `json:"start_ms"`
	FinishMs       int64                       `json:"finish_ms"`
	MapProgress    float32                     `json:"map_progress"`
	ReduceProgress float32                     `json:"reduce_progress"`
	Maps           int32                       `json:"maps"`
	Reduces        int32                       `json:"reduces"`
	DeadlineMs     int64                       `json:"deadline_ms"`
	PredictedMs    int64                       `json:"predicted_finish_ms"` // 0 = it is over, or nothing tells
	SlackMs        *int64                      `json:"slack_ms"`            // null = no deadline, or nothing tells
	Missed         bool                        `json:"missed"`
	Pool           string                      `json:"pool"`
	Profile        string                      `json:"profile,omitempty"`
	ProfileFrom    string                      `json:"profile_from,omitempty"`
	Attempts       *[]attemptObject            `json:"attempts,omitempty"`
	Counters       map[string]map[string]int64 `json:"counters,omitempty"`
	Diagnostics    string                      `json:"diagnostics"`
}

type attemptObject struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Tracker  string  `json:"tracker"`
	State    string  `json:"state"`
	StartMs  int64   `json:"start_ms"`
	FinishMs int64   `json:"finish_ms"`
	Progress float32 `json:"progress"`
	Phase    string  `json:"phase"`
	Slot     string  `json:"slot,omitempty"` // of the other kind, if it is borrowed
	// Shares are those that an orchestrator gave it over time, the latest last.
	Shares []shareObject `json:"shares,omitempty"`
}

// shareObject is a share of a node from some time on; 0 = what the attempt had when it was launched.
type shareObject struct {
	AtMs   int64  `json:"at_ms"`
	CPU    int32  `json:"cpu_millicores"` // weight
	Memory int32  `json:"memory_mb"`
	Why    string `json:"why"`
}

func shares(a *client.AttemptStatus) (out []shareObject) {
	for _, c := range a.LimitChange {
		out = append(out, shareObject{c.AtMs, c.Cpu, c.Memory, c.Why})
	}
	return out
}

// jobJSON makes a job's object; full adds attempts and counters.
func jobJSON(j *client.JobStatus, full bool) jobObject {
	o := jobObject{
		ID: j.Id, Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority, State: j.State,
		SubmitMs: j.SubmitMs, StartMs: j.StartMs, FinishMs: j.FinishMs, MapProgress: j.MapProgress, ReduceProgress: j.ReduceProgress,
		Maps: j.Maps, Reduces: j.Reduces, DeadlineMs: j.DeadlineMs, Diagnostics: j.Diagnostics,
	}
	o.PredictedMs, o.Missed, o.Pool, o.Profile, o.ProfileFrom = j.PredictedFinishMs, goal.Missed(j, time.Now()), j.Pool, j.Profile, j.ProfileFrom
	if slack, known := goal.Slack(j); known {
		o.SlackMs = &slack
	}
	if !full {
		return o
	}
	attempts := []attemptObject{}
	for _, a := range j.Attempt {
		attempts = append(attempts, attemptObject{a.Id, a.Type, a.Tracker, a.State, a.StartMs, a.FinishMs, a.Progress, a.Phase, a.Slot, shares(a)})
	}
	o.Attempts = &attempts
	o.Counters = runner.CountersByName(jobclient.Counters(j.Counter))
	return o
}

func jobsJSON(jobs []*client.JobStatus) []jobObject {
	out := []jobObject{}
	for _, j := range jobs {
		out = append(out, jobJSON(j, false))
	}
	return out
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
