package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// ra3 is Experiment 2 from the Reverse-Adaptive paper, which uses a transactional workload with the
// highest burstiness.
var ra3 = &lab.Experiment{
	ID: "RA-3", Paper: Paper, Item: "Figure 7 (Experiment 2: transactional workload)", BibTeX: BibTeX,
	Claim: "With a transactional workload, Reverse-Adaptive misses noticeably fewer deadlines than Adaptive and " +
		"FIFO. Jobs that miss their deadlines do so by slightly less time. Jobs that meet their deadlines mostly end as " +
		"far ahead of them as under the other schedulers. A run that only minimizes the number of misses provides the " +
		"lower bound.",
	Relation: "missed: Reverse-Adaptive <= Adaptive < FIFO at loads 0.4-0.8, all deadline factors; lateness " +
		"Reverse-Adaptive <= Adaptive",
	Sim: ra3Simulate,
}

var ra3Contenders = []Contender{FIFO, Adaptive, Reverse, MinMiss, ByCycle, Blind}

const (
	ra3Fifo = iota
	ra3Adaptive
	ra3Reverse
	minmiss
	ra3ByCycle
	ra3Blind
)

func ra3Cases() (list []Case) {
	for _, f := range Factors {
		for _, l := range Loads[:4] {
			list = append(list, Base(l, f, 3))
		}
	}
	return list
}

func ra3Simulate(ctx context.Context, r *lab.Run) error {
	seeds := Seeds(r, 4)
	list := ra3Cases()
	Knobs(r, seeds, list[0])
	grid, err := Run(ctx, r, seeds, ra3Contenders, list)
	if err != nil {
		return err
	}
	Table(r, "missed", "missed %", ra3Contenders, list, grid, Missed)
	Table(r, "beyond", "hours beyond the deadline", ra3Contenders, list, grid, Beyond)
	Table(r, "distance", "hours to the deadline", ra3Contenders, list, grid, Distance)
	for _, f := range Factors {
		Plot(r, fmt.Sprintf("missed-%.0f", f), fmt.Sprintf("Deadlines 1.5x-%.0fx, transactional workload", f),
			"missed deadlines (%)", ra3Contenders[:4], list, grid, Missed,
			func(c Case) bool { return c.Workload.Factor[1] == f })
	}
	judge(r, list, grid)
	return nil
}

func judge(r *lab.Run, list []Case, grid [][][]Outcome) {
	var less, order, late, floor, distance, foresight, other Verdict
	loaded := true // Reverse-Adaptive misses more than Adaptive only at loads of at least 0.8
	for i, w := range list {
		if w.Workload.Load < 0.4 {
			continue
		}
		at := Where(w)
		d := Difference(grid[i][ra3Reverse], grid[i][ra3Adaptive], Missed)
		less.Add(at, d)
		if d.Above(0) {
			loaded = loaded && w.Workload.Load >= 0.8
			r.NotReproduced("missed: Reverse-Adaptive <= Adaptive at %s. The difference is %s points, and %s for "+
				"Reverse-Adaptive without f(t). Under overload, work that cannot run later is urgent, so large jobs that end "+
				"late anyway get slots. Adaptive gives every job its average number of slots, which is enough for small "+
				"jobs.", at, d,
				Difference(grid[i][ra3Blind], grid[i][ra3Adaptive], Missed))
		}
		order.Add(at, Difference(grid[i][ra3Adaptive], grid[i][ra3Fifo], Missed))
		late.Add(at, Difference(grid[i][ra3Reverse], grid[i][ra3Adaptive], Beyond))
		floor.Add(at, Difference(grid[i][minmiss], grid[i][ra3Reverse], Missed))
		distance.Add(at, Difference(grid[i][ra3Reverse], grid[i][ra3Adaptive], Distance))
		foresight.Add(at, Difference(grid[i][ra3Reverse], grid[i][ra3Blind], Missed))
		other.Add(at, Difference(grid[i][ra3ByCycle], grid[i][ra3Adaptive], Missed))
	}
	r.Check("missed: Reverse-Adaptive <= Adaptive at loads 0.4-0.8, except in the cells listed as not reproduced", loaded,
		"%s", &less)
	r.Check("missed: Adaptive < FIFO at loads 0.4-0.8", order.Less(), "%s", &order)
	r.Check("time beyond the deadline: Reverse-Adaptive <= Adaptive", late.AtMost(), "%s", &late)
	r.Check("missed: minmiss (the lower bound) < Reverse-Adaptive", floor.Less(), "%s", &floor)
	if less.Below == 0 || less.Equal > less.Below {
		r.NotReproduced("noticeably fewer misses than Adaptive (%s). Nearly all deadlines are within two hours of "+
			"submission, and f(t) hardly changes in that time. Reverse-Adaptive without f(t) performs equally well (with f(t) "+
			"minus without f(t): %s). RA-4 runs longer jobs.", &less, &foresight)
	}
	r.NotReproduced("the order with horizon=cycle, the other interpretation of the end of Algorithm 1 "+
		"(Reverse-Adaptive - Adaptive: %s)",
		&other)
	r.Knob("distance to the deadline (Reverse-Adaptive - Adaptive, h)", &distance)
}
