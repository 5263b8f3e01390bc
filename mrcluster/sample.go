package mrcluster

// A Sample is a snapshot of an MR-cluster's JobTracker and file system (FAW section 4.2.2). It
// contains the demand, the usage, and the performance.
//
// A waiting task is one that could use a free slot now (scheduler.Job.Pending). A reduce counts as
// waiting only after its job's slow start. A waiting job has at least one waiting task, even if its
// other tasks are running.
type Sample struct {
	Jobs         int64 // number of unfinished jobs
	WaitingJobs  int64
	WaitingTasks int64
	WaitingBytes int64 // input bytes of the waiting jobs
	Bytes        int64 // input bytes of the unfinished jobs
	RunningTasks int64
	Slots        int64 // map and reduce slots of all TaskTrackers
	JobsDone     int64 // since the MR-cluster was deployed
	TasksDone    int64
	Written      int64 // bytes of output since the MR-cluster was deployed
	Storage      int64 // bytes that the nodes can store; 0 = unknown
	// Slowdown is the mean of the known slowdowns of unfinished jobs; 0 means that none is known. A
	// job's slowdown is the time since its submission divided by its time on a reference
	// MR-cluster.
	Slowdown float64
	// Lateness is the mean lateness of the unfinished jobs, as Late returns it. 0 means that they end
	// at their deadlines, or that there are none.
	Lateness float64
	// Stored lists the stored bytes of each node. A node that is not listed stores nothing.
	Stored []Stored
}

// Stored is the number of bytes of an MR-cluster's data on a node.
type Stored struct {
	Node  string
	Bytes int64
}

// Idle reports whether the MR-cluster has no jobs and no tasks.
func (s *Sample) Idle() bool { return s.Jobs == 0 && s.WaitingTasks == 0 && s.RunningTasks == 0 }

// MaxLateness limits the lateness of a job.
const MaxLateness = 10

// Late returns a job's lateness, which is its predicted finish minus its deadline, divided by the
// time from its submission to its deadline. The lateness is 0 if the job ends at its deadline. It is
// at least -1, the lateness of a job that takes no time, and at most MaxLateness. A job without a
// deadline (0) has lateness -1. finish is 0 if there is no prediction; the job then ends at its
// deadline, or now if that is later. All times are in ms since the epoch.
func Late(now, submit, deadline, finish int64) float64 {
	if deadline == 0 {
		return -1
	}
	if finish == 0 {
		finish = deadline
	}
	late := float64(max(now, finish) - deadline)
	return max(-1, min(MaxLateness, late/float64(max(1, deadline-submit))))
}

// A Weighting is a policy that weighs MR-clusters (FAW section 4.3). Package weight implements the
// policies.
type Weighting interface {
	// Weigh returns y, the value of a sample. y must be finite and not negative. The weight of an
	// MR-cluster is its mean y over an interval, divided by the sum of the means of all active
	// MR-clusters (equation 4). If every mean is 0, the manager sets no new shares.
	Weigh(s *Sample) float64
}

// A Mixture is a Weighting that combines other Weightings. The manager normalizes each term over
// the MR-clusters, multiplies it by its factor, and adds the results (FAW equation 5, "the
// (normalized) resource usages").
type Mixture interface {
	Weighting
	// Terms returns the terms to normalize. If it returns none, the manager uses Weigh.
	Terms() []Term
}

// Term is one part of a Mixture.
type Term struct {
	Weighting Weighting
	Factor    float64 // not negative
}

// termsOf returns the terms of a mixture, or the policy itself as its only term.
func termsOf(w Weighting) []Term {
	if m, ok := w.(Mixture); ok {
		if terms := m.Terms(); len(terms) > 0 {
			return terms
		}
	}
	return []Term{{Weighting: w, Factor: 1}}
}
