package pool

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Cap is how many slots of a kind a tracker may have in use: the load is spread evenly over the cluster, so that the first
// tracker that asks does not take all of a small job (CapBasedLoadManager). mapred.fairscheduler.load.max.diff lets a
// tracker's load be that much above the cluster's.
func (x *Index) Cap(v scheduler.View, t *scheduler.Tracker, k job.TaskType) int32 {
	all := v.Cluster().Slots[k]
	if all == 0 {
		return 0
	}
	return Part(x.demand[k], all, x.set.LoadMaxDiff, t.Slots[k])
}

// Part is a tracker's part of a load: ceil((more + demand / capacity) x slots), and no more than its slots.
func Part(demand int64, capacity int32, more float64, slots int32) int32 {
	load := more + float64(demand)/float64(capacity)
	return int32(math.Min(float64(slots), math.Ceil(float64(load*float64(slots)))))
}
