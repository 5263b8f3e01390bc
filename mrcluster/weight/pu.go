package weight

import "github.com/howdah/howdah/mrcluster"

// PU weighs an MR-cluster by processor usage (FAW section 4.3.2), which is the fraction of its
// slots running a task.
type PU struct{}

// Weigh returns the fraction of slots in use, from 0 to 1.
func (PU) Weigh(s *mrcluster.Sample) float64 { return part(s.RunningTasks, s.Slots) }
