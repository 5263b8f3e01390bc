package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// ra4 is Experiment 3 from the Reverse-Adaptive paper, which uses transactional workloads of
// increasing burstiness.
var ra4 = &lab.Experiment{
	ID: "RA-4", Paper: Paper, Item: "Figure 9 (Experiment 3: burstiness)", BibTeX: BibTeX,
	Claim: "The burstier the availability function, the more Reverse-Adaptive reduces the number of missed " +
		"deadlines relative to the other schedulers.",
	Relation: "(Adaptive - Reverse-Adaptive) does not decrease with the burstiness level",
	Sim:      ra4Simulate,
}

var ra4Contenders = []Contender{FIFO, Adaptive, Reverse, Blind}

const (
	ra4Fifo = iota
	ra4Adaptive
	ra4Reverse
	ra4Blind
)

const levels = 3

// ra4Cases returns the cases of each level. A task takes stretch times its default length. Because
// the load stays the same, fewer jobs arrive.
func ra4Cases(stretch float64) (list []Case) {
	for level := 1; level <= levels; level++ {
		for _, l := range Loads[:4] {
			w := Base(l, 8, level)
			if stretch != 1 {
				w.Workload.Task = 387e3 * stretch
			}
			list = append(list, w)
		}
	}
	return list
}

func ra4Simulate(ctx context.Context, r *lab.Run) error {
	seeds := Seeds(r, 4)
	list := ra4Cases(1)
	Knobs(r, seeds, list[0])
	grid, err := Run(ctx, r, seeds, ra4Contenders, list)
	if err != nil {
		return err
	}
	const factor = 10
	long := ra4Cases(factor)
	far, err := Run(ctx, r, seeds, ra4Contenders, long)
	if err != nil {
		return err
	}
	Table(r, "missed", "missed %", ra4Contenders, list, grid, Missed)
	Table(r, "missed-long", "missed %", ra4Contenders, long, far, Missed)
	Table(r, "beyond-long", "hours beyond the deadline", ra4Contenders, long, far, Beyond)
	for level := 1; level <= levels; level++ {
		f := list[(level-1)*4].Workload.F
		Plot(r, fmt.Sprintf("missed-level%d", level), fmt.Sprintf("Burstiness level %d, deadlines 1.5x-8x", level),
			"missed deadlines (%)", ra4Contenders[:3], list, grid, Missed,
			func(c Case) bool { return c.Workload.F == f })
	}
	var order Verdict
	for i, w := range list {
		order.Add(fmt.Sprintf("%s, amplitude %.3f", Where(w), w.Workload.F.Amplitude),
			Difference(grid[i][ra4Reverse], grid[i][ra4Adaptive], Missed))
	}
	r.Check("missed: Reverse-Adaptive <= Adaptive at every level", order.AtMost(), "%s", &order)
	short, lateShort := grows(grid, ra4Adaptive, Missed), grows(grid, ra4Adaptive, Beyond)
	deep, lateDeep := grows(far, ra4Adaptive, Missed), grows(far, ra4Blind, Beyond)
	if short.AtMost() {
		r.Check("the gain over Adaptive does not decrease with the level", true, "%s", &short)
		return nil
	}
	r.NotReproduced("growth of the gain over Adaptive with the burstiness level. The cells compare the gain at one "+
		"level with that at the next. A difference above zero means that the gain falls. With tasks of 387 s, the "+
		"result for missed deadlines is %s. The result for lateness is %s. Nearly all deadlines are so close that f(t) "+
		"hardly changes before them. There is little to predict, and a larger amplitude only adds hours of overload. "+
		"With tasks %d times as long, deadlines are hours away. The result for missed deadlines is then %s. The result "+
		"for lateness, compared with the same scheduler without f(t), is %s.",
		&short, &lateShort, factor, &deep, &lateDeep)
	return nil
}

// grows compares the gain of Reverse-Adaptive over the contender other at each burstiness level
// with the gain at the next level. A positive difference means that the gain falls.
func grows(grid [][][]Outcome, other int, m Metric) (v Verdict) {
	for i := range grid {
		if i+4 >= len(grid) {
			break
		}
		gain := func(o [][]Outcome) []Outcome {
			list := make([]Outcome, len(o[ra4Reverse]))
			for s := range list {
				list[s].Missed = m(o[other][s]) - m(o[ra4Reverse][s])
			}
			return list
		}
		v.Add(fmt.Sprintf("load %.1f, level %d to %d", Loads[i%4], i/4+1, i/4+2),
			Difference(gain(grid[i]), gain(grid[i+4]), Missed))
	}
	return v
}
