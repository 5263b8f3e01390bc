// Package faw1 reproduces figure 2 of Fawkes: how long the applications take on a static MR-cluster of ten core nodes, by size of the
// input. These times are the denominators of all slowdowns.
package faw1

import (
	"context"
	"fmt"
	"strconv"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/replay"
)

// Experiment is FAW-1.
var Experiment = &lab.Experiment{
	ID: "FAW-1", Paper: faw.Paper, Item: "Figure 2", BibTeX: faw.BibTeX,
	Claim:    "runtimes on a static 10-node MR-cluster; small WordCount and Sort jobs take about the same time",
	Relation: "times grow with the input, more than linearly nowhere; small WordCount and Sort less than a minute apart; what the policy by slowdown is told is this table",
	Sim:      sim,
	Real:     real,
}

func sim(ctx context.Context, r *lab.Run) error {
	m := faw.DAS4().With(faw.Apps...)
	faw.Knobs(r, m)
	refs := m.NewReferences()
	head := []string{"application"}
	for _, gb := range faw.Sizes {
		head = append(head, fmt.Sprintf("%.0f GB (s)", gb))
	}
	var rows [][]string
	small := map[string]float64{}
	plot := lab.Plot{Name: "runtimes", Title: "Runtimes on 10 core nodes", X: "input (GB)", Y: "s", Kind: lab.Lines}
	for _, a := range faw.Apps {
		row, series := []string{a.Name}, lab.Series{Name: a.Name}
		for _, gb := range faw.Sizes {
			t := 0.0
			for _, s := range a.Stages {
				alone, err := m.Alone(ctx, faw.App{Name: a.Name, Stages: []faw.Stage{s.Sized(gb)}}, faw.Core(faw.Reference))
				if err != nil {
					return err
				}
				r.Executions += m.Runs()
				t += alone
			}
			row = append(row, strconv.FormatFloat(t, 'f', 0, 64))
			series.X, series.Y = append(series.X, gb), append(series.Y, t)
		}
		small[a.Name] = series.Y[0]
		rows = append(rows, row)
		plot.Series = append(plot.Series, series)
		y := series.Y
		r.Check(a.Name+": grows with the input, and no faster than it", y[0] <= y[1] && y[1] < y[2] && y[2] < 2.2*y[1], "%.0f, %.0f, %.0f s", y[0], y[1], y[2])
	}
	r.AddTable("runtimes", head, rows)
	r.AddPlot(plot)
	wc, st := small["WC"], small["ST"]
	r.Check("small WordCount and Sort take about the same time", max(wc, st)-min(wc, st) < 60, "%.0f s and %.0f s", wc, st)
	j := m.Job("reference", "WC", faw.WC.Stages[0], faw.Sizes[1], replay.Epoch)
	told, err := m.Alone(ctx, faw.App{Name: "WC", Stages: []faw.Stage{faw.WC.Stages[0].Sized(faw.Sizes[1])}}, faw.Core(faw.Reference))
	if err != nil {
		return err
	}
	r.Check("JS is told these times", float64(refs.Of(j)) == told*1000, "%.0f s", told)
	return nil
}
