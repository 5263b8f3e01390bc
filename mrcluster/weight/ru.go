package weight

import "github.com/howdah/howdah/mrcluster"

// RU is resource usage (FAW section 4.3.2): processors and disks together. Psi, 0 to 1, is how much processors count; 0 makes it
// DU and 1 PU.
type RU struct{ Psi float64 }

// Weigh is equation 5.
func (p RU) Weigh(s *mrcluster.Sample) float64 {
	return float64(p.Psi*PU{}.Weigh(s)) + float64((1-p.Psi)*DU{}.Weigh(s))
}
