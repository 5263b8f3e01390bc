package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// ra4 is Experiment 3 from the Reverse-Adaptive paper, which uses transactional workloads of
// increasing burstiness. The study then varies what may decide whether f(t) helps.
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

// ra4Cases returns the cases of each level.
func ra4Cases() (list []Case) {
	for level := 1; level <= levels; level++ {
		for _, l := range Loads[:4] {
			list = append(list, Slopes(l, 8, level))
		}
	}
	return list
}

func ra4Simulate(ctx context.Context, r *lab.Run) error {
	seeds := Seeds(r, 4)
	list := ra4Cases()
	Knobs(r, seeds, list[0])
	grid, err := Run(ctx, r, seeds, ra4Contenders, list)
	if err != nil {
		return err
	}
	Table(r, "missed", "missed %", ra4Contenders, list, grid, Missed)
	Table(r, "beyond", "hours beyond the deadline", ra4Contenders, list, grid, Beyond)
	for level := 1; level <= levels; level++ {
		f := list[(level-1)*4].Workload.F
		Plot(r, fmt.Sprintf("missed-level%d", level), fmt.Sprintf("Burstiness level %d, deadlines 1.5x-8x", level),
			"missed deadlines (%)", ra4Contenders, list, grid, Missed,
			func(c Case) bool { return c.Workload.F == f })
	}
	for level := 1; level <= levels; level++ {
		var gain, foresight Cells
		for i := (level - 1) * 4; i < level*4; i++ {
			gain.Add(Where(list[i]), grid[i][ra4Reverse], grid[i][ra4Adaptive], Missed)
			foresight.Add(Where(list[i]), grid[i][ra4Reverse], grid[i][ra4Blind], Missed)
		}
		r.Compare(fmt.Sprintf("reverse-adaptive-%d", level), gain.Mean(), "%s", &gain)
		r.Compare(fmt.Sprintf("foresight-%d", level), foresight.Mean(), "%s", &foresight)
	}
	for level := 1; level < levels; level++ {
		c := grows(grid, ra4Adaptive, Missed, level, level+1)
		r.Compare(fmt.Sprintf("grows-%d", level), c.Mean(), "%s", c)
	}
	c := grows(grid, ra4Blind, Missed, 1, levels)
	r.Compare("foresight-grows", c.Mean(), "%s", c)
	c = grows(grid, ra4Blind, Beyond, 1, levels)
	r.Compare("foresight-late-grows", c.Mean(), "%s", c)
	return study(ctx, r, seeds)
}

// grows compares the gain of Reverse-Adaptive over the contender other at two burstiness levels. A
// positive difference means that the gain is smaller at the second level.
func grows(grid [][][]Outcome, other int, m Metric, level, next int) *Cells {
	var first, second Cells
	for l := range 4 {
		for c, o := range map[*Cells][][]Outcome{&first: grid[(level-1)*4+l], &second: grid[(next-1)*4+l]} {
			c.Add(fmt.Sprintf("load %.1f", Loads[l]), o[ra4Reverse], o[other], m)
		}
	}
	return second.minus(&first)
}
