package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// sleeper runs attempts of a sleep job inside the TaskTracker: no process, no files, a goroutine that waits. To the machine it
// is a child like any other. A reducer learns of finished maps as one in a process does, and its shuffle ends with the last.
type sleeper struct {
	d        *Daemon
	handle   int32
	launches chan *launch
	ctx      context.Context // ends with the sleeper
	end      context.CancelFunc
}

// sleepBeat is how often a sleeper says how far it is. It is longer than that of a process: there may be thousands.
const sleepBeat = time.Second

// Progress of a reducer is told in thirds, as Hadoop does.
const (
	wholeTask = 1_000_000
	shuffled  = wholeTask / 3
	sorted    = 2 * wholeTask / 3
)

func (d *Daemon) spawnSleeper(handle int32) *sleeper {
	s := &sleeper{d: d, handle: handle, launches: make(chan *launch, 1)} // the machine gives a child one attempt at a time
	s.ctx, s.end = context.WithCancel(d.base)
	d.work.Go(func() {
		s.post(tasktracker.Input{Kind: tasktracker.InReady})
		s.run()
		s.end()
		s.post(tasktracker.Input{Kind: tasktracker.InExited, Failure: failure.Killed, Text: "Task was ended inside its TaskTracker."})
	})
	return s
}

func (s *sleeper) launch(l *launch) { s.launches <- l }
func (s *sleeper) leave()           { s.end() }
func (s *sleeper) stop()            { s.end() }
func (s *sleeper) kill()            { s.end() }
func (s *sleeper) pid() int         { return 0 }

func (s *sleeper) post(in tasktracker.Input) {
	in.Child = s.handle
	s.d.post(in)
}

// run takes one attempt after the other until the sleeper is ended.
func (s *sleeper) run() {
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

// attempt sleeps through one attempt and gives its last words; ok is false if it was ended before.
func (s *sleeper) attempt(l *launch) (last *tasktracker.Progress, ok bool) {
	plan, info, index := l.job.naps, l.job.info, int(l.attempt.Index)
	if l.attempt.Type == job.Map {
		if !s.sleep(job.PhaseMap, 0, wholeTask, plan.Map.Of(index)) {
			return nil, false
		}
		return &tasktracker.Progress{Phase: job.PhaseMap, Millionths: wholeTask, Builtin: []tasktracker.BuiltinValue{
			{ID: job.MapInputRecords, Value: 1}, {ID: job.MapOutputRecords, Value: int64(info.GetReduces())}}}, true
	}
	if !s.awaitMaps(l.feed, int(info.GetMaps())) || !s.sleep(job.PhaseShuffle, shuffled, shuffled, plan.Shuffle.Of(index)) {
		return nil, false
	}
	now := time.Now().UnixMilli()
	s.tell(&tasktracker.Progress{Phase: job.PhaseReduce, Millionths: sorted, ShuffleDone: now, SortDone: now})
	if !s.sleep(job.PhaseReduce, sorted, wholeTask, plan.Reduce.Of(index)) {
		return nil, false
	}
	maps := int64(info.GetMaps())
	return &tasktracker.Progress{Phase: job.PhaseReduce, Millionths: wholeTask, ShuffleDone: now, SortDone: now, Builtin: []tasktracker.BuiltinValue{
		{ID: job.ShuffledMaps, Value: maps}, {ID: job.ReduceInputRecords, Value: maps}, {ID: job.ReduceInputGroups, Value: min(maps, 1)}}}, true
}

func (s *sleeper) tell(p *tasktracker.Progress) {
	p.Alive = true
	s.post(tasktracker.Input{Kind: tasktracker.InProgress, Progress: p})
}

// sleep takes a nap, during which progress grows evenly. It is false if the sleeper was ended.
func (s *sleeper) sleep(phase job.Phase, from, to int, nap time.Duration) bool {
	begun := time.Now()
	timer := time.NewTimer(min(nap, sleepBeat))
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return false
		case <-timer.C:
		}
		left := nap - time.Since(begun)
		if left <= 0 {
			return true
		}
		done := float64(nap-left) / float64(nap)
		s.tell(&tasktracker.Progress{Phase: phase, Millionths: int32(from) + int32(done*float64(to-from)),
			Status: fmt.Sprintf("Sleeping... (%d) ms left", left.Milliseconds())})
		timer.Reset(min(left, sleepBeat))
	}
}

// awaitMaps returns when every map has an output, or failed for good within what the job tolerates. It is false if the
// sleeper was ended.
func (s *sleeper) awaitMaps(feed *completions, maps int) bool {
	beat := time.NewTicker(sleepBeat)
	defer beat.Stop()
	outputs := map[int32]int32{} // attempt that has it, by map
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
