package weight

import "github.com/howdah/howdah/mrcluster"

// JS is job slowdown (FAW section 4.3.3): who serves his jobs badly counts more. It needs to know how long a job takes on a
// reference MR-cluster.
type JS struct{}

// Weigh gives the mean slowdown of the unfinished jobs: 1 as long as it is not known, 0 without jobs.
func (JS) Weigh(s *mrcluster.Sample) float64 {
	switch {
	case s.Idle():
		return 0
	case s.Slowdown <= 0:
		return 1
	}
	return s.Slowdown
}
