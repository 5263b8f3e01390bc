package weight

import "github.com/howdah/howdah/mrcluster"

// JD weighs an MR-cluster by job demand, the number of jobs in its queue (FAW section 4.3.1).
type JD struct{ Queue Queue }

// Weigh returns the number of jobs in the queue.
func (p JD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.jobs(s)) }
