package policytest

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A stranger is a policy that differs from the one under test. It assigns each slot to the first
// job, by sequence number, that can use the slot.
type stranger struct{}

// Reset implements scheduler.Policy.
func (*stranger) Reset(scheduler.View) {}

// Observe implements scheduler.Policy.
func (*stranger) Observe(scheduler.View, *event.Event) {}

// NextDeadline implements scheduler.Policy.
func (*stranger) NextDeadline() int64 { return 0 }

// Tick implements scheduler.Policy.
func (*stranger) Tick(scheduler.View, scheduler.Plan) {}

// Assign implements scheduler.Policy.
func (*stranger) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	for _, seq := range v.Jobs() {
		for i, _, ok := v.PickMap(seq, tracker, job.OffSwitch); ok; i, _, ok = v.PickMap(seq, tracker, job.OffSwitch) {
			if !p.Launch(job.Task{Job: seq, Type: job.Map, Index: i}, tracker, job.Map) {
				break
			}
		}
		for i, ok := v.PickReduce(seq, tracker); ok; i, ok = v.PickReduce(seq, tracker) {
			if !p.Launch(job.Task{Job: seq, Type: job.Reduce, Index: i}, tracker, job.Reduce) {
				break
			}
		}
	}
}
