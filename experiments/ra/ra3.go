package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// ra3 is Experiment 2 from the Reverse-Adaptive paper, which uses a transactional workload with the
// highest burstiness. Since version 3, tasks are long and f(t) is steep, so that f(t) changes before
// many deadlines. RA-4 varies both.
var ra3 = &lab.Experiment{
	ID: "RA-3", Paper: Paper, BibTeX: BibTeX, Sim: ra3Simulate, Real: ra3Real,
}

var ra3Contenders = []Contender{FIFO, Adaptive, Reverse, MinMiss, ByCycle, Blind, Unlimited, EDF}

const (
	ra3Fifo = iota
	ra3Adaptive
	ra3Reverse
	minmiss
	ra3ByCycle
	ra3Blind
	ra3Unlimited
	ra3EDF
)

func ra3Cases() (list []Case) {
	for _, f := range Factors {
		for _, l := range Loads[:4] {
			list = append(list, Slopes(l, f, 3))
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

// judge compares the schedulers at loads of at least 0.4.
func judge(r *lab.Run, list []Case, grid [][][]Outcome) {
	var less, order, late, floor, distance, foresight, lateness, byCycle, limit, edf, total Cells
	for i, w := range list {
		if w.Workload.Load < 0.4 {
			continue
		}
		at, g := Where(w), grid[i]
		less.Add(at, g[ra3Reverse], g[ra3Adaptive], Missed)
		order.Add(at, g[ra3Adaptive], g[ra3Fifo], Missed)
		late.Add(at, g[ra3Reverse], g[ra3Adaptive], Beyond)
		floor.Add(at, g[minmiss], g[ra3Reverse], Missed)
		distance.Add(at, g[ra3Reverse], g[ra3Adaptive], Distance)
		foresight.Add(at, g[ra3Reverse], g[ra3Blind], Missed)
		lateness.Add(at, g[ra3Reverse], g[ra3Blind], Beyond)
		total.Add(at, g[ra3Reverse], g[ra3Blind], Lateness)
		byCycle.Add(at, g[ra3ByCycle], g[ra3Adaptive], Missed)
		limit.Add(at, g[ra3Reverse], g[ra3Unlimited], Missed)
		edf.Add(at, g[ra3Reverse], g[ra3EDF], Missed)
	}
	r.Compare("reverse-adaptive", less.Most(), "%s", &less)
	r.Compare("reverse-adaptive-mean", less.Mean(), "%s", &less)
	r.Compare("adaptive-fifo", order.Most(), "%s", &order)
	r.Compare("late", late.Most(), "%s", &late)
	r.Compare("late-mean", late.Mean(), "%s", &late)
	r.Compare("floor", floor.Most(), "%s", &floor)
	r.Compare("distance", distance.Farthest(), "%s", &distance)
	r.Compare("foresight", foresight.Mean(), "%s", &foresight)
	r.Compare("foresight-late", lateness.Mean(), "%s", &lateness)
	r.Note("hours beyond the deadline, averaged over all jobs, with f(t) minus without: %s", &total)
	r.Compare("cycle", byCycle.Mean(), "%s", &byCycle)
	r.Compare("limit", limit.Mean(), "%s", &limit)
	r.Compare("edf", edf.Mean(), "%s", &edf)
}
