// Package ra3 is Experiment 2 of the Reverse-Adaptive scheduler's paper: a transactional workload of the highest burstiness.
package ra3

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
)

// Experiment is RA-3.
var Experiment = &lab.Experiment{
	ID: "RA-3", Paper: ra.Paper, Item: "Figure 7 (Experiment 2: transactional workload)", BibTeX: ra.BibTeX,
	Claim: "With a transactional workload Reverse-Adaptive misses noticeably fewer deadlines than Adaptive and FIFO; the time beyond the deadline of those that miss is slightly lower, " +
		"the distance to the deadline of those that meet it mostly the same. A run that only minimises the number of misses is the floor.",
	Relation: "missed: Reverse-Adaptive <= Adaptive < FIFO at loads 0.4-0.8, all deadline factors; lateness Reverse-Adaptive <= Adaptive",
	Sim:      simulate,
}

var contenders = []ra.Contender{ra.FIFO, ra.Adaptive, ra.Reverse, ra.MinMiss, ra.ByCycle, ra.Blind}

const (
	fifo = iota
	adaptive
	reverse
	minmiss
	byCycle
	blind
)

func cases() (list []ra.Case) {
	for _, f := range ra.Factors {
		for _, l := range ra.Loads[:4] {
			list = append(list, ra.Base(l, f, 3))
		}
	}
	return list
}

func simulate(ctx context.Context, r *lab.Run) error {
	seeds := ra.Seeds(r, 4)
	list := cases()
	ra.Knobs(r, seeds, list[0])
	grid, err := ra.Run(ctx, r, seeds, contenders, list)
	if err != nil {
		return err
	}
	ra.Table(r, "missed", "missed %", contenders, list, grid, ra.Missed)
	ra.Table(r, "beyond", "h beyond deadline", contenders, list, grid, ra.Beyond)
	ra.Table(r, "distance", "h to deadline", contenders, list, grid, ra.Distance)
	for _, f := range ra.Factors {
		ra.Plot(r, fmt.Sprintf("missed-%.0f", f), fmt.Sprintf("Deadlines 1.5x-%.0fx, transactional workload", f), "missed deadlines (%)", contenders[:4], list, grid, ra.Missed,
			func(c ra.Case) bool { return c.Workload.Factor[1] == f })
	}
	judge(r, list, grid)
	return nil
}

func judge(r *lab.Run, list []ra.Case, grid [][][]ra.Outcome) {
	var less, order, late, floor, distance, foresight, other ra.Verdict
	loaded := true // more misses than Adaptive only where the load leaves no room
	for i, w := range list {
		if w.Workload.Load < 0.4 {
			continue
		}
		at := ra.Where(w)
		d := ra.Difference(grid[i][reverse], grid[i][adaptive], ra.Missed)
		less.Add(at, d)
		if d.Above(0) {
			loaded = loaded && w.Workload.Load >= 0.8
			r.NotReproduced("missed: Reverse-Adaptive <= Adaptive at %s: %s points more, %s if Reverse-Adaptive is told no f(t). In overload what fits nowhere later is urgent, and slots go to large jobs "+
				"that end late all the same; Adaptive gives every job its average, which small ones live on", at, d, ra.Difference(grid[i][blind], grid[i][adaptive], ra.Missed))
		}
		order.Add(at, ra.Difference(grid[i][adaptive], grid[i][fifo], ra.Missed))
		late.Add(at, ra.Difference(grid[i][reverse], grid[i][adaptive], ra.Beyond))
		floor.Add(at, ra.Difference(grid[i][minmiss], grid[i][reverse], ra.Missed))
		distance.Add(at, ra.Difference(grid[i][reverse], grid[i][adaptive], ra.Distance))
		foresight.Add(at, ra.Difference(grid[i][reverse], grid[i][blind], ra.Missed))
		other.Add(at, ra.Difference(grid[i][byCycle], grid[i][adaptive], ra.Missed))
	}
	r.Check("missed: Reverse-Adaptive <= Adaptive at loads 0.4-0.8, apart from the cells listed as not reproduced", loaded, "%s", &less)
	r.Check("missed: Adaptive < FIFO at loads 0.4-0.8", order.Less(), "%s", &order)
	r.Check("time beyond the deadline: Reverse-Adaptive <= Adaptive", late.AtMost(), "%s", &late)
	r.Check("missed: minmiss below Reverse-Adaptive (the floor line)", floor.Less(), "%s", &floor)
	if less.Below == 0 || less.Equal > less.Below {
		r.NotReproduced("noticeably fewer misses than Adaptive: %s. Nearly all deadlines lie within an hour or two, and f(t) hardly changes in that time: Reverse-Adaptive that is told no f(t) does as well "+
			"(with f(t) less without it: %s). RA-4 runs longer jobs", &less, &foresight)
	}
	r.NotReproduced("with horizon=cycle, the other reading of where Algorithm 1 ends, Reverse-Adaptive - Adaptive comes to: %s", &other)
	r.Knob("distance to the deadline, Reverse-Adaptive - Adaptive (h)", &distance)
}
