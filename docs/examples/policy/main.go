// Command policy is a JobTracker with a custom scheduling policy, shortest job first. Started as
//
//	policy jobtracker [--scheduler NAME]
//
// it replaces "howdah jobtracker". TaskTrackers and clients do not change. main_test.go runs the
// conformance suite, and simulate_test.go runs the simulator.
package main

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/jobtrackermain"
	"github.com/howdah/howdah/scheduler"
)

func main() { jobtrackermain.Main(jobtrackermain.Policies{{Name: "sjf", New: newShortestFirst}}) }

// keyMaps is the configuration key of the maximum number of maps in a job that may overtake others.
const keyMaps = "example.sjf.maps"

// shortestFirst offers each free slot to the job with the fewest tasks left. A job with more maps
// than the maps field does not overtake earlier jobs. The policy takes all information from the
// View and keeps no state, so it can take over from another policy at any time.
type shortestFirst struct{ maps int64 }

func newShortestFirst(s scheduler.Setup) (scheduler.Policy, error) {
	maps, err := s.Conf.Int(keyMaps, 1_000_000, 0, 1_000_000)
	return &shortestFirst{maps}, err
}

func (p *shortestFirst) Reset(scheduler.View)                 {}
func (p *shortestFirst) Observe(scheduler.View, *event.Event) {}
func (p *shortestFirst) NextDeadline() int64                  { return 0 }
func (p *shortestFirst) Tick(scheduler.View, scheduler.Plan)  {}

// Assign fills the tracker's free slots. v includes launched tasks immediately.
func (p *shortestFirst) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	for _, kind := range []job.TaskType{job.Map, job.Reduce} {
		for v.Tracker(tracker).Free(kind) > 0 && p.launch(v, tracker, kind, plan) {
		}
	}
}

// launch starts a task of the shortest job that has a task for the tracker. It reports whether it
// started a task.
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

// before reports whether job a runs before job b, which was submitted earlier.
func (p *shortestFirst) before(a, b *scheduler.Job) bool {
	return int64(a.Tasks[job.Map]) <= p.maps && left(a) < left(b)
}

func left(j *scheduler.Job) int32 {
	return j.Tasks[job.Map] + j.Tasks[job.Reduce] - j.Finished[job.Map] - j.Finished[job.Reduce]
}

// pick returns one of the job's tasks that the tracker may run. For maps, it prefers the task with
// the closest input.
func pick(v scheduler.View, seq, tracker int32, kind job.TaskType) (index int32, ok bool) {
	if kind == job.Reduce {
		return v.PickReduce(seq, tracker)
	}
	index, _, ok = v.PickMap(seq, tracker, job.NoData)
	return index, ok
}
