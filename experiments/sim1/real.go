package sim1

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
)

// small is the job of a real run: as many waves on as many slots as in the paper, a tenth of the tasks.
var small = size{20, 24, [2]int32{13, 6}}

func real(ctx context.Context, r *lab.Run) error {
	const throttle = 64 << 10
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: 16, Slots: [2]int32{1, 1}, Set: []string{fmt.Sprintf("howdah.shuffle.throttle=%d", throttle)}})
	if err != nil {
		return err
	}
	defer c.Stop()
	for _, slots := range small.slots {
		_, err := c.Howdah(ctx, "run", "-q", "sleep", "-D", fmt.Sprintf("mapreduce.job.running.map.limit=%d", slots), "-D", fmt.Sprintf("mapreduce.job.running.reduce.limit=%d", slots),
			"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false", "-D", "howdah.sleep.map.records=2000",
			"-D", simmr.Times(r.Seed, "map", small.maps, 3000, 0.15), "-D", simmr.Times(r.Seed, "reduce", small.reduces, 2000, 0.15),
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
	r.Knob("job", fmt.Sprintf("%d maps of 3 s and %d reduces of 2 s, processes that sleep, real shuffle", small.maps, small.reduces))
	report(r, small, runs)
	return nil
}
