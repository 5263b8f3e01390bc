package weight

import "github.com/howdah/howdah/mrcluster"

// JD is job demand (FAW section 4.3.1): a queue counts by its jobs.
type JD struct{ Queue Queue }

// Weigh gives the number of jobs in the queue.
func (p JD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.jobs(s)) }
