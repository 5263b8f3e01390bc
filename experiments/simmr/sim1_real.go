package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// small is the job of a real run. It has about a tenth of the paper's tasks on about a tenth of the
// slots, and the same number of waves.
var small = size{20, 24, [2]int32{13, 6}}

func sim1Real(ctx context.Context, r *lab.Run) error {
	const throttle = 64 << 10
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: 16, Slots: [2]int32{1, 1},
		Set: []string{fmt.Sprintf("howdah.shuffle.throttle=%d", throttle)}})
	if err != nil {
		return err
	}
	defer c.Stop()
	for _, slots := range small.slots {
		_, err := c.Howdah(ctx, "run", "-q", "sleep", "-D", fmt.Sprintf("mapreduce.job.running.map.limit=%d", slots),
			"-D", fmt.Sprintf("mapreduce.job.running.reduce.limit=%d", slots),
			"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false",
			"-D", "howdah.sleep.map.records=2000",
			"-D", Times(r.Seed, "map", small.maps, 3000, 0.15), "-D", Times(r.Seed, "reduce", small.reduces, 2000, 0.15),
			"-m", fmt.Sprint(small.maps), "-r", fmt.Sprint(small.reduces))
		if err != nil {
			return err
		}
	}
	journal, err := c.Journal(ctx)
	if err != nil {
		return err
	}
	var runs [2]*execution
	for i := range runs {
		if runs[i], err = read(journal, int32(i+1)); err != nil {
			return err
		}
	}
	r.Knob("cluster", "16 TaskTrackers with 1 + 1 slots on one machine")
	r.Knob("howdah.shuffle.throttle", fmt.Sprintf("%d bytes/s for each map-output server", throttle))
	r.Knob("job", fmt.Sprintf("%d maps of 3 s and %d reduces of 2 s, in processes that sleep and shuffle real data",
		small.maps,
		small.reduces))
	sim1Report(r, small, runs)
	return nil
}
