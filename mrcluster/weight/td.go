package weight

import "github.com/howdah/howdah/mrcluster"

// TD is task demand (FAW section 4.3.1): a queue counts by its tasks.
type TD struct{}

// Weigh gives the number of waiting tasks.
func (TD) Weigh(s *mrcluster.Sample) float64 { return float64(s.WaitingTasks) }
