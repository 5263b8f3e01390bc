package weight

import "github.com/howdah/howdah/mrcluster"

// JD is job demand (FAW section 4.3.1): a queue counts by its jobs.
type JD struct{}

// Weigh gives the number of waiting jobs.
func (JD) Weigh(s *mrcluster.Sample) float64 { return float64(s.WaitingJobs) }
