package weight

import "github.com/howdah/howdah/mrcluster"

// DU weighs an MR-cluster by disk usage (FAW section 4.3.2), which is bytes written divided by
// capacity.
type DU struct{}

// Weigh returns the bytes written divided by the capacity in bytes, from 0 to 1. It returns 0 if
// the capacity is unknown, as in an MR-cluster without its own HDFS.
func (DU) Weigh(s *mrcluster.Sample) float64 {
	if s.Storage <= 0 {
		return 0
	}
	return part(s.Written, s.Storage)
}
