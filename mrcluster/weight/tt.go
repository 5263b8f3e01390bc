package weight

import "github.com/howdah/howdah/mrcluster"

// TT weighs an MR-cluster by task throughput (FAW section 4.3.3). It works like JT but counts
// tasks.
type TT struct {
	A     float64
	Queue Queue
}

// Weigh returns A^-q (equation 6), where q is the number of completed tasks divided by the number
// of tasks in the queue, at most 1. It returns 0 if the MR-cluster is idle.
func (p TT) Weigh(s *mrcluster.Sample) float64 {
	if s.Idle() {
		return 0
	}
	return decay(p.A, part(s.TasksDone, p.Queue.tasks(s)))
}
