package weight

import "github.com/howdah/howdah/mrcluster"

// EQ is the baseline of equal shares.
type EQ struct{}

// Weigh gives the same for everybody.
func (EQ) Weigh(_ *mrcluster.Sample) float64 { return 1 }
