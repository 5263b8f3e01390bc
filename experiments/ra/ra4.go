package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// ra4 is Experiment 3 from the Reverse-Adaptive paper, which uses transactional workloads of
// increasing burstiness.
var ra4 = &lab.Experiment{
	ID: "RA-4", Paper: Paper, BibTeX: BibTeX, Sim: ra4Simulate,
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
	for level := 1; level <= levels; level++ {
		var gain Cells
		for i := (level - 1) * 4; i < level*4; i++ {
			gain.Add(Where(list[i]), grid[i][ra4Reverse], grid[i][ra4Adaptive], Missed)
		}
		r.Compare(fmt.Sprintf("reverse-adaptive-%d", level), gain.Mean(), "%s", &gain)
	}
	for level := 1; level < levels; level++ {
		for name, c := range map[string]Cells{"grows": grows(grid, ra4Adaptive, Missed, level),
			"grows-long": grows(far, ra4Adaptive, Missed, level), "late-grows-long": grows(far, ra4Blind, Beyond, level)} {
			r.Compare(fmt.Sprintf("%s-%d", name, level), c.Mean(), "%s", &c)
		}
	}
	return nil
}

// grows compares the gain of Reverse-Adaptive over the contender other at a burstiness level with the
// gain at the next level. A positive difference means that the gain falls.
func grows(grid [][][]Outcome, other int, m Metric, level int) (c Cells) {
	for l := range 4 {
		this, next := grid[(level-1)*4+l], grid[level*4+l]
		d := make([]float64, len(this[ra4Reverse]))
		for s := range d {
			gain := func(o [][]Outcome) float64 { return m(o[other][s]) - m(o[ra4Reverse][s]) }
			d[s] = gain(this) - gain(next)
		}
		c.add(fmt.Sprintf("load %.1f", Loads[l]), d)
	}
	return c
}
