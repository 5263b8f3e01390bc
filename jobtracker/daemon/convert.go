package daemon

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker/history"
)

// This file translates between the trackers' messages and the machine's types. It drops invalid
// values, so that neither the machine nor the commit receives them.

// Limits on the data that the JobTracker keeps from one report.
const (
	maxText     = 4 << 10
	maxStatus   = 1 << 10
	maxCounters = 10_000 // twice the largest number that a job can permit (mapreduce.job.counters.max)
	maxCounter  = 1 << 10
	// maxResult is the maximum size of an attempt's counters and output files, in bytes. It keeps the
	// fact of the attempt's end well below the maximum size of a record of the journal.
	maxResult   = history.MaxRecord / 4
	maxProblems = 10_000
)

// reports keeps the memory of reports that the machine has processed, because the counters in them
// would otherwise be a large part of the garbage of heartbeats.
var reports = sync.Pool{New: func() any { return &heartbeat.Report{} }}

// maxReused is the maximum number of attempts of a report whose memory is used again. A report
// rarely has so many.
const maxReused = 100

// recycle lets a later call of fromReport use the memory of a report. The caller must not use the
// report afterward.
func recycle(r *heartbeat.Report) {
	if len(r.Attempts) <= maxReused {
		wipe(r)
		reports.Put(r)
	}
}

// wipe clears a report, but keeps the memory of its attempts and their built-in counters. The
// machine can have kept everything else.
func wipe(r *heartbeat.Report) {
	for i := range r.Attempts {
		c := r.Attempts[i].Counters
		if c != nil {
			c.User = nil
		}
		r.Attempts[i] = heartbeat.AttemptReport{Counters: c}
	}
	*r = heartbeat.Report{Attempts: r.Attempts[:0]}
}

func fromReport(r *tracker.Report) *heartbeat.Report {
	out := reports.Get().(*heartbeat.Report)
	fillReport(out, r)
	return out
}

// fillReport translates r into out, which is new or wiped.
func fillReport(out *heartbeat.Report, r *tracker.Report) {
	*out = heartbeat.Report{Tracker: r.Tracker, Incarnation: r.Incarnation, Seq: r.Seq, Full: r.Full,
		Slots: [2]int32{r.MapSlots, r.ReduceSlots}, Unhealthy: cut(r.Unhealthy, maxText), Epoch: r.Epoch,
		OtherLoad: min(max(r.OtherLoad, 0), 1_000_000), Attempts: out.Attempts}
	for _, a := range r.Attempt {
		var used *job.Counters
		if n := len(out.Attempts); n < cap(out.Attempts) {
			used = out.Attempts[:n+1][n].Counters
		}
		if report, ok := fromAttemptReport(a, used); ok {
			out.Attempts = append(out.Attempts, report)
		}
	}
	for _, f := range r.Fetch[:min(len(r.Fetch), maxProblems)] {
		reduce, ok1 := fromAttempt(f.GetReduce())
		mapper, ok2 := fromAttempt(f.GetMap())
		if ok1 && ok2 {
			out.Fetch = append(out.Fetch, heartbeat.FetchFailure{Reduce: reduce, Map: mapper})
		}
	}
	for _, x := range r.Refused[:min(len(r.Refused), maxProblems)] {
		out.Refused = append(out.Refused, heartbeat.Refusal{Job: x.GetJob(), Text: cut(x.GetText(), maxText)})
	}
	out.Unheld, out.Shares = fromUnheld(r.Unheld), fromShares(r.Shares)
}

func fromAttempt(a *tracker.Attempt) (job.Attempt, bool) {
	ok := a.GetJob() > 0 && a.GetType() <= uint32(job.Cleanup) && a.GetIndex() >= 0 && a.GetN() >= 0
	t := job.Task{Job: a.GetJob(), Index: a.GetIndex(), Type: job.TaskType(a.GetType())}
	return job.Attempt{Task: t, N: a.GetN()}, ok
}

