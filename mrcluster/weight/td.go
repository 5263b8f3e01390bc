package weight

import "github.com/howdah/howdah/mrcluster"

// TD weighs an MR-cluster by task demand, the number of tasks in its queue (FAW section 4.3.1).
type TD struct{ Queue Queue }

// Weigh returns the number of tasks in the queue.
func (p TD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.tasks(s)) }
