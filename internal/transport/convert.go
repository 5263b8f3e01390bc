package transport

import (
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// List translates every element of a list. It returns nil for an empty list.
func List[A, B any](in []A, f func(A) B) []B {
	if len(in) == 0 {
		return nil
	}
	out := make([]B, 0, len(in))
	for _, x := range in {
		out = append(out, f(x))
	}
	return out
}

// textID returns the text form of an ID, or "" for the zero ID.
func textID(id job.ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

func jobToWire(j *status.Job) *client.JobStatus {
	return &client.JobStatus{
		Id: textID(j.ID), Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority.String(), State: j.State.Shown(),
		SubmitMs: j.SubmitMs, StartMs: j.StartMs, FinishMs: j.FinishMs, DeadlineMs: j.DeadlineMs,
		PredictedFinishMs: j.PredictedFinishMs, MapProgress: j.Maps.Progress, ReduceProgress: j.Reduces.Progress,
		Maps: j.Maps.Total, Reduces: j.Reduces.Total, MapsDone: j.Maps.Done, ReducesDone: j.Reduces.Done,
		MapsRunning: j.Maps.Running, ReducesRunning: j.Reduces.Running,
		MapsWaiting: j.Maps.Waiting, ReducesWaiting: j.Reduces.Waiting,
		MapsBorrowed: j.Maps.Borrowed, ReducesBorrowed: j.Reduces.Borrowed,
		Diagnostics: j.Diagnostics, Kind: uint32(j.Kind), Retired: j.Retired, TrackingUrl: j.TrackingURL, JobFile: j.JobFile,
		OutputDir: j.OutputDir, InputBytes: j.InputBytes, Pool: j.Pool, Profile: j.Profile, ProfileFrom: j.ProfileFrom,
		Limited: List(j.Limited, attemptToWire), Attempt: List(j.Attempts,
			attemptToWire), Counter: countersToWire(j.Counters),
		Version: j.Version,
	}
}

// jobFromWire translates the reply to the query q. It replaces an invalid ID with the zero ID.
func jobFromWire(j *client.JobStatus, q status.Query) *status.Job {
	id, _ := job.ParseID(j.Id)
	state, _ := job.ParseState(j.State)
	priority, _ := job.ParsePriority(j.Priority)
	withCounters := func(a *client.AttemptStatus) *status.Attempt { return attemptFromWire(a, q.Attempts && q.Counters) }
	out := &status.Job{
		ID: id, Name: j.Name, User: j.User, Queue: j.Queue, Priority: priority, State: state,
		SubmitMs: j.SubmitMs, StartMs: j.StartMs, FinishMs: j.FinishMs, DeadlineMs: j.DeadlineMs,
		PredictedFinishMs: j.PredictedFinishMs,
		Maps: status.Tasks{Total: j.Maps, Done: j.MapsDone, Running: j.MapsRunning, Waiting: j.MapsWaiting,
			Borrowed: j.MapsBorrowed, Progress: j.MapProgress},
		Reduces: status.Tasks{Total: j.Reduces, Done: j.ReducesDone, Running: j.ReducesRunning, Waiting: j.ReducesWaiting,
			Borrowed: j.ReducesBorrowed, Progress: j.ReduceProgress},
		Diagnostics: j.Diagnostics, Kind: failure.Kind(j.Kind), Retired: j.Retired, TrackingURL: j.TrackingUrl,
		JobFile:   j.JobFile,
		OutputDir: j.OutputDir, InputBytes: j.InputBytes, Pool: j.Pool, Profile: j.Profile, ProfileFrom: j.ProfileFrom,
		Limited:  List(j.Limited, func(a *client.AttemptStatus) *status.Attempt { return attemptFromWire(a, false) }),
		Attempts: List(j.Attempt, withCounters),
		Version:  j.Version,
	}
	if q.Counters {
		out.Counters = countersFromWire(j.Counter)
	}
	return out
}

func attemptToWire(a *status.Attempt) *client.AttemptStatus {
	out := &client.AttemptStatus{
		Id: a.ID.String(), Type: a.ID.Type.String(), Tracker: a.Tracker, State: a.State.String(),
		StartMs: a.StartMs, FinishMs: a.FinishMs, ShuffleMs: a.ShuffleMs, SortMs: a.SortMs,
		Progress: a.Progress, Phase: a.Phase.String(), Status: a.Status, Locality: a.Locality.String(),
		Diagnostics: a.Diagnostics, Kind: uint32(a.Kind), LogUrl: a.LogURL, CpuLimit: a.CPULimit, MemoryLimit: a.MemoryLimit,
		LimitChange: List(a.Limits, func(c status.LimitChange) *client.LimitChange {
			return &client.LimitChange{AtMs: c.AtMs, Cpu: c.CPU, Memory: c.Memory, Why: c.Why}
		}),
		Counter: countersToWire(a.Counters),
	}
	if a.ForeignSlot() {
		out.Slot = a.Slot.String()
	}
	return out
}

func attemptFromWire(a *client.AttemptStatus, withCounters bool) *status.Attempt {
	id, _ := job.ParseAttemptID(a.Id)
	state, _ := job.ParseAttemptState(a.State)
	phase, _ := job.ParsePhase(a.Phase)
	slot, foreign := job.ParseTaskType(a.Slot)
	if !foreign {
		slot = id.Type
	}
	out := &status.Attempt{
		ID: id, State: state, Tracker: a.Tracker, Slot: slot,
		StartMs: a.StartMs, FinishMs: a.FinishMs, ShuffleMs: a.ShuffleMs, SortMs: a.SortMs,
		Progress: a.Progress, Phase: phase, Status: a.Status, Locality: job.ParseLocality(a.Locality),
		Diagnostics: a.Diagnostics, Kind: failure.Kind(a.Kind), LogURL: a.LogUrl, CPULimit: a.CpuLimit,
		MemoryLimit: a.MemoryLimit,
		Limits: List(a.LimitChange, func(c *client.LimitChange) status.LimitChange {
			return status.LimitChange{AtMs: c.AtMs, CPU: c.Cpu, Memory: c.Memory, Why: c.Why}
		}),
	}
	if withCounters {
		out.Counters = countersFromWire(a.Counter)
	}
	return out
}

// countersToWire returns the nonzero built-in counters and all user-defined counters, with Hadoop's
// names.
func countersToWire(c *job.Counters) []*client.Counter {
	if c == nil {
		return nil
	}
	var out []*client.Counter
	for i, v := range c.Builtin {
		if v == 0 {
			continue
		}
		info := job.CounterID(i).Info()
		out = append(out, &client.Counter{Group: info.Group, GroupDisplay: info.GroupDisplay, Name: info.Name,
			Display: info.Display,
			Value:   v, Id: uint32(i), Builtin: true})
	}
	for _, u := range c.User {
		out = append(out, &client.Counter{Group: u.Group, GroupDisplay: u.Group, Name: u.Name, Display: u.Name,
			Value: u.Value})
	}
	return out
}

// countersFromWire translates counters. It drops the built-in counters of newer versions.
func countersFromWire(list []*client.Counter) *job.Counters {
	c := &job.Counters{}
	for _, x := range list {
		if x.Builtin && x.Id < uint32(job.NumCounters) {
			c.Builtin[x.Id] = x.Value
		} else if !x.Builtin {
			c.Add(x.Group, x.Name, x.Value)
		}
	}
	return c
}

func eventToWire(e status.Event) *client.TaskEvent {
	return &client.TaskEvent{Number: e.Number, Attempt: e.Attempt.String(), State: string(e.State),
		TrackerUrl: e.TrackerURL, RunMs: e.RunMs}
}

func eventFromWire(e *client.TaskEvent) status.Event {
	id, _ := job.ParseAttemptID(e.Attempt)
	return status.Event{Number: e.Number, Attempt: id, State: status.EventState(e.State), TrackerURL: e.TrackerUrl,
		RunMs: e.RunMs}
}

func clusterToWire(c *status.Cluster) *client.ClusterStatus {
	return &client.ClusterStatus{Cluster: c.ID, StartedMs: c.StartedMs, Epoch: c.Epoch, Scheduler: c.Scheduler,
		SchedulerProblem: c.Problem, Closed: c.Closed, Disk: c.Disk, Version: c.Version, Web: c.Web,
		Tracker: List(c.Trackers, trackerToWire), JobsPrep: c.Prep, JobsRunning: c.Running, JobsFinished: c.Finished}
}

func clusterFromWire(c *client.ClusterStatus) *status.Cluster {
	return &status.Cluster{ID: c.Cluster, StartedMs: c.StartedMs, Epoch: c.Epoch, Scheduler: c.Scheduler,
		Problem: c.SchedulerProblem, Closed: c.Closed, Disk: c.Disk, Version: c.Version, Web: c.Web,
		Trackers: List(c.Tracker, trackerFromWire), Prep: c.JobsPrep, Running: c.JobsRunning, Finished: c.JobsFinished}
}

func trackerToWire(t *status.Tracker) *client.TrackerStatus {
	out := &client.TrackerStatus{Name: t.Name, Host: t.Host, Rack: t.Rack, Addr: t.Addr, Trusted: t.Trusted,
		LastBeatMs: t.LastBeatMs,
		MapSlots:   t.Maps.Total, MapsUsed: t.Maps.Used, ReduceSlots: t.Reduces.Total, ReducesUsed: t.Reduces.Used,
		MemoryMb: t.Memory.Total, MemoryUsedMb: t.Memory.Used, Vcores: t.VCores.Total, VcoresUsed: t.VCores.Used,
		OtherLoad: t.OtherLoad, Blacklisted: t.Blacklisted, Why: t.Why}
	if d := t.Drain; d != nil {
		out.Drain = &client.DrainStatus{How: string(d.How), Why: d.Why, SinceMs: d.SinceMs, DoneMs: d.DoneMs,
			Attempts: d.Attempts, Outputs: d.Outputs}
	}
	return out
}

func trackerFromWire(t *client.TrackerStatus) *status.Tracker {
	out := &status.Tracker{Name: t.Name, Host: t.Host, Rack: t.Rack, Addr: t.Addr, Trusted: t.Trusted,
		LastBeatMs: t.LastBeatMs,
		Maps:       status.Slots{Total: t.MapSlots, Used: t.MapsUsed}, Reduces: status.Slots{Total: t.ReduceSlots,
			Used: t.ReducesUsed},
		Memory: status.Slots{Total: t.MemoryMb, Used: t.MemoryUsedMb}, VCores: status.Slots{Total: t.Vcores,
			Used: t.VcoresUsed},
		OtherLoad: t.OtherLoad, Blacklisted: t.Blacklisted, Why: t.Why}
	if d := t.Drain; d != nil {
		out.Drain = &status.Drain{How: status.DrainMode(d.How), Why: d.Why, SinceMs: d.SinceMs, DoneMs: d.DoneMs,
			Attempts: d.Attempts, Outputs: d.Outputs}
	}
	return out
}

func queueToWire(q status.Queue) *client.QueueInfo {
	return &client.QueueInfo{Name: q.Name, State: string(q.State), Info: q.Info, Running: q.Running, Waiting: q.Waiting,
		SubmitAcl: q.Submit, AdminAcl: q.Admin}
}

func queueFromWire(q *client.QueueInfo) status.Queue {
	return status.Queue{Name: q.Name, State: status.QueueState(q.State), Info: q.Info, Running: q.Running,
		Waiting: q.Waiting, Submit: q.SubmitAcl, Admin: q.AdminAcl}
}

func schedulerToWire(s *status.Scheduler) *client.SchedulerStatus {
	return &client.SchedulerStatus{Name: s.Name, Speculation: s.Speculation, SinceMs: s.SinceMs, By: s.By,
		Problem: s.Problem,
		File:    s.Files, UntilRestart: s.UntilRestart, Group: List(s.Groups, groupToWire), Job: List(s.Jobs, jobToWire)}
}

func schedulerFromWire(s *client.SchedulerStatus) *status.Scheduler {
	return &status.Scheduler{Name: s.Name, Speculation: s.Speculation, SinceMs: s.SinceMs, By: s.By, Problem: s.Problem,
		Files: s.File, UntilRestart: s.UntilRestart, Groups: List(s.Group, groupFromWire),
		Jobs: List(s.Job, func(j *client.JobStatus) *status.Job { return jobFromWire(j, status.Query{}) })}
}

func groupToWire(g *status.Group) *client.GroupStatus {
	return &client.GroupStatus{Name: g.Name, Jobs: g.Jobs, Weight: g.Weight, Memory: g.Memory,
		Maps: sharesToWire(&g.Maps), Reduces: sharesToWire(&g.Reduces)}
}

func groupFromWire(g *client.GroupStatus) *status.Group {
	return &status.Group{Name: g.Name, Jobs: g.Jobs, Weight: g.Weight, Memory: g.Memory,
		Maps: sharesFromWire(g.Maps), Reduces: sharesFromWire(g.Reduces)}
}

func sharesToWire(s *status.Shares) *client.SlotGroup {
	return &client.SlotGroup{Min: s.Min, Max: s.Max, Fair: s.Fair, Demand: s.Demand, Running: s.Running,
		Borrowed: s.Borrowed}
}

func sharesFromWire(s *client.SlotGroup) status.Shares {
	return status.Shares{Min: s.GetMin(), Max: s.GetMax(), Fair: s.GetFair(), Demand: s.GetDemand(),
		Running: s.GetRunning(), Borrowed: s.GetBorrowed()}
}
