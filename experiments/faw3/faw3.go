// Package faw3 reproduces figure 3(b) of Fawkes: what it costs to spread an MR-cluster over two physical clusters.
package faw3

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
)

// Experiment is FAW-3.
var Experiment = &lab.Experiment{
	ID: "FAW-3", Paper: faw.Paper, Item: "Figure 3(b)", BibTeX: faw.BibTeX,
	Claim:    "20 nodes spread evenly over two physical clusters with a fast network between them take less than 20% longer",
	Relation: "overhead below 20% for all applications",
	Sim:      sim,
}

// The light path between the universities: 10 Gbit/s (section 5.1).
const wan = 1250

func sim(ctx context.Context, r *lab.Run) error {
	one, two := faw.DAS4(), faw.DAS4()
	two.WAN = wan
	faw.Knobs(r, two)
	var rows [][]string
	worst := 0.0
	for _, a := range faw.Apps {
		near, err := one.Alone(ctx, a, faw.Core(20))
		if err != nil {
			return err
		}
		far, err := two.Alone(ctx, a, faw.Core(20))
		if err != nil {
			return err
		}
		r.Executions += 2 * one.Runs()
		over := 100 * (far/near - 1)
		worst = max(worst, over)
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.0f", near), fmt.Sprintf("%.0f", far), fmt.Sprintf("%.1f", over), "below 20"})
	}
	r.AddTable("overhead", []string{"application", "one cluster (s)", "two clusters (s)", "overhead (%)", "paper"}, rows)
	r.Check("all below 20%", worst < 20, "at most %.1f%%", worst)

	// The relation must be able to fail: with a tenth of that network it does.
	two.WAN = wan / 10
	near, err := one.Alone(ctx, faw.ST, faw.Core(20))
	if err != nil {
		return err
	}
	far, err := two.Alone(ctx, faw.ST, faw.Core(20))
	if err != nil {
		return err
	}
	r.Executions += 2 * one.Runs()
	r.Check("with 1 Gbit/s between them Sort takes more than 20% longer", far > 1.2*near, "%.0f%%", 100*(far/near-1))
	return nil
}
