package weight

import "github.com/howdah/howdah/mrcluster"

// RU weighs an MR-cluster by resource usage, a mixture of processor and disk usage (FAW section
// 4.3.2). Psi is the weight of processor usage, from 0 (as DU) to 1 (as PU).
//
// The paper mixes "the (normalized) resource usages". The manager therefore divides each of RU's
// usages by its sum over all active MR-clusters. Otherwise, fully used processors would outweigh
// disks that are only a few percent full. If Absolute is set, RU mixes the usages without
// normalization.
type RU struct {
	Psi      float64
	Absolute bool
}

// Weigh returns the value of equation 5 without normalization.
func (p RU) Weigh(s *mrcluster.Sample) float64 {
	return float64(p.Psi*PU{}.Weigh(s)) + float64((1-p.Psi)*DU{}.Weigh(s))
}

// Terms returns the two usages. If Absolute is set, it returns none.
func (p RU) Terms() []mrcluster.Term {
	if p.Absolute {
		return nil
	}
	return []mrcluster.Term{{Weighting: PU{}, Factor: p.Psi}, {Weighting: DU{}, Factor: 1 - p.Psi}}
}
