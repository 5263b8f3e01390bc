package orchestrator

import "github.com/howdah/howdah/job"

// Sample is a measurement of a running attempt, which the driver supplies.
type Sample struct {
	Attempt   job.Attempt
	Start     int64 // start of the attempt, in milliseconds since the Unix epoch
	Progress  int64 // millionths
	CPUMillis int64 // CPU time since the start; never decreases
	Memory    int64 // current usage, in MiB
	// Allocation is the attempt's current allocation, as reported by the enforcing mechanism. For
	// CPU, it is a weight among the node's tasks. For memory, it is in MiB.
	Allocation Vector
}

// A Decision changes an attempt's allocation of a resource. From and To are in the units of
// Sample.Allocation.
type Decision struct {
	Attempt  job.Attempt
	Tracker  int32
	Resource Resource
	From, To int64
	Reason   string
}
