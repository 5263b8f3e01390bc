package weight

import "github.com/howdah/howdah/mrcluster"

// JD weighs a queue by job demand, the number of its jobs (FAW section 4.3.1).
type JD struct{ Queue Queue }

// Weigh returns the number of jobs in the queue.
func (p JD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.jobs(s)) }
