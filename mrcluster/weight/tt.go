package weight

import "github.com/howdah/howdah/mrcluster"

// TT is task throughput (FAW section 4.3.3): as JT, with tasks.
type TT struct {
	A     float64
	Queue Queue
}

// Weigh is equation 6 with q the tasks that are done by those in the queue, at most 1; 0 without jobs.
func (p TT) Weigh(s *mrcluster.Sample) float64 {
	if s.Idle() {
		return 0
	}
	return decay(p.A, part(s.TasksDone, p.Queue.tasks(s)))
}
