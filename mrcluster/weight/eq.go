package weight

import "github.com/howdah/howdah/mrcluster"

// EQ is the baseline that gives every MR-cluster an equal share.
type EQ struct{}

// Weigh returns 1 for every sample.
func (EQ) Weigh(_ *mrcluster.Sample) float64 { return 1 }
