package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// ra2 is Experiment 1 from the Reverse-Adaptive paper, which uses a cluster without a transactional
// workload.
var ra2 = &lab.Experiment{
	ID: "RA-2", Paper: Paper, BibTeX: BibTeX, Sim: ra2Simulate,
}

var ra2Contenders = []Contender{FIFO, Adaptive, Reverse, ByCycle, Unlimited}

const (
	ra2Fifo = iota
	ra2Adaptive
	ra2Reverse
	ra2ByCycle
	ra2Unlimited
)

func ra2Cases() (list []Case) {
	for _, f := range Factors {
		for _, l := range Loads {
			list = append(list, Base(l, f, 0))
		}
	}
	return list
}

func ra2Simulate(ctx context.Context, r *lab.Run) error {
	seeds := Seeds(r, 7)
	list := ra2Cases()
	Knobs(r, seeds, list[0])
	grid, err := Run(ctx, r, seeds, ra2Contenders, list)
	if err != nil {
		return err
	}
	Table(r, "missed", "missed %", ra2Contenders, list, grid, Missed)
	for _, f := range Factors {
		Plot(r, fmt.Sprintf("missed-%.0f", f), fmt.Sprintf("Deadlines 1.5x-%.0fx, no transactional workload", f),
			"missed deadlines (%)", ra2Contenders, list, grid, Missed,
			func(c Case) bool { return c.Workload.Factor[1] == f })
	}
	order(r, list, grid)
	monotone(r, list, grid)
	return literal(ctx, r, seeds)
}

// order compares the schedulers in every cell.
func order(r *lab.Run, list []Case, grid [][][]Outcome) {
	var adaptive, reverse, apart, byCycle, limit Cells
	for i, w := range list {
		adaptive.Add(Where(w), grid[i][ra2Adaptive], grid[i][ra2Fifo], Missed)
		reverse.Add(Where(w), grid[i][ra2Reverse], grid[i][ra2Fifo], Missed)
		apart.Add(Where(w), grid[i][ra2Reverse], grid[i][ra2Adaptive], Missed)
		byCycle.Add(Where(w), grid[i][ra2ByCycle], grid[i][ra2Adaptive], Missed)
		limit.Add(Where(w), grid[i][ra2Reverse], grid[i][ra2Unlimited], Missed)
	}
	r.Compare("adaptive-fifo", adaptive.Most(), "%s", &adaptive)
	r.Compare("reverse-fifo", reverse.Most(), "%s", &reverse)
	r.Compare("reverse-adaptive", apart.Most(), "%s", &apart)
	r.Compare("equal", apart.Farthest(), "%s", &apart)
	r.Compare("equal-cycle", byCycle.Farthest(), "%s", &byCycle)
	r.Compare("limit", limit.Mean(), "%s", &limit)
}

// monotone compares neighboring loads and neighboring deadline factors.
func monotone(r *lab.Run, list []Case, grid [][][]Outcome) {
	var loads, factors Cells
	n := len(Loads)
	for i, w := range list {
		for k := range ra2Contenders {
			where := ra2Contenders[k].Name + ", " + Where(w)
			if i%n+1 < n {
				loads.Add(where, grid[i][k], grid[i+1][k], Missed)
			}
			if i+n < len(list) {
				factors.Add(where, grid[i+n][k], grid[i][k], Missed)
			}
		}
	}
	r.Compare("load", loads.Most(), "%s", &loads)
	r.Compare("factor", factors.Most(), "%s", &factors)
}

// literal compares Reverse-Adaptive with Adaptive under the heaviest load, with the literal sizes of
// Table I. Their jobs have similar sizes, which isolates the cause of the difference under overload.
func literal(ctx context.Context, r *lab.Run, seeds int) error {
	w := Base(Loads[len(Loads)-1], Factors[0], 0)
	w.Workload.Tasks = Literal
	grid, err := Run(ctx, r, seeds, []Contender{Adaptive, ByCycle}, []Case{w})
	if err != nil {
		return err
	}
	var d Cells
	d.Add(Where(w), grid[0][1], grid[0][0], Missed)
	r.Compare("equal-cycle-literal", d.Farthest(), "%s", &d)
	return nil
}
