package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
)

// faw3 reproduces figure 3(b) of Fawkes, which shows the cost of spreading an MR-cluster over two
// physical clusters.
var faw3 = &lab.Experiment{
	ID: "FAW-3", Paper: Paper, BibTeX: BibTeX, Sim: faw3Sim, Real: faw3Real,
}

// wan is the bandwidth in MB/s of the light path between the universities, which is 10 Gbit/s
// (section 5.1).
const wan = 1250

// faw3Links are bandwidths, in MB/s, for a table that shows which of them would cost as much as the
// paper's bound allows.
var faw3Links = []float64{wan, wan / 2, wan / 4, wan / 10}

func faw3Sim(ctx context.Context, r *lab.Run) error {
	one, two := DAS4(), DAS4()
	one.Workers, two.Workers, two.WAN = r.Workers, r.Workers, wan
	Knobs(r, two)
	btKnobs(r)
	var rows [][]string
	var over []lab.Interval
	for _, name := range append(names(Apps), bt) {
		near, far, err := faw3Times(ctx, r, one, two, name)
		if err != nil {
			return err
		}
		over = append(over, lab.Ratio(far, near).Scale(-100, 100))
		rows = append(rows, []string{name, fmt.Sprintf("%.0f", lab.IntervalOf(near).Mean),
			fmt.Sprintf("%.0f", lab.IntervalOf(far).Mean), over[len(over)-1].String(), "below 20"})
	}
	r.AddTable("overhead", []string{"application", "one cluster (s)", "two clusters (s)", "overhead (%)", "paper"}, rows)
	r.Compare("overhead", lab.Most(over...), "the largest of %d applications", len(over))
	r.Compare("overhead-BT", over[len(over)-1], "%d jobs", len(BTWorld))
	return slower(ctx, r, one)
}

// slower repeats Sort and BTWorld with other bandwidths. It shows that the relations can fail.
func slower(ctx context.Context, r *lab.Run, one Model) error {
	var rows [][]string
	for _, link := range faw3Links {
		row := []string{fmt.Sprint(link)}
		for _, name := range []string{ST.Name, bt} {
			two := one
			two.WAN = link
			near, far, err := faw3Times(ctx, r, one, two, name)
			if err != nil {
				return err
			}
			over := lab.Ratio(far, near).Scale(-100, 100)
			row = append(row, over.String())
			if name == ST.Name && link == wan/10 {
				r.Compare("slow-link", over, "Sort")
			}
		}
		rows = append(rows, row)
	}
	r.AddTable("bandwidth", []string{"bandwidth between the clusters (MB/s)", "Sort: overhead (%)",
		"BTWorld: overhead (%)"}, rows)
	return nil
}

// bt is the name of the whole workflow of BTWorld.
const bt = "BTWorld"

// names returns the names of applications.
func names(apps []App) (out []string) {
	for _, a := range apps {
		out = append(out, a.Name)
	}
	return out
}

// faw3Times returns the times, in s, of an application under two models, by seed.
func faw3Times(ctx context.Context, r *lab.Run, one, two Model, app string) (near, far []float64, err error) {
	times := func(m Model) ([]float64, error) {
		r.Executions += m.Runs()
		if i := slices.Index(names(Apps), app); i >= 0 {
			return m.Each(ctx, Apps[i], Core(20))
		}
		return m.Flow(ctx, app, BTWorld, Core(20))
	}
	if near, err = times(one); err != nil {
		return nil, nil, err
	}
	far, err = times(two)
	return near, far, err
}
