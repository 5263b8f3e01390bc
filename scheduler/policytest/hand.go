package policytest

import (
	"slices"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// A Hand is a simulated cluster that a test drives step by step. Its trackers follow the machine's
// orders.
type Hand struct {
	*jobtracker.Machine
	t    testing.TB
	now  int64
	seqs map[int32]uint64
	run  map[int32][]job.Attempt
	Log  []job.Attempt // killed attempts, in order
}

// NewHand returns an empty cluster with the given policy. The time starts at 1,000,000 ms.
func NewHand(t testing.TB, p scheduler.Policy) *Hand {
	m, err := jobtracker.New(jobtracker.DefaultConfig(), p)
	if err != nil {
		t.Fatal(err)
	}
	h := &Hand{Machine: m, t: t, now: 1_000_000, seqs: map[int32]uint64{}, run: map[int32][]job.Attempt{}}
	m.Recovered(h.now, nil)
	return h
}

// Do passes an input to the machine and returns the reply. It fails the test if the machine rejects
// the input.
func (h *Hand) Do(in jobtracker.Input) (reply jobtracker.Output) {
	h.t.Helper()
	in.Req, in.Now = 1, h.now
	var ends []jobtracker.Input
	for _, o := range h.Step(&in, nil) {
		switch o.Kind {
		case jobtracker.OutReply:
			if o.Err != nil {
				h.t.Fatalf("input of kind %d was rejected: %v", in.Kind, o.Err)
			}
			reply = o
		case jobtracker.OutCommit:
			ends = append(ends, jobtracker.Input{Kind: jobtracker.InCommitDone, Job: o.Job})
		case jobtracker.OutAbort:
			ends = append(ends, jobtracker.Input{Kind: jobtracker.InAbortDone, Job: o.Job})
		}
	}
	if reply.Desired != nil {
		d := *reply.Desired // the machine reuses its own copy
		d.Run = slices.Clone(d.Run)
		reply.Desired = &d
	}
	for _, e := range ends {
		h.Do(e)
	}
	return reply
}

// Join adds a tracker and returns its handle.
func (h *Hand) Join(name, host, rack string, maps, reduces int32) int32 {
	h.t.Helper()
	return h.Do(jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: name, Host: host,
		Rack: rack, Incarnation: 1, Slots: [2]int32{maps, reduces}}}).Tracker
}

// Submit submits the job one millisecond after the last input and returns its sequence number.
func (h *Hand) Submit(s *job.Spec) int32 {
	h.t.Helper()
	h.now++
	s.MapAttempts, s.ReduceAttempts = max(1, s.MapAttempts), max(1, s.ReduceAttempts)
	return h.Do(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: s}).Job
}

// Job returns the specification of a job with the given settings, such as its pool. The job's maps
// can run on any tracker.
func Job(user string, maps, reduces int32, conf ...job.Property) *job.Spec {
	slices.SortFunc(conf, func(a, b job.Property) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return &job.Spec{Name: "job", User: user, Reduces: reduces, Splits: make([]job.SplitMeta, maps), Conf: conf}
}

// Beat sends the tracker's heartbeat, in which the attempts in done have succeeded. It returns the
// new attempts that the tracker must run.
func (h *Hand) Beat(tracker int32, done ...job.Attempt) []job.Attempt {
	h.t.Helper()
	h.seqs[tracker]++
	r := &heartbeat.Report{Tracker: tracker, Incarnation: 1, Seq: h.seqs[tracker], Slots: h.Tracker(tracker).Slots}
	for _, id := range h.run[tracker] {
		s := job.AttemptRunning
		if slices.Contains(done, id) {
			s = job.AttemptSucceeded
		}
		r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: id, State: s})
	}
	before := h.run[tracker]
	run := h.Do(jobtracker.Input{Kind: jobtracker.InBeat, Report: r}).Desired.Run
	var fresh []job.Attempt
	for _, id := range run {
		if !slices.Contains(before, id) {
			fresh = append(fresh, id)
		}
	}
	for _, id := range before {
		if !slices.Contains(run, id) && !slices.Contains(done, id) {
			h.Log = append(h.Log, id)
		}
	}
	h.run[tracker] = run
	return fresh
}

// On returns the attempts that the tracker runs as of its last heartbeat.
func (h *Hand) On(tracker int32) []job.Attempt { return h.run[tracker] }

// Wait advances the time by ms milliseconds and runs the machine's ticks.
func (h *Hand) Wait(ms int64) {
	h.t.Helper()
	for end := h.now + ms; h.now < end; {
		h.now = end
		if at := h.NextDeadline(); at > 0 && at < end {
			h.now = max(at, h.Machine.Now())
		}
		h.Do(jobtracker.Input{Kind: jobtracker.InTick})
	}
}
