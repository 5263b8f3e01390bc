package adaptive

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// On the real JobTracker machine, the scheduler measures the load of other workloads, which take
// half of every node for a while. It stays within the rest, and all jobs end.
func TestMeasuredLoadLimitsTasks(t *testing.T) {
	for _, n := range []scheduler.New{New, NewReverse, NewMinMiss} {
		p := fresh(t, n, settings{conf.AdaptiveCapacitySource.Name: SourceMeasured, conf.AdaptiveCycle.Name: "3000"})
		tr := &trace.Trace{}
		for i := range 3 {
			j := &trace.Job{ID: string(rune('a' + i)), Name: "shared", Submit: int64(i) * 1000, Deadline: int64(i+1) * 600_000}
			for range 60 {
				j.Maps = append(j.Maps, trace.Map{Time: 10_000})
			}
			tr.Jobs = append(tr.Jobs, j)
		}
		most, during := int32(0), int32(0)
		plan := &simulator.Plan{Loads: []simulator.Load{{At: 60_000, Share: 0.5}, {At: 160_000}}}
		start := int64(0)
		c := simulator.Config{Trackers: 4, Slots: [2]int32{4, 1}, Policy: p, Plan: plan, SampleEvery: 1000,
			Sample: func(v scheduler.View) {
				if start == 0 {
					start = v.Now()
				}
				used := v.Cluster().Used[0]
				most = max(most, used)
				if at := v.Now() - start; at > 100_000 && at < 155_000 {
					during = max(during, used)
				}
			}}
		r, err := simulator.Run(context.Background(), c, tr.Source())
		require.NoError(t, err)
		require.Len(t, r.Jobs, 3)
		require.EqualValues(t, 16, most)
		require.EqualValues(t, 8, during, "half of the slots while others use half of the CPU")
	}
}
