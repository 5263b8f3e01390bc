package mro1

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
)

// crowd is the four jobs of the testbed that run together, by their place in mro.Bed.Jobs: of the two that hold most memory one.
var crowd = []int{0, 2, 3, 4}

// real runs jobs of the testbed alone and together, as Hadoop shares its slots.
func real(ctx context.Context, r *lab.Run) error {
	const times = 3
	mro.Bed.Knobs(r)
	r.Knob("map slots", fmt.Sprintf("as many on a node as jobs run: %d together, one alone; %d repetitions", len(crowd), times))
	base := mro.Mode{Name: "base"}
	runs := make([][]*mro.Outcome, 1+len(crowd)) // the first is together
	for range times {
		for i := range runs {
			bed := mro.Bed
			bed.Jobs = nil
			for k, which := range crowd {
				if i == 0 || i == k+1 {
					bed.Jobs = append(bed.Jobs, mro.Bed.Jobs[which])
				}
			}
			bed.Slots[0] = int32(len(bed.Jobs)) // a map of every job on each node: alone, none shares its node with another
			o, err := bed.Run(ctx, r, base)
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], o)
		}
	}
	together, alone := runs[0], mro.Joined(runs[1:])
	var rows [][]string
	var spreads []mro.Interval
	for k, which := range crowd {
		ratio := mro.Of(mro.Each(alone, together, func(a, b *mro.Outcome) float64 { return b.JCT[k] / a.JCT[k] }))
		spread := mro.Of(mro.Each(together, together, func(o, _ *mro.Outcome) float64 { return o.Spread[k] }))
		spreads = append(spreads, spread)
		rows = append(rows, []string{mro.Bed.Jobs[which].Name, fmt.Sprintf("%.1f", mean(alone, k)), fmt.Sprintf("%.1f", mean(together, k)), ratio.String(), spread.String(), use(runs[k+1]).String()})
	}
	r.AddTable("completion", []string{"job", "alone (s)", "together (s)", "ratio", "longest map by median", "CPU in use alone (%)"}, rows)
	ratio := mro.Of(mro.Each(alone, together, longer))
	r.Check("jobs take 2 to 4 times as long together as alone", ratio.Mean >= 2 && ratio.Mean <= 4, "%v times; the paper 2.9", ratio)
	most := slices.MaxFunc(spreads, func(a, b mro.Interval) int { return int(1e6 * (a.Mean - b.Mean)) })
	r.Check("tasks of one job end unequally", most.Above(1.3), "the longest map of a job takes %v times the median one", most)
	return nil
}

func mean(runs []*mro.Outcome, k int) float64 {
	return mro.Of(mro.Each(runs, runs, func(o, _ *mro.Outcome) float64 { return o.JCT[k] })).Mean
}
