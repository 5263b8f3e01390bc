package weight

import "github.com/howdah/howdah/mrcluster"

// None is the baseline without a policy: everybody stays at the minimum share.
type None struct{}

// Weigh gives the same for everybody, nothing.
func (None) Weigh(_ *mrcluster.Sample) float64 { return 0 }
