// Command policy is a JobTracker with a scheduling policy of its own: shortest job first. Started as
//
//	policy jobtracker [--scheduler NAME]
//
// it takes the place of "howdah jobtracker"; TaskTrackers and clients stay what they are. The policy can be tried in the
// simulator's machine too: main_test.go runs the conformance suite on it.
package main

import (
	"github.com/howdah/howdah"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

func main() { howdah.Main(howdah.WithPolicy("sjf", newShortestFirst)) }

// keyMaps makes only jobs up to that many maps jump the queue; the others come behind them in the order of submission.
const keyMaps = "example.sjf.maps"

// shortestFirst gives each free slot to the job with the fewest tasks left. It keeps no state: whatever it needs to know the
// View shows, so there is nothing to lose when it takes over from another policy.
type shortestFirst struct{ maps int64 }

func newShortestFirst(s scheduler.Setup) (scheduler.Policy, error) {
	maps, err := s.Conf.Int(keyMaps, 1_000_000, 0, 1_000_000)
	return &shortestFirst{maps}, err
}

func (p *shortestFirst) Reset(scheduler.View)                 {}
func (p *shortestFirst) Observe(scheduler.View, *event.Event) {}
func (p *shortestFirst) NextDeadline() int64                  { return 0 }
func (p *shortestFirst) Tick(scheduler.View, scheduler.Plan)  {}

// Assign fills the tracker's free slots. What it launches shows in v at once.
func (p *shortestFirst) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	for _, kind := range []job.TaskType{job.Map, job.Reduce} {
		for v.Tracker(tracker).Free(kind) > 0 && p.launch(v, tracker, kind, plan) {
		}
	}
}

// launch starts a task of the shortest job that has one for the tracker.
func (p *shortestFirst) launch(v scheduler.View, tracker int32, kind job.TaskType, plan scheduler.Plan) bool {
	var best *scheduler.Job
	var task job.Task
	for _, seq := range v.Jobs() {
		j := v.Job(seq)
		free := v.Tracker(tracker).Free(kind)
		if !j.Wants(kind) || j.Width[kind] > free || best != nil && !p.before(j, best) {
			continue
		}
		if index, ok := pick(v, seq, tracker, kind); ok {
			best, task = j, job.Task{Job: seq, Type: kind, Index: index}
		}
	}
	return best != nil && plan.Launch(task, tracker, kind)
}

// before tells whether a goes before b, which was submitted earlier.
func (p *shortestFirst) before(a, b *scheduler.Job) bool {
	return int64(a.Tasks[job.Map]) <= p.maps && left(a) < left(b)
}

func left(j *scheduler.Job) int32 {
	return j.Tasks[job.Map] + j.Tasks[job.Reduce] - j.Finished[job.Map] - j.Finished[job.Reduce]
}

// pick finds a task of the job that the tracker may run, for maps the one with its input closest.
func pick(v scheduler.View, seq, tracker int32, kind job.TaskType) (index int32, ok bool) {
	if kind == job.Reduce {
		return v.PickReduce(seq, tracker)
	}
	index, _, ok = v.PickMap(seq, tracker, job.NoData)
	return index, ok
}
