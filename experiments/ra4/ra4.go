// Package ra4 is Experiment 3 of the Reverse-Adaptive scheduler's paper: transactional workloads of growing burstiness.
package ra4

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
)

// Experiment is RA-4.
var Experiment = &lab.Experiment{
	ID: "RA-4", Paper: ra.Paper, Item: "Figure 9 (Experiment 3: burstiness)", BibTeX: ra.BibTeX,
	Claim:    "The more bursty the availability function, the more Reverse-Adaptive lowers the number of missed deadlines relative to the other schedulers.",
	Relation: "(Adaptive - Reverse-Adaptive) is non-decreasing in the burstiness level",
	Sim:      simulate,
}

var contenders = []ra.Contender{ra.FIFO, ra.Adaptive, ra.Reverse, ra.Blind}

const (
	fifo = iota
	adaptive
	reverse
	blind
)

const levels = 3

// cases lists level by level. longer makes tasks that many times as long, and jobs as much rarer.
func cases(longer float64) (list []ra.Case) {
	for level := 1; level <= levels; level++ {
		for _, l := range ra.Loads[:4] {
			w := ra.Base(l, 8, level)
			if longer != 1 {
				w.Workload.Task = 387e3 * longer
			}
			list = append(list, w)
		}
	}
	return list
}

func simulate(ctx context.Context, r *lab.Run) error {
	seeds := ra.Seeds(r, 4)
	list := cases(1)
	ra.Knobs(r, seeds, list[0])
	grid, err := ra.Run(ctx, r, seeds, contenders, list)
	if err != nil {
		return err
	}
	const factor = 10
	long := cases(factor)
	far, err := ra.Run(ctx, r, seeds, contenders, long)
	if err != nil {
		return err
	}
	ra.Table(r, "missed", "missed %", contenders, list, grid, ra.Missed)
	ra.Table(r, "missed-long", "missed %", contenders, long, far, ra.Missed)
	ra.Table(r, "beyond-long", "h beyond deadline", contenders, long, far, ra.Beyond)
	for level := 1; level <= levels; level++ {
		f := list[(level-1)*4].Workload.F
		ra.Plot(r, fmt.Sprintf("missed-level%d", level), fmt.Sprintf("Burstiness level %d, deadlines 1.5x-8x", level), "missed deadlines (%)", contenders[:3], list, grid, ra.Missed,
			func(c ra.Case) bool { return c.Workload.F == f })
	}
	var order ra.Verdict
	for i, w := range list {
		order.Add(fmt.Sprintf("%s, amplitude %.3f", ra.Where(w), w.Workload.F.Amplitude), ra.Difference(grid[i][reverse], grid[i][adaptive], ra.Missed))
	}
	r.Check("missed: Reverse-Adaptive <= Adaptive at every level", order.AtMost(), "%s", &order)
	short, lateShort := grows(grid, adaptive, ra.Missed), grows(grid, adaptive, ra.Beyond)
	deep, lateDeep := grows(far, adaptive, ra.Missed), grows(far, blind, ra.Beyond)
	if short.AtMost() {
		r.Check("gain over Adaptive does not fall with the level", true, "%s", &short)
		return nil
	}
	r.NotReproduced("the gain in missed deadlines over Adaptive does not grow with the level at task length 387 s (change of the gain per level, sign reversed: %s; of the gain in lateness: %s). "+
		"Nearly all deadlines lie closer than f(t) changes, so there is nothing to foresee, and more bursts only mean more hours of plain overload. With tasks %d times as long (deadlines of hours) "+
		"the gain per level, sign reversed, is: %s; and what knowing f(t) saves in lateness against the same scheduler without f(t): %s", &short, &lateShort, factor, &deep, &lateDeep)
	return nil
}

// grows looks at how much less the gain over another contender is one level up: above 0 = the gain falls.
func grows(grid [][][]ra.Outcome, other int, m ra.Metric) (v ra.Verdict) {
	for i := range grid {
		if i+4 >= len(grid) {
			break
		}
		gain := func(o [][]ra.Outcome) []ra.Outcome {
			list := make([]ra.Outcome, len(o[reverse]))
			for s := range list {
				list[s].Missed = m(o[other][s]) - m(o[reverse][s])
			}
			return list
		}
		v.Add(fmt.Sprintf("load %.1f, level %d to %d", ra.Loads[i%4], i/4+1, i/4+2), ra.Difference(gain(grid[i]), gain(grid[i+4]), ra.Missed))
	}
	return v
}
