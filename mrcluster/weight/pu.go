package weight

import "github.com/howdah/howdah/mrcluster"

// PU is processor usage (FAW section 4.3.2): the part of the slots that run a task.
type PU struct{}

// Weigh gives the used part of the slots, 0 to 1.
func (PU) Weigh(s *mrcluster.Sample) float64 { return part(s.RunningTasks, s.Slots) }
