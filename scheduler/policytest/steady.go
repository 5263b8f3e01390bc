package policytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// A steady cluster is full and has much more work than room. Bench and Cost use it to measure a
// policy's time and allocations.
type steady struct {
	m        *jobtracker.Machine
	trackers []steadyTracker
	next     int // the tracker to report next
	now      int64
	gap      int64 // milliseconds between two heartbeats, of any trackers
	out      []jobtracker.Output
	in       jobtracker.Input
	beats    int
	room     int // heartbeats until a tenth of the work is done
}

// An open policy admits every job, so that all policies get the same jobs.
type open struct{ wrapper }

// Admit implements scheduler.Admitter.
func (*open) Admit(scheduler.View, *job.Spec) error { return nil }

type steadyTracker struct {
	report heartbeat.Report
	run    []job.Attempt
}

const (
	steadyTrackers = 20
	steadyTasks    = 100_000
)

// newSteady submits jobs with the given number of tasks each. It sends 20 heartbeats per tracker, so
// that tasks fill the slots. Without reduces, the reduce slots stay free.
func newSteady(o Options, jobs, tasks int, reduces bool, p scheduler.Policy) *steady {
	m := game{o: o, seed: 1}.machine(&open{wrapper{p}})
	s := &steady{m: m, now: begin, gap: o.Beat / steadyTrackers, trackers: make([]steadyTracker, steadyTrackers),
		room: jobs * tasks / 10}
	s.out = m.Recovered(s.now, s.out)
	r := rand.New(rand.NewPCG(1, 4))
	for i := range s.trackers {
		g := jobtracker.Register{Name: fmt.Sprint("tt", i), Host: fmt.Sprint("h", i), Rack: fmt.Sprint("/r", i%4),
			Incarnation: 1, Slots: [2]int32{4, 2}}
		if o.Tracker != nil {
			o.Tracker(r, &g)
		}
		t := &s.trackers[i]
		t.report = heartbeat.Report{Incarnation: 1, Slots: g.Slots}
		t.report.Tracker = s.step(jobtracker.Input{Kind: jobtracker.InRegister, Register: &g}).Tracker
	}
	for i := range jobs {
		s.step(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: o.bigSpec(r, i, tasks, reduces)})
	}
	for range 20 * steadyTrackers {
		s.beat(false)
	}
	return s
}

// bigSpec returns a random job with many tasks. A tenth of them are reduces that can start
// immediately. If reduces is false, the job lacks that tenth.
func (o Options) bigSpec(r *rand.Rand, i, tasks int, reduces bool) *job.Spec {
	s := &job.Spec{Name: fmt.Sprint("job", i), User: fmt.Sprint("u", i%7), MapAttempts: 4, ReduceAttempts: 4,
		Reduces: int32(max(1, tasks/10)), Priority: job.Priority(i%5 - 2)}
	if !reduces {
		s.Reduces = 0
	}
	for range tasks - tasks/10 {
		s.Splits = append(s.Splits, job.SplitMeta{Hosts: []string{fmt.Sprint("h", r.IntN(steadyTrackers))},
			Length: 1 + r.Int64N(4)})
	}
	if o.Job != nil {
		o.Job(r, s)
		slices.SortFunc(s.Conf, func(a, b job.Property) int { return strings.Compare(a.Name, b.Name) })
	}
	s.MapLimit, s.ReduceLimit = 0, 0
	return s
}

func (s *steady) step(in jobtracker.Input) (reply jobtracker.Output) {
	s.in = in
	s.in.Now, s.in.Req = s.now, 1
	s.out = s.m.Step(&s.in, s.out[:0])
	for i := range s.out {
		if s.out[i].Kind == jobtracker.OutReply {
			reply = s.out[i]
		}
	}
	return reply
}

// beat runs the ticks that are due, then sends the next tracker's heartbeat. If ends is set, the
// tracker's oldest attempt has succeeded. Otherwise no attempt has ended.
func (s *steady) beat(ends bool) {
	s.now += s.gap
	for n := 0; n < 1000; n++ {
		if at := s.m.NextDeadline(); at == 0 || at > s.now {
			break
		}
		s.step(jobtracker.Input{Kind: jobtracker.InTick})
	}
	t := &s.trackers[s.next]
	s.next = (s.next + 1) % len(s.trackers)
	r := &t.report
	r.Seq++
	r.Attempts = r.Attempts[:0]
	for i, id := range t.run {
		a := heartbeat.AttemptReport{Attempt: id, State: job.AttemptRunning,
			Progress: int32(min(900_000, s.now/1000%1000*1000))}
		if ends && i == 0 {
			a.State = job.AttemptSucceeded
		}
		r.Attempts = append(r.Attempts, a)
	}
	d := s.step(jobtracker.Input{Kind: jobtracker.InBeat, Report: r}).Desired
	t.run = append(t.run[:0], d.Run...)
	s.beats++
}
