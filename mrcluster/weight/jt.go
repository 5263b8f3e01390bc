package weight

import "github.com/howdah/howdah/mrcluster"

// JT weighs an MR-cluster by job throughput (FAW section 4.3.3). The fewer of its jobs it
// completes, the higher its weight. A is the base of equation 6 and must be above 1. The paper uses
// 2.
type JT struct {
	A     float64
	Queue Queue
}

// Weigh returns A^-q (equation 6), where q is the number of completed jobs divided by the number of
// jobs in the queue, at most 1. It returns 0 if the MR-cluster is idle.
func (p JT) Weigh(s *mrcluster.Sample) float64 {
	if s.Idle() {
		return 0
	}
	return decay(p.A, part(s.JobsDone, p.Queue.jobs(s)))
}