func toAttempt(a job.Attempt) *tracker.Attempt {
	return &tracker.Attempt{Job: a.Job, Type: uint32(a.Type), Index: a.Index, N: a.N}
}

// fromAttemptReport translates the report of an attempt. If used is not nil, the counters use its
// memory.
func fromAttemptReport(a *tracker.AttemptReport, used *job.Counters) (heartbeat.AttemptReport, bool) {
	id, ok := fromAttempt(a.GetAttempt())
	if !ok || a.State > uint32(job.AttemptKilled) {
		return heartbeat.AttemptReport{}, false
	}
	out := heartbeat.AttemptReport{Attempt: id, State: job.AttemptState(a.State),
		Phase:    job.Phase(min(a.Phase, uint32(job.PhaseCleanup))),
		Progress: min(max(a.Progress, 0), 1_000_000), ShuffleDone: max(a.ShuffleDone, 0), SortDone: max(a.SortDone, 0),
		Kind: fromKind(a.Kind), Text: cut(a.Text, maxText), Status: cut(a.Status, maxStatus)}
	if r := a.GetInHand(); r.GetStart() >= 0 && r.GetLength() > 0 {
		out.Range = job.Range{Start: r.GetStart(), Length: r.GetLength()}
	}
	if n := proto.Size(a); n > maxResult {
		out.State, out.Kind = job.AttemptFailed, failure.Limit
		out.Text = fmt.Sprintf("the attempt reported counters and output files of %d bytes; the limit is %d", n, maxResult)
		return out, true
	}
	if a.HasCounters {
		out.Counters = fromCounters(a, used)
	}
	for _, f := range a.File {
		if !safeName(f.GetName()) || f.GetLength() < 0 {
			out.State, out.Kind, out.Manifest = job.AttemptFailed, failure.Internal, nil
			out.Text = "the attempt reported an invalid output file: " + cut(f.GetName(), maxStatus)
			break
		}
		out.Manifest = append(out.Manifest, job.OutputFile{Name: f.Name, Length: f.Length, Checksum: f.Checksum})
	}
	return out, true
}

// safeName reports whether a manifest's file is below its base directory and outside the directory
// that the commit removes.
func safeName(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return name != "" && len(name) <= 1<<12 && name[0] != '/' && path.Clean(name) == name &&
		first != ".." && first != "." && first != "_temporary"
}

// fromKind translates the kind of a failure that a tracker reports. A newer tracker can report
// kinds that this version does not recognize. For these, fromKind returns failure.Unknown.
func fromKind(k uint32) failure.Kind {
	if k > uint32(failure.Internal) {
		return failure.Unknown
	}
	return failure.Kind(k)
}

func fromCounters(a *tracker.AttemptReport, c *job.Counters) *job.Counters {
	if c == nil {
		c = &job.Counters{}
	}
	*c = job.Counters{}
	for i, id := range a.Builtin {
		if id < uint32(job.NumCounters) {
			c.Builtin[id] = tracker.At(a.BuiltinValue, i)
		}
	}
	for _, x := range a.Counter[:min(len(a.Counter), maxCounters)] {
		if x.GetGroup() != "" || x.GetName() != "" {
			c.Add(cut(x.Group, maxCounter), cut(x.Name, maxCounter), x.Value)
		}
	}
	return c
}

// toDesired copies the machine's reply, because the original is valid only until the next step.
func toDesired(d *heartbeat.Desired) *tracker.Desired {
	out := &tracker.Desired{Seq: d.Seq, IntervalMillis: d.Interval, Full: d.Full, Register: d.Register,
		Draining: d.Draining, Containers: d.Containers, Epoch: d.Epoch, Jobs: slices.Clone(d.Jobs),
		SplitOffset: slices.Clone(d.Offsets)}
	out.Limits, out.Advice = toLimits(d.Limits), toAdvice(d.Advice)
	for _, a := range d.Run {
		out.Run = append(out.Run, toAttempt(a))
	}
	return out
}
