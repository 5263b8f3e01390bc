package daemon

import (
	"path"
	"strings"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// This file turns what trackers send into what the machine understands, and back. Values that mean nothing end here: the
// machine and the commit see only ones that do.

// Bounds on what one report may make the JobTracker keep.
const (
	maxText     = 4 << 10
	maxStatus   = 1 << 10
	maxCounters = 100_000
	maxProblems = 10_000
)

func fromReport(r *tracker.Report) *jobtracker.Report {
	out := &jobtracker.Report{Tracker: r.Tracker, Incarnation: r.Incarnation, Seq: r.Seq, Full: r.Full,
		Slots: [2]int32{r.MapSlots, r.ReduceSlots}, Unhealthy: cut(r.Unhealthy, maxText), OtherLoad: min(max(r.OtherLoad, 0), 1_000_000)}
	for _, a := range r.Attempt {
		if report, ok := fromAttemptReport(a); ok {
			out.Attempts = append(out.Attempts, report)
		}
	}
	for _, f := range r.Fetch[:min(len(r.Fetch), maxProblems)] {
		reduce, ok1 := fromAttempt(f.GetReduce())
		mapper, ok2 := fromAttempt(f.GetMap())
		if ok1 && ok2 {
			out.Fetch = append(out.Fetch, jobtracker.FetchFailure{Reduce: reduce, Map: mapper})
		}
	}
	for _, x := range r.Refused[:min(len(r.Refused), maxProblems)] {
		out.Refused = append(out.Refused, jobtracker.Refusal{Job: x.GetJob(), Text: cut(x.GetText(), maxText)})
	}
	out.Unheld = fromUnheld(r.Unheld)
	return out
}

func fromAttempt(a *tracker.Attempt) (job.Attempt, bool) {
	ok := a.GetJob() > 0 && a.GetType() <= uint32(job.Cleanup) && a.GetIndex() >= 0 && a.GetN() >= 0
	return job.Attempt{Task: job.Task{Job: a.GetJob(), Index: a.GetIndex(), Type: job.TaskType(a.GetType())}, N: a.GetN()}, ok
}

func toAttempt(a job.Attempt) *tracker.Attempt {
	return &tracker.Attempt{Job: a.Job, Type: uint32(a.Type), Index: a.Index, N: a.N}
}

func fromAttemptReport(a *tracker.AttemptReport) (jobtracker.AttemptReport, bool) {
	id, ok := fromAttempt(a.GetAttempt())
	if !ok || a.State > uint32(job.AttemptKilled) {
		return jobtracker.AttemptReport{}, false
	}
	out := jobtracker.AttemptReport{Attempt: id, State: job.AttemptState(a.State), Phase: job.Phase(min(a.Phase, uint32(job.PhaseCleanup))),
		Progress: min(max(a.Progress, 0), 1_000_000), ShuffleDone: max(a.ShuffleDone, 0), SortDone: max(a.SortDone, 0),
		Kind: fromKind(a.Kind), Text: cut(a.Text, maxText), Status: cut(a.Status, maxStatus)}
	if r := a.GetInHand(); r.GetStart() >= 0 && r.GetLength() > 0 {
		out.Range = job.Range{Start: r.GetStart(), Length: r.GetLength()}
	}
	if a.HasCounters {
		out.Counters = fromCounters(a.Counter)
	}
	for _, f := range a.File {
		if !safeName(f.GetName()) || f.GetLength() < 0 {
			out.State, out.Kind, out.Manifest = job.AttemptFailed, failure.Internal, nil
			out.Text = "the attempt reported an impossible output file: " + cut(f.GetName(), maxStatus)
			break
		}
		out.Manifest = append(out.Manifest, job.OutputFile{Name: f.Name, Length: f.Length, Checksum: f.Checksum})
	}
	return out, true
}

// safeName tells whether a manifest's file stays below the directory it is relative to, and out of the one that the commit
// removes.
func safeName(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return name != "" && len(name) <= 1<<12 && name[0] != '/' && path.Clean(name) == name && first != ".." && first != "." && first != "_temporary"
}

// fromKind takes a failure's kind of a tracker, which may be newer than this binary.
func fromKind(k uint32) failure.Kind {
	if k > uint32(failure.Internal) {
		return failure.Unknown
	}
	return failure.Kind(k)
}

func fromCounters(list []*tracker.Counter) *job.Counters {
	c := &job.Counters{}
	for _, x := range list[:min(len(list), maxCounters)] {
		switch {
		case x.GetGroup() != "" || x.GetName() != "":
			c.Add(x.Group, x.Name, x.Value)
		case x.GetId() < uint32(job.NumCounters):
			c.Builtin[x.GetId()] = x.Value
		}
	}
	return c
}

// toDesired copies the machine's answer, which lasts only until the next step.
func toDesired(d *jobtracker.Desired, epoch int64, p scheduler.Policy) *tracker.Desired {
	out := &tracker.Desired{Seq: d.Seq, IntervalMillis: d.Interval, Full: d.Full, Register: d.Register, Draining: d.Draining, Epoch: epoch, Jobs: append([]int32(nil), d.Jobs...)}
	c, ok := p.(scheduler.ContainerUser)
	out.Containers = ok && c.UsesContainers()
	out.Limits = toLimits(d.Limits)
	for _, a := range d.Run {
		out.Run = append(out.Run, toAttempt(a))
	}
	return out
}
