package pool

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Cap returns how many of its slots of kind k the tracker may use (CapBasedLoadManager). It spreads
// the load evenly over the cluster. Otherwise the first tracker could take all tasks of a small
// job. mapred.fairscheduler.load.max.diff sets how far a tracker's load may exceed the cluster's.
func (x *Totals) Cap(v scheduler.View, t *scheduler.Tracker, k job.TaskType) int32 {
	all := v.Cluster().Slots[k]
	if all == 0 {
		return 0
	}
	return Part(x.demand[k], all, x.set.LoadMaxDiff, t.Slots[k])
}

// Part returns how many of a tracker's slots the load may use: ceil((more + demand / capacity) x
// slots), but at most slots. demand and capacity are those of the cluster, in slots. more is a
// fraction.
func Part(demand int64, capacity int32, more float64, slots int32) int32 {
	load := more + float64(demand)/float64(capacity)
	return int32(math.Min(float64(slots), math.Ceil(float64(load*float64(slots)))))
}
