package weight

import "github.com/howdah/howdah/mrcluster"

// JT weighs an MR-cluster by job throughput (FAW section 4.3.3). The fewer of its jobs it
// completes, the higher its weight. A is the base of equation 6 and must be above 1. The paper uses
// 2.
type JT struct {
	A     float64
	Queue Queue
}

// Weigh returns the value of equation 6. q is the number of completed jobs divided by the number of
// jobs in the queue, at most 1. Weigh returns 0 if there are no jobs.
func (p JT) Weigh(s *mrcluster.Sample) float64 {
	if s.Idle() {
		return 0
	}
	return decay(p.A, part(s.JobsDone, p.Queue.jobs(s)))
}
