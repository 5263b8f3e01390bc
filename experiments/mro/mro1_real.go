package mro

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
)

// crowd lists the testbed's jobs that run together, all except Sessions, as indexes in Bed.Jobs.
var crowd = []int{0, 2, 3, 4}

// mro1Real runs jobs of the testbed alone and together, with Hadoop's way of sharing slots.
func mro1Real(ctx context.Context, r *lab.Run) error {
	const times = 3
	Bed.Knobs(r)
	r.Knob("jobs in these runs", "all except Sessions")
	r.Knob("map slots", fmt.Sprintf("%d per node instead of %d when the jobs run together, and one per node when "+
		"a job runs alone", len(crowd), Bed.Slots[0]))
	r.Knob("repetitions", times)
	base := Mode{Name: "base"}
	runs := make([][]*Outcome, 1+len(crowd)) // element 0 is for all jobs together
	for range times {
		for i := range runs {
			bed := Bed
			bed.Jobs = nil
			for k, which := range crowd {
				if i == 0 || i == k+1 {
					bed.Jobs = append(bed.Jobs, Bed.Jobs[which])
				}
			}
			// With this many slots, each node can run a map of every job.
			bed.Slots[0] = int32(len(bed.Jobs))
			o, err := bed.Run(ctx, r, base)
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], o)
		}
	}
	together, alone := runs[0], Joined(runs[1:])
	var rows [][]string
	var spreads []lab.Interval
	for k, which := range crowd {
		ratio := lab.IntervalOf(Each(alone, together, func(a, b *Outcome) float64 { return b.JCT[k] / a.JCT[k] }))
		spread := lab.IntervalOf(Each(together, together, func(o, _ *Outcome) float64 { return o.Spread[k] }))
		spreads = append(spreads, spread)
		rows = append(rows, []string{Bed.Jobs[which].Name, fmt.Sprintf("%.1f", mean(alone, k)),
			fmt.Sprintf("%.1f", mean(together, k)), ratio.String(), spread.String(), mro1Use(runs[k+1]).String()})
	}
	r.AddTable("completion", []string{"job", "alone (s)", "together (s)", "ratio", "longest / median map",
		"CPU in use alone (%)"}, rows)
	r.Compare("longer", lab.IntervalOf(Each(alone, together, longer)), "the mean over %d jobs", len(crowd))
	most := slices.MaxFunc(spreads, func(a, b lab.Interval) int { return cmp.Compare(a.Low(), b.Low()) })
	r.Compare("spread", most, "the longest map divided by the median one, for the job with the largest spread")
	return nil
}

func mean(runs []*Outcome, k int) float64 {
	return lab.IntervalOf(Each(runs, runs, func(o, _ *Outcome) float64 { return o.JCT[k] })).Mean
}
