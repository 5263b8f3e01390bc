package dhfs

import (
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

type options struct {
	percent         [2]float64 // percentage of the slots of each type that may be lent, 0 to 100
	ofUnused        bool       // percent applies to the unused slots instead of all slots
	relaxLocality   bool       // Case (5) of Algorithm 2
	preemptBorrowed bool       // preemption kills tasks in borrowed slots first; not in the paper
}

func readOptions(c *conf.Config) (o options, err error) {
	var errs [5]error
	o.percent[job.Map], errs[0] = conf.DHFSPercentageOfBorrowedMapSlots.Get(c)
	o.percent[job.Reduce], errs[1] = conf.DHFSPercentageOfBorrowedReduceSlots.Get(c)
	o.relaxLocality, errs[2] = conf.DHFSRelaxLocality.Get(c)
	o.preemptBorrowed, errs[3] = conf.DHFSPreemptBorrowed.Get(c)
	of, err := conf.DHFSPercentageOf.Get(c)
	o.ofUnused, errs[4] = of == "unused", err
	for _, err := range errs {
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// lendable returns how many of the given slots of type k may be lent, rounded down.
func (o *options) lendable(k job.TaskType, slots int64) int64 {
	return int64(math.Floor(float64(float64(slots)*o.percent[k]) / 100))
}
