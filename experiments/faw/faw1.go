package faw

import (
	"context"
	"fmt"
	"strconv"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/replay"
)

// faw1 reproduces figure 2 of Fawkes, which shows the times of the applications on a static
// MR-cluster of ten core nodes, by input size.
var faw1 = &lab.Experiment{
	ID: "FAW-1", Paper: Paper, Item: "Figure 2", BibTeX: BibTeX,
	Claim: "Figure 2 shows the runtimes on a static MR-cluster of 10 nodes. Small WordCount and Sort jobs take " +
		"about the same time.",
	Relation: "times grow with the input, but at most linearly; small WordCount and Sort jobs differ by less than " +
		"a minute; the slowdown policy uses this table",
	Sim:  faw1Sim,
	Real: faw1Real,
}

func faw1Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4().With(Apps...)
	Knobs(r, m)
	refs := m.NewReferences()
	head := []string{"application"}
	for _, gb := range Sizes {
		head = append(head, fmt.Sprintf("%.0f GB (s)", gb))
	}
	var rows [][]string
	small := map[string]float64{}
	plot := lab.Plot{Name: "runtimes", Title: "Runtimes on 10 core nodes", X: "input (GB)", Y: "s", Kind: lab.Lines}
	for _, a := range Apps {
		row, series := []string{a.Name}, lab.Series{Name: a.Name}
		for _, gb := range Sizes {
			t := 0.0
			for _, s := range a.Stages {
				alone, err := m.Alone(ctx, App{Name: a.Name, Stages: []Stage{s.Sized(gb)}}, Core(Reference))
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
		r.Check(a.Name+": the time grows with the input, but at most linearly",
			y[0] <= y[1] && y[1] < y[2] && y[2] < 2.2*y[1],
			"%.0f, %.0f, %.0f s", y[0], y[1], y[2])
	}
	r.AddTable("runtimes", head, rows)
	r.AddPlot(plot)
	wc, st := small["WC"], small["ST"]
	r.Check("small WordCount and Sort jobs take about the same time", max(wc, st)-min(wc, st) < 60, "%.0f s and %.0f s",
		wc, st)
	j := m.Job("reference", "WC", WC.Stages[0], Sizes[1], replay.Epoch)
	told, err := m.Alone(ctx, App{Name: "WC", Stages: []Stage{WC.Stages[0].Sized(Sizes[1])}}, Core(Reference))
	if err != nil {
		return err
	}
	r.Check("the JS policy uses these times", float64(refs.Of(j)) == told*1000, "WC with %g GB: %.0f s", Sizes[1], told)
	return nil
}
