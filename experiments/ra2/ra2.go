// Package ra2 is Experiment 1 of the Reverse-Adaptive scheduler's paper: a cluster without a transactional workload.
package ra2

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
)

// Experiment is RA-2.
var Experiment = &lab.Experiment{
	ID: "RA-2", Paper: ra.Paper, Item: "Figure 6 (Experiment 1: no transactional workload)", BibTeX: ra.BibTeX,
	Claim: "Without a transactional workload FIFO always misses more deadlines than the deadline-aware schedulers, Reverse-Adaptive performs exactly like Adaptive, " +
		"and under no circumstances worse; misses fall with the deadline factor and rise with the load.",
	Relation: "|Reverse-Adaptive - Adaptive| <= 2 points; both < FIFO; misses fall with the deadline factor and rise with the load",
	Sim:      simulate,
}

var contenders = []ra.Contender{ra.FIFO, ra.Adaptive, ra.Reverse, ra.ByCycle}

const (
	fifo = iota
	adaptive
	reverse
	byCycle
)

func cases() (list []ra.Case) {
	for _, f := range ra.Factors {
		for _, l := range ra.Loads {
			list = append(list, ra.Base(l, f, 0))
		}
	}
	return list
}

func simulate(ctx context.Context, r *lab.Run) error {
	seeds := ra.Seeds(r, 7)
	list := cases()
	ra.Knobs(r, seeds, list[0])
	grid, err := ra.Run(ctx, r, seeds, contenders, list)
	if err != nil {
		return err
	}
	ra.Table(r, "missed", "missed %", contenders, list, grid, ra.Missed)
	for _, f := range ra.Factors {
		ra.Plot(r, fmt.Sprintf("missed-%.0f", f), fmt.Sprintf("Deadlines 1.5x-%.0fx, no transactional workload", f), "missed deadlines (%)", contenders, list, grid, ra.Missed,
			func(c ra.Case) bool { return c.Workload.Factor[1] == f })
	}
	order(r, list, grid)
	monotone(r, list, grid)
	return equal(ctx, r, seeds, list, grid)
}

// order: both beat FIFO, and Reverse-Adaptive is never worse than Adaptive.
func order(r *lab.Run, list []ra.Case, grid [][][]ra.Outcome) {
	var a, b, c ra.Verdict
	for i, w := range list {
		a.Add(ra.Where(w), ra.Difference(grid[i][adaptive], grid[i][fifo], ra.Missed))
		b.Add(ra.Where(w), ra.Difference(grid[i][reverse], grid[i][fifo], ra.Missed))
		c.Add(ra.Where(w), ra.Difference(grid[i][reverse], grid[i][adaptive], ra.Missed))
	}
	r.Check("Adaptive misses less than FIFO in every cell", a.Less(), "%s", &a)
	r.Check("Reverse-Adaptive misses less than FIFO in every cell", b.Less(), "%s", &b)
	r.Check("Reverse-Adaptive never misses more than Adaptive", c.AtMost(), "%s", &c)
}

// monotone: misses fall with the factor and rise with the load.
func monotone(r *lab.Run, list []ra.Case, grid [][][]ra.Outcome) {
	var loads, factors ra.Verdict
	n := len(ra.Loads)
	for i, w := range list {
		for k := range contenders {
			where := contenders[k].Name + ", " + ra.Where(w)
			if i%n+1 < n {
				loads.Add(where, ra.Difference(grid[i][k], grid[i+1][k], ra.Missed))
			}
			if i+n < len(list) {
				factors.Add(where, ra.Difference(grid[i+n][k], grid[i][k], ra.Missed))
			}
		}
	}
	r.Check("misses rise with the load", loads.AtMost(), "%s", &loads)
	r.Check("misses fall with the deadline factor", factors.AtMost(), "%s", &factors)
}

// equal: is Reverse-Adaptive Adaptive when nothing is to be foreseen? That depends on where Algorithm 1 ends.
func equal(ctx context.Context, r *lab.Run, seeds int, list []ra.Case, grid [][][]ra.Outcome) error {
	const points = 2
	var far []int
	close := 0
	for i := range list {
		d := ra.Difference(grid[i][byCycle], grid[i][adaptive], ra.Missed)
		if d.Above(points) || d.Below(-points) {
			far = append(far, i)
		} else {
			close++
		}
	}
	text := fmt.Sprintf("Reverse-Adaptive (horizon=cycle) is within %d points of Adaptive", points)
	if len(far) == 0 {
		r.Check(text, true, "all %d cells", close)
		return nil
	}
	// What sets the cells apart where it is not: the same load with jobs of like size.
	pair := []ra.Contender{ra.Adaptive, ra.ByCycle}
	var again []ra.Case
	for _, i := range far {
		w := list[i]
		w.Workload.Tasks = ra.Literal
		again = append(again, w)
	}
	iso, err := ra.Run(ctx, r, seeds, pair, again)
	if err != nil {
		return err
	}
	r.Check(text+" where the load leaves room", close >= len(list)-len(far) && within(list, far), "%d of %d cells; the others have load 0.8 or more", close, len(list))
	for k, i := range far {
		r.NotReproduced("equality of Reverse-Adaptive (horizon=cycle) and Adaptive at %s: difference %s points with heavy-tailed sizes, %s with the sizes of Table I taken literally (62±15.5): "+
			"in overload the large jobs' work that fits nowhere later counts as urgent and takes slots from small ones", ra.Where(list[i]),
			ra.Difference(grid[i][byCycle], grid[i][adaptive], ra.Missed), ra.Difference(iso[k][1], iso[k][0], ra.Missed))
	}
	return nil
}

// within reports whether all cells that differ are loaded.
func within(list []ra.Case, far []int) bool {
	for _, i := range far {
		if list[i].Workload.Load < 0.8 {
			return false
		}
	}
	return true
}
