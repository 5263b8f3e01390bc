package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/waits"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// waiter runs attempts that only wait. It is a goroutine of the TaskTracker, without a process and
// without files. The machine treats it like any other child. As in a process, a reducer receives
// map completions, and its shuffle does not end until all maps have ended.
//
// Waiters let experiments replay traces with thousands of slots on a real one-host cluster. Child
// processes would need memory for each slot and CPU time for each task. Only the sleep job
// (howdah.sleep.in-tracker) gets waiters. For any other job that set the key, a waiter would report
// success for work that was never done.
type waiter struct {
	d        *Daemon
	handle   int32
	launches chan *launch
	ctx      context.Context // canceled when the waiter ends
	end      context.CancelFunc
}

// waitBeat is the interval between a waiter's progress reports. It is longer than a process's
// interval because there may be thousands of waiters.
const waitBeat = time.Second

// wholeTask is the progress of a finished task, in millionths. A reducer's phases account for a
// third each, as in Hadoop.
const (
	wholeTask = 1_000_000
	shuffled  = wholeTask / 3
	sorted    = 2 * wholeTask / 3
)

func (d *Daemon) spawnWaiter(handle int32) *waiter {
	s := &waiter{d: d, handle: handle, launches: make(chan *launch, 1)} // the machine assigns one attempt at a time
	s.ctx, s.end = context.WithCancel(d.base)
	d.work.Go(func() {
		s.post(tasktracker.Input{Kind: tasktracker.InReady})
		s.run()
		s.end()
		s.post(tasktracker.Input{Kind: tasktracker.InExited, Failure: failure.Killed,
			Text: "Task was ended inside its TaskTracker."})
	})
	return s
}

func (s *waiter) launch(l *launch) { s.launches <- l }
func (s *waiter) leave()           { s.end() }
func (s *waiter) stop()            { s.end() }
func (s *waiter) kill()            { s.end() }
func (s *waiter) pid() int         { return 0 }

func (s *waiter) post(in tasktracker.Input) {
	in.Child = s.handle
	s.d.post(in)
}

// run runs one attempt after another until ctx is canceled.
func (s *waiter) run() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case l := <-s.launches:
			if last, ok := s.attempt(l); ok {
				s.post(tasktracker.Input{Kind: tasktracker.InDone, Progress: last})
			}
		}
	}
}

// attempt waits for the duration of one attempt and returns the attempt's final progress. If the
// attempt was stopped, ok is false.
func (s *waiter) attempt(l *launch) (last *tasktracker.Progress, ok bool) {
	plan, info, index := l.job.waits, l.job.info, int(l.attempt.Index)
	if l.attempt.Type == job.Map {
		if !s.wait(job.PhaseMap, 0, wholeTask, plan.Map.Of(index)) {
			return nil, false
		}
		return &tasktracker.Progress{Phase: job.PhaseMap, Millionths: wholeTask, Builtin: []tasktracker.BuiltinValue{
			{ID: job.MapInputRecords, Value: 1}, {ID: job.MapOutputRecords, Value: int64(info.GetReduces())}}}, true
	}
	if !s.awaitMaps(l.feed, int(info.GetMaps())) || !s.wait(job.PhaseShuffle, shuffled, shuffled, plan.Shuffle.Of(index)) {
		return nil, false
	}
	now := time.Now().UnixMilli()
	s.tell(&tasktracker.Progress{Phase: job.PhaseReduce, Millionths: sorted, ShuffleDone: now, SortDone: now})
	if !s.wait(job.PhaseReduce, sorted, wholeTask, plan.Reduce.Of(index)) {
		return nil, false
	}
	maps := int64(info.GetMaps())
	return &tasktracker.Progress{Phase: job.PhaseReduce, Millionths: wholeTask, ShuffleDone: now, SortDone: now,
		Builtin: []tasktracker.BuiltinValue{{ID: job.ShuffledMaps, Value: maps}, {ID: job.ReduceInputRecords, Value: maps},
			{ID: job.ReduceInputGroups, Value: min(maps, 1)}}}, true
}

func (s *waiter) tell(p *tasktracker.Progress) {
	p.Alive = true
	s.post(tasktracker.Input{Kind: tasktracker.InProgress, Progress: p})
}

// wait waits for the duration total. In the meantime, it reports progress that grows linearly. It
// returns false if the waiter was stopped.
func (s *waiter) wait(phase job.Phase, from, to int, total time.Duration) bool {
	begun := time.Now()
	timer := time.NewTimer(min(total, waitBeat))
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return false
		case <-timer.C:
		}
		left := total - time.Since(begun)
		if left <= 0 {
			return true
		}
		done := float64(total-left) / float64(total)
		s.tell(&tasktracker.Progress{Phase: phase, Millionths: int32(from) + int32(done*float64(to-from)),
			Status: waits.Status(left)})
		timer.Reset(min(left, waitBeat))
	}
}

// awaitMaps waits until every map has an output or has failed within the job's tolerance. It
// returns false if the waiter was stopped.
func (s *waiter) awaitMaps(feed *completions, maps int) bool {
	beat := time.NewTicker(waitBeat)
	defer beat.Stop()
	outputs := map[int32]int32{} // attempt that has each map's output
	for cursor := 0; ; {
		events, more := feed.after(cursor, maxCompletions)
		cursor += len(events)
		for _, e := range events {
			if !e.GetObsolete() {
				outputs[e.GetMap()] = e.GetAttempt()
			} else if outputs[e.GetMap()] == e.GetAttempt() {
				delete(outputs, e.GetMap())
			}
		}
		if len(outputs) >= maps {
			return true
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-s.ctx.Done():
			return false
		case <-more:
		case <-beat.C:
			s.tell(&tasktracker.Progress{Phase: job.PhaseShuffle, Millionths: int32(shuffled * len(outputs) / max(maps, 1)),
				Status: fmt.Sprintf("%d of %d maps are done", len(outputs), maps)})
		}
	}
}
