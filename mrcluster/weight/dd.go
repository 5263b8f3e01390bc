package weight

import "github.com/howdah/howdah/mrcluster"

// DD weighs an MR-cluster by data demand, the input of the jobs in its queue (FAW section 4.3.1).
type DD struct{ Queue Queue }

// Weigh returns the input bytes of the jobs in the queue.
func (p DD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.bytes(s)) }
