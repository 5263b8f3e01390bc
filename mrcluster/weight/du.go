package weight

import "github.com/howdah/howdah/mrcluster"

// DU is disk usage (FAW section 4.3.2): what was written, by what could be stored.
type DU struct{}

// Weigh gives the bytes written by the bytes of storage, 0 to 1.
func (DU) Weigh(s *mrcluster.Sample) float64 { return part(s.Written, s.Storage) }
