package mrcluster

// Sample is what an MR-cluster's JobTracker and file system tell at a moment (FAW section 4.2.2): demand, usage, performance. A
// waiting job is one with tasks that wait for a slot, also when others of its tasks run.
type Sample struct {
	Jobs         int64 // unfinished
	WaitingJobs  int64
	WaitingTasks int64
	WaitingBytes int64 // input of the waiting jobs
	RunningTasks int64
	Slots        int64 // of both kinds, on all trackers
	JobsDone     int64 // since it was deployed
	TasksDone    int64
	Written      int64 // bytes of output since it was deployed
	Storage      int64 // bytes that its nodes can store
	// Slowdown is the mean over unfinished jobs of the time since submission by the time on a reference MR-cluster. 0 = not known.
	Slowdown float64
	// Stored is how many bytes lie on nodes; those that are not named hold none.
	Stored []Stored
}

// Stored is how many bytes of an MR-cluster's data lie on a node.
type Stored struct {
	Node  string
	Bytes int64
}

// Idle reports whether there is nothing to do.
func (s *Sample) Idle() bool { return s.Jobs == 0 && s.WaitingTasks == 0 && s.RunningTasks == 0 }

// Weighting is a policy that weighs MR-clusters (FAW section 4.3). Implementations are in package weight.
type Weighting interface {
	// Weigh gives y, what a sample counts for; it is finite and not negative. The weight of an MR-cluster is the mean of its y
	// over an interval by the sum of these means (equation 4). Where every y is 0 nobody grows or shrinks.
	Weigh(s *Sample) float64
}
