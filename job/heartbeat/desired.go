package heartbeat

import "github.com/howdah/howdah/job"

// Desired is the complete state that a TaskTracker must establish. The TaskTracker starts the
// attempts in Run that it does not yet have. It kills and drops attempts that are not in Run, and
// it deletes the files of jobs that are not in Jobs.
type Desired struct {
	Seq      uint64 // sequence number of the report that this message answers
	Run      []job.Attempt
	Offsets  []int64 // for each map in Run, the offset of its split in the job's file of splits; otherwise 0
	Jobs     []int32
	Interval int64 // milliseconds until the next heartbeat
	Full     bool  // the next report must have Full set
	Draining bool  // the TaskTracker gets no more work, so it must not start a child process in advance
	Register bool  // the TaskTracker is unknown or expired; it must kill all attempts and register again
	Epoch    int64 // number of restarts of the JobTracker
	// Containers means that the policy places tasks by memory and cores, so tasks can outnumber
	// slots.
	Containers bool
	Limits     []Limit  // limits of the attempts in Run that have limits, in the same order; Why is not set
	Advice     []Advice // for the TaskTracker's share manager; empty means unchanged
}

// Limit contains the resource limits of a running attempt.
type Limit struct {
	Attempt job.Attempt
	CPU     int32 // weight among the TaskTracker's attempts, in thousandths of a core; 0 means as at launch
	Memory  int32 // in MiB; 0 means as at launch
	Why     string
}
