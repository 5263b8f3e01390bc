package trace

// Result is what a simulated (or measured) run of a trace came to.
type Result struct {
	Model     string // heartbeat, task or mumak
	Trackers  string // what stood in for the TaskTrackers: "stub", "machine" (the real one, in runs with faults), or "" (none)
	Scheduler string
	Nodes     int
	Seed      uint64
	Events    int64 // inputs of the machine, or SimMR's seven kinds of events
	Kinds     []Count
	Makespan  int64  // ms from the first submission to the last end
	Hash      string // of the journal; equal hashes mean equal decisions
	Jobs      []JobResult
}

// Count is how many events of a kind there were.
type Count struct {
	Kind string
	N    int64
}

// JobResult is what became of one job. Times as in Job.
type JobResult struct {
	Seq      int32
	ID, Name string
	Submit   int64
	Start    int64 // first task
	MapsDone int64
	Finish   int64
	Deadline int64
	Failed   bool
	Maps     int32
	Reduces  int32
	// SlotTime is the time that its attempts held slots, by job.Map and job.Reduce, in ms.
	SlotTime [2]int64
}

// Missed reports whether the job has a deadline and ended after it.
func (r *JobResult) Missed() bool { return r.Deadline > 0 && r.Finish > r.Deadline }

// Makespan is the time from the first submission to the last end, in ms.
func Makespan(jobs []JobResult) int64 {
	if len(jobs) == 0 {
		return 0
	}
	first, last := jobs[0].Submit, jobs[0].Finish
	for i := range jobs {
		first, last = min(first, jobs[i].Submit), max(last, jobs[i].Finish)
	}
	return last - first
}
