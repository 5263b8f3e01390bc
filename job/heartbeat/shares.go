package heartbeat

import "github.com/howdah/howdah/job"

// Resource is a resource that MROrchestrator moves between running tasks.
type Resource uint8

// The resources (MROrchestrator, section III).
const (
	CPU    Resource = iota // thousandths of a core
	Memory                 // MiB
	NumResources
)

func (r Resource) String() string {
	if r == CPU {
		return "cpu"
	}
	return "memory"
}

// Unit returns the unit in which amounts of r are written: "m" for thousandths of a core, or "MiB".
func (r Resource) Unit() string {
	if r == CPU {
		return "m"
	}
	return "MiB"
}

// Vector contains an amount of each resource. Amounts are not negative.
type Vector [NumResources]int64

// Shares contains the resource usage and demand of all tasks on a node.
type Shares struct {
	Capacity Vector // resources for tasks; memory 0 means that the node does not move memory between tasks
	Tasks    []TaskShare
}

// TaskShare contains the resource usage, allocation, and demand of one task.
type TaskShare struct {
	Attempt    job.Attempt
	Usage      Vector // mean over the windows of the latest epoch; all 0 means not measured yet
	Allocation Vector
	Elapsed    int64 // milliseconds
	Left       int64 // predicted milliseconds until the task ends (equation 1); 0 means unknown
	Answers    int64 // epoch of the advice on which Want is based; 0 means none
	Want       Vector
}

// Verdict is the contention detector's result for one task and one resource.
type Verdict uint8

// The verdicts.
const (
	Balanced Verdict = iota
	Deficit
	Hog
)

func (v Verdict) String() string { return [...]string{"balanced", "deficit", "hog"}[min(v, Hog)] }

// Advice compares a task on a node with the other tasks of its job that are in the same phase.
type Advice struct {
	Attempt job.Attempt
	Epoch   int64 // number of the epoch, from 1
	Verdict [NumResources]Verdict
	Mean    Vector // mean usage of the phase's tasks
	Target  int64  // mean milliseconds until the phase's tasks end; 0 means unknown
	Pressed bool   // the task is close to its memory limit
	// Whole means that tasks of the phase are still waiting for a slot. In that case, Target is the
	// time from a task's start to its end, so a task that has just begun is not a straggler.
	Whole bool
}
