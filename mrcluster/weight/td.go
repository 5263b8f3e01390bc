package weight

import "github.com/howdah/howdah/mrcluster"

// TD is task demand (FAW section 4.3.1): a queue counts by its tasks.
type TD struct{ Queue Queue }

// Weigh gives the number of tasks in the queue.
func (p TD) Weigh(s *mrcluster.Sample) float64 { return float64(p.Queue.tasks(s)) }
