package daemon

import (
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/tasktracker"
)

// This file converts between the machine's types and the wire types. It drops or replaces external
// values that the machine could not handle.

func toReport(r *heartbeat.Report) *tracker.Report {
	out := &tracker.Report{Tracker: r.Tracker, Incarnation: r.Incarnation, Seq: r.Seq, Full: r.Full,
		MapSlots:    r.Slots[job.Map],
		ReduceSlots: r.Slots[job.Reduce], Unhealthy: r.Unhealthy, Epoch: r.Epoch, OtherLoad: r.OtherLoad,
		Shares: toShares(r.Shares), Unheld: toUnheld(r.Unheld)}
	for i := range r.Attempts {
		out.Attempt = append(out.Attempt, toAttemptReport(&r.Attempts[i]))
	}
	for _, f := range r.Fetch {
		out.Fetch = append(out.Fetch, &tracker.FetchFailure{Reduce: toAttempt(f.Reduce), Map: toAttempt(f.Map)})
	}
	for _, f := range r.Refused {
		out.Refused = append(out.Refused, &tracker.Refusal{Job: f.Job, Text: f.Text})
	}
	return out
}

func toAttemptReport(a *heartbeat.AttemptReport) *tracker.AttemptReport {
	out := &tracker.AttemptReport{Attempt: toAttempt(a.Attempt), State: uint32(a.State), Phase: uint32(a.Phase),
		Progress:    a.Progress,
		ShuffleDone: a.ShuffleDone, SortDone: a.SortDone, Kind: uint32(a.Kind), Text: a.Text, Status: a.Status}
	if c := a.Counters; c != nil {
		out.HasCounters = true
		for id, v := range c.Builtin {
			if v != 0 {
				out.Builtin, out.BuiltinValue = append(out.Builtin, uint32(id)), append(out.BuiltinValue, v)
			}
		}
		for _, u := range c.User {
			out.Counter = append(out.Counter, &tracker.Counter{Group: u.Group, Name: u.Name, Value: u.Value})
		}
	}
	if a.Range.Length > 0 {
		out.InHand = &tracker.Range{Start: a.Range.Start, Length: a.Range.Length}
	}
	for _, f := range a.Manifest {
		out.File = append(out.File, &tracker.OutputFile{Name: f.Name, Length: f.Length, Checksum: f.Checksum})
	}
	return out
}

func toAttempt(a job.Attempt) *tracker.Attempt {
	return &tracker.Attempt{Job: a.Job, Type: uint32(a.Type), Index: a.Index, N: a.N}
}

func fromDesired(d *tracker.Desired) *heartbeat.Desired {
	out := &heartbeat.Desired{Seq: d.GetSeq(), Jobs: d.GetJobs(), Interval: d.GetIntervalMillis(), Full: d.GetFull(),
		Register: d.GetRegister(), Epoch: d.GetEpoch(), Containers: d.GetContainers(), Draining: d.GetDraining(),
		Limits: fromLimits(d.GetLimits()), Advice: fromAdvice(d.GetAdvice())}
	for i, a := range d.GetRun() {
		if a.GetJob() > 0 && a.GetType() <= uint32(job.Cleanup) && a.GetIndex() >= 0 && a.GetN() >= 0 {
			out.Run = append(out.Run, job.Attempt{Task: job.Task{Job: a.Job, Type: job.TaskType(a.Type), Index: a.Index},
				N: a.N})
			out.Offsets = append(out.Offsets, tracker.At(d.GetSplitOffset(), i))
		}
	}
	return out
}

func fromProgress(p *umbilical.Progress) *tasktracker.Progress {
	if p == nil {
		return nil
	}
	out := &tasktracker.Progress{Phase: job.Phase(min(p.GetPhase(), uint32(job.PhaseCleanup))),
		Millionths: p.GetProgress(), Status: p.GetStatus(),
		ShuffleDone: p.GetShuffleDone(), SortDone: p.GetSortDone(), Alive: p.GetAlive()}
	for _, c := range p.GetCounter() {
		if c.GetGroup() != "" || c.GetName() != "" {
			out.User = append(out.User, job.UserCounter{Group: c.Group, Name: c.Name, Value: c.Value})
		} else if c.GetId() < uint32(job.NumCounters) {
			out.Builtin = append(out.Builtin, tasktracker.BuiltinValue{ID: job.CounterID(c.Id), Value: c.Value})
		}
	}
	return out
}

func fromFiles(files []*umbilical.OutputFile) []job.OutputFile {
	out := make([]job.OutputFile, 0, len(files))
	for _, f := range files {
		out = append(out, job.OutputFile{Name: f.GetName(), Length: f.GetLength(), Checksum: f.GetChecksum()})
	}
	return out
}

// fromKind converts a child's failure kind. An unknown value becomes Unknown.
func fromKind(k uint32) failure.Kind {
	if k > uint32(failure.Internal) {
		return failure.Unknown
	}
	return failure.Kind(k)
}
