package weight

import "github.com/howdah/howdah/mrcluster"

// DD is data demand (FAW section 4.3.1): a queue counts by the input of its jobs.
type DD struct{ Queue Queue }

// Weigh gives the bytes of input of the jobs in the queue.
func (p DD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.bytes(s)) }
