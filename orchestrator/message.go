package orchestrator

import "github.com/howdah/howdah/job"

// Sample is what a driver measured of a running attempt.
type Sample struct {
	Attempt   job.Attempt
	Start     int64 // of the attempt, milliseconds since the epoch
	Progress  int64 // millionths
	CPUMillis int64 // used since its start; never decreases
	Memory    int64 // MiB in use now
	// Allocation is what it has now, read back from where it is enforced. Of CPU it is a weight among the tasks of the node.
	Allocation Vector
}

// Report is what a Local tells Global with a beat. It is complete.
type Report struct {
	Capacity Vector // of the node, for tasks; memory of 0 = the node does not move it
	Tasks    []TaskReport
}

// TaskReport is what a Local knows of a task.
type TaskReport struct {
	Attempt    job.Attempt
	Usage      Vector // mean over the windows of the last epoch; 0 of all = it was not measured yet
	Allocation Vector
	Elapsed    int64 // ms
	Left       int64 // ms that it still needs at its present speed (equation 1); 0 = not known yet
	Answers    int64 // the epoch of the advice that Want answers; 0 = none
	Want       Vector
}

// Verdict is what the contention detector says of a task and a resource.
type Verdict uint8

// The verdicts.
const (
	Balanced Verdict = iota
	Deficit
	Hog
)

func (v Verdict) String() string { return [...]string{"balanced", "deficit", "hog"}[min(v, Hog)] }

// Advice tells a Local what Global sees of one of its tasks among those of the same job and phase.
type Advice struct {
	Attempt job.Attempt
	Epoch   int64
	Verdict [NumResources]Verdict
	Mean    Vector // usage of the tasks of its job's phase
	Target  int64  // ms that these tasks still need on average; 0 = not known
	Whole   bool   // Target is the time from start to end: of a phase with tasks that wait the one that has just begun is no straggler
	Pressed bool   // it presses against its memory limit
}

// Decision changes what an attempt has.
type Decision struct {
	Attempt  job.Attempt
	Tracker  int32
	Resource Resource
	From, To int64
	Reason   string
}
