package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// faw3 reproduces figure 3(b) of Fawkes, which shows the cost of spreading an MR-cluster over two
// physical clusters.
var faw3 = &lab.Experiment{
	ID: "FAW-3", Paper: Paper, BibTeX: BibTeX, Sim: faw3Sim,
}

// wan is the bandwidth in MB/s of the light path between the universities, which is 10 Gbit/s
// (section 5.1).
const wan = 1250

func faw3Sim(ctx context.Context, r *lab.Run) error {
	one, two := DAS4(), DAS4()
	one.Workers, two.Workers, two.WAN = r.Workers, r.Workers, wan
	Knobs(r, two)
	var rows [][]string
	var over []lab.Interval
	for _, a := range Apps {
		near, far, err := faw3Times(ctx, r, one, two, a)
		if err != nil {
			return err
		}
		over = append(over, lab.Ratio(far, near).Scale(-100, 100))
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.0f", lab.IntervalOf(near).Mean),
			fmt.Sprintf("%.0f", lab.IntervalOf(far).Mean), over[len(over)-1].String(), "below 20"})
	}
	r.AddTable("overhead", []string{"application", "one cluster (s)", "two clusters (s)", "overhead (%)", "paper"}, rows)
	r.Compare("overhead", lab.Most(over...), "the largest of %d applications", len(over))

	// Show that the relation can fail, by repeating the run with a tenth of the bandwidth.
	two.WAN = wan / 10
	near, far, err := faw3Times(ctx, r, one, two, ST)
	if err != nil {
		return err
	}
	r.Compare("slow-link", lab.Ratio(far, near).Scale(-100, 100), "Sort")
	return nil
}

// faw3Times returns the times, in s, of an application under two models, by seed.
func faw3Times(ctx context.Context, r *lab.Run, one, two Model, a App) (near, far []float64, err error) {
	if near, err = one.Each(ctx, a, Core(20)); err != nil {
		return nil, nil, err
	}
	far, err = two.Each(ctx, a, Core(20))
	r.Executions += 2 * one.Runs()
	return near, far, err
}
