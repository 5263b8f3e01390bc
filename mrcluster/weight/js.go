package weight

import "github.com/howdah/howdah/mrcluster"

// JS weighs an MR-cluster by job slowdown (FAW section 4.3.3). The slower its jobs, the higher its
// weight. A slowdown is relative to the time that a job takes on a reference MR-cluster.
type JS struct{}

// Weigh returns the mean slowdown of the unfinished jobs. It returns 1 if the slowdown is unknown,
// and 0 if the MR-cluster is idle.
func (JS) Weigh(s *mrcluster.Sample) float64 {
	switch {
	case s.Idle():
		return 0
	case s.Slowdown <= 0:
		return 1
	}
	return s.Slowdown
}
