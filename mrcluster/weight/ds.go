package weight

import (
	"math"

	"github.com/howdah/howdah/mrcluster"
)

// DS weighs an MR-cluster by deadline slack: the later its jobs end relative to their deadlines, the
// higher its weight. A is the base and must be above 1. The policy is not in the paper. Its form
// follows equation 6.
type DS struct{ A float64 }

// Weigh returns A^l, where l is the mean lateness of the unfinished jobs (mrcluster.Late). It returns
// 0 if the MR-cluster is idle.
func (p DS) Weigh(s *mrcluster.Sample) float64 {
	if s.Idle() {
		return 0
	}
	return math.Pow(p.A, max(-1, min(mrcluster.MaxLateness, s.Lateness)))
}
