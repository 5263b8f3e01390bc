package dhfs

import (
	"errors"
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// Keys of the schedulers with dynamic slots, besides those of the Fair Scheduler.
const (
	// KeyBorrowedMapSlots and KeyBorrowedReduceSlots are the paper's percentageOfBorrowedMapSlots and
	// percentageOfBorrowedReduceSlots: how many map slots reduces may borrow, and how many reduce slots maps may.
	KeyBorrowedMapSlots    = "howdah.dhfs.percentageOfBorrowedMapSlots"
	KeyBorrowedReduceSlots = "howdah.dhfs.percentageOfBorrowedReduceSlots"
	// KeyPercentageOf says of what: capacity (Algorithm 1) or unused (the text of section III-A).
	KeyPercentageOf = "howdah.dhfs.percentage.of"
	// KeyRelaxLocality switches Case (5) of Algorithm 2 off and on.
	KeyRelaxLocality = "howdah.dhfs.relax.locality"
	// KeyPreemptBorrowed says whether preemption may kill tasks in borrowed slots; the paper never does.
	KeyPreemptBorrowed = "howdah.dhfs.preempt.borrowed"
)

type options struct {
	percent         [2]float64 // of slots of a kind that may be lent
	ofUnused        bool
	relaxLocality   bool
	preemptBorrowed bool
}

func readOptions(c *conf.Config) (o options, err error) {
	var errs [5]error
	o.percent[job.Map], errs[0] = c.Float(KeyBorrowedMapSlots, 100, 0, 100)
	o.percent[job.Reduce], errs[1] = c.Float(KeyBorrowedReduceSlots, 100, 0, 100)
	o.relaxLocality, errs[2] = c.Bool(KeyRelaxLocality, true)
	o.preemptBorrowed, errs[3] = c.Bool(KeyPreemptBorrowed, false)
	switch c.Get(KeyPercentageOf) {
	case "", "capacity":
	case "unused":
		o.ofUnused = true
	default:
		errs[4] = c.Refuse(KeyPercentageOf, errors.New("want capacity or unused"))
	}
	for _, err := range errs {
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// lendable is how many of a number of slots of a kind may be lent.
func (o *options) lendable(k job.TaskType, slots int64) int64 {
	return int64(math.Floor(float64(float64(slots)*o.percent[k]) / 100))
}
