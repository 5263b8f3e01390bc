package weight

import "github.com/howdah/howdah/mrcluster"

// DD is data demand (FAW section 4.3.1): a queue counts by the input of its jobs.
type DD struct{}

// Weigh gives the bytes of input of the waiting jobs.
func (DD) Weigh(s *mrcluster.Sample) float64 { return float64(s.WaitingBytes) }
