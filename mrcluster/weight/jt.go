package weight

import "github.com/howdah/howdah/mrcluster"

// JT is job throughput (FAW section 4.3.3): who gets few of his jobs done counts more. A is the base of equation 6, above 1; the
// paper has 2.
type JT struct {
	A     float64
	Queue Queue
}

// Weigh is equation 6 with q the jobs that are done by those in the queue, at most 1; 0 without jobs.
func (p JT) Weigh(s *mrcluster.Sample) float64 {
	if s.Idle() {
		return 0
	}
	return decay(p.A, part(s.JobsDone, p.Queue.jobs(s)))
}
