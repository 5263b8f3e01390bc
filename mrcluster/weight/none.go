package weight

import "github.com/howdah/howdah/mrcluster"

// None is the baseline without weights. Every MR-cluster stays at its minimum share.
type None struct{}

// Weigh returns 0 for every sample.
func (None) Weigh(_ *mrcluster.Sample) float64 { return 0 }
