package weight

import "github.com/howdah/howdah/mrcluster"

// RU is resource usage (FAW section 4.3.2): processors and disks together. Psi, 0 to 1, is how much processors count; 0 makes it
// DU and 1 PU.
//
// The paper mixes "the (normalized) resource usages": each is divided by its sum over the MR-clusters, so that full processors do
// not drown disks that are never more than a few percent full. With Absolute they are mixed as they are.
type RU struct {
	Psi      float64
	Absolute bool
}

// Weigh is equation 5 for usages as they are.
func (p RU) Weigh(s *mrcluster.Sample) float64 {
	return float64(p.Psi*PU{}.Weigh(s)) + float64((1-p.Psi)*DU{}.Weigh(s))
}

// Terms are the two usages, or none with Absolute.
func (p RU) Terms() []mrcluster.Term {
	if p.Absolute {
		return nil
	}
	return []mrcluster.Term{{Weighting: PU{}, Factor: p.Psi}, {Weighting: DU{}, Factor: 1 - p.Psi}}
}
