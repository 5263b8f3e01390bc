package mrcluster

// Sample is what an MR-cluster's JobTracker and file system tell at a moment (FAW section 4.2.2): demand, usage, performance. A
// waiting task is one that a free slot would get now (scheduler.Job.Pending): a reduce waits from its job's slow start on, not
// before. A waiting job is one with such tasks, also when others of its tasks run.
type Sample struct {
	Jobs         int64 // unfinished
	WaitingJobs  int64
	WaitingTasks int64
	WaitingBytes int64 // input of the waiting jobs
	Bytes        int64 // input of the unfinished jobs
	RunningTasks int64
	Slots        int64 // of both kinds, on all trackers
	JobsDone     int64 // since it was deployed
	TasksDone    int64
	Written      int64 // bytes of output since it was deployed
	Storage      int64 // bytes that its nodes can store; 0 = not known
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

// Mixture is a Weighting that is made of others: each of them is normalised over the MR-clusters, and the results are added up
// (FAW equation 5, "the (normalized) resource usages").
type Mixture interface {
	Weighting
	// Terms gives the parts. With none, what Weigh says counts as it is.
	Terms() []Term
}

// Term is one part of a Mixture.
type Term struct {
	Weighting Weighting
	Factor    float64 // not negative
}

// termsOf gives what a policy is made of: itself, unless it is a mixture.
func termsOf(w Weighting) []Term {
	if m, ok := w.(Mixture); ok {
		if terms := m.Terms(); len(terms) > 0 {
			return terms
		}
	}
	return []Term{{Weighting: w, Factor: 1}}
}
