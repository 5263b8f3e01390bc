package trace

// Result is the outcome of a simulated (or measured) run of a trace.
type Result struct {
	Model     string // engine: heartbeat, task, or mumak
	Trackers  string // kind of TaskTrackers: "stub", "machine" (the real one, in runs with faults), or "" (none)
	Scheduler string
	Nodes     int
	Seed      uint64
	Events    int64 // number of the machine's inputs, or of SimMR's events
	Kinds     []Count
	Makespan  int64  // ms from the first submission to the last end
	Hash      string // hash of the journal or, in the task-level engine, of the events; equal hashes mean equal decisions
	Jobs      []JobResult
}

// Count is the number of events of a kind.
type Count struct {
	Kind string
	N    int64
}

// JobResult is the outcome of one job. Its times have the same form as in Job.
type JobResult struct {
	Seq      int32
	ID, Name string
	Submit   int64
	Start    int64 // start of the first task
	MapsDone int64
	Finish   int64
	Deadline int64
	Failed   bool
	Maps     int32
	Reduces  int32
	// SlotTime is the time in ms for which the job's attempts held slots, by job.Map and
	// job.Reduce.
	SlotTime [2]int64
}

// Missed reports whether the job has a deadline and ended after it.
func (r *JobResult) Missed() bool { return r.Deadline > 0 && r.Finish > r.Deadline }

// Makespan returns the time from the first submission to the last end, in ms.
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
