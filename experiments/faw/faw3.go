package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// faw3 reproduces figure 3(b) of Fawkes, which shows the cost of spreading an MR-cluster over two
// physical clusters.
var faw3 = &lab.Experiment{
	ID: "FAW-3", Paper: Paper, Item: "Figure 3(b)", BibTeX: BibTeX,
	Claim: "Jobs take less than 20% longer on 20 nodes spread evenly across two physical clusters connected by a fast " +
		"network.",
	Relation: "the overhead is below 20% for all applications",
	Sim:      faw3Sim,
}

// wan is the bandwidth in MB/s of the light path between the universities, which is 10 Gbit/s
// (section 5.1).
const wan = 1250

func faw3Sim(ctx context.Context, r *lab.Run) error {
	one, two := DAS4(), DAS4()
	two.WAN = wan
	Knobs(r, two)
	var rows [][]string
	worst := 0.0
	for _, a := range Apps {
		near, err := one.Alone(ctx, a, Core(20))
		if err != nil {
			return err
		}
		far, err := two.Alone(ctx, a, Core(20))
		if err != nil {
			return err
		}
		r.Executions += 2 * one.Runs()
		over := 100 * (far/near - 1)
		worst = max(worst, over)
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.0f", near), fmt.Sprintf("%.0f", far), fmt.Sprintf("%.1f", over),
			"below 20"})
	}
	r.AddTable("overhead", []string{"application", "one cluster (s)", "two clusters (s)", "overhead (%)", "paper"}, rows)
	r.Check("every application takes less than 20% longer", worst < 20, "at most %.1f%%", worst)

	// Show that the check can fail, by repeating the run with a tenth of the bandwidth.
	two.WAN = wan / 10
	near, err := one.Alone(ctx, ST, Core(20))
	if err != nil {
		return err
	}
	far, err := two.Alone(ctx, ST, Core(20))
	if err != nil {
		return err
	}
	r.Executions += 2 * one.Runs()
	r.Check("with 1 Gbit/s between the clusters, Sort takes more than 20% longer", far > 1.2*near, "%.0f%%",
		100*(far/near-1))
	return nil
}
