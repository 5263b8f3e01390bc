package weight

import "github.com/howdah/howdah/mrcluster"

// DU is disk usage (FAW section 4.3.2): what was written, by what could be stored.
type DU struct{}

// Weigh gives the bytes written by the bytes of storage, 0 to 1; 0 if the storage is not known, as without an HDFS.
func (DU) Weigh(s *mrcluster.Sample) float64 {
	if s.Storage <= 0 {
		return 0
	}
	return part(s.Written, s.Storage)
}
