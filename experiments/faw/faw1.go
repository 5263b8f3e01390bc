package faw

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/replay"
)

// faw1 reproduces figure 2 of Fawkes, which shows the times of the applications on a static
// MR-cluster of ten core nodes, by input size.
var faw1 = &lab.Experiment{
	ID: "FAW-1", Paper: Paper, BibTeX: BibTeX, Sim: faw1Sim, Real: faw1Real,
}

func faw1Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4().With(Apps...)
	m.Workers = r.Workers
	Knobs(r, m)
	refs := m.NewReferences()
	head := []string{"application"}
	for _, gb := range Sizes {
		head = append(head, fmt.Sprintf("%.0f GB (s)", gb))
	}
	var rows [][]string
	small := map[string][]float64{}
	var grows, linear []lab.Interval
	plot := lab.Plot{Name: "runtimes", Title: "Runtimes on 10 core nodes", X: "input (GB)", Y: "s", Kind: lab.Lines}
	for _, a := range Apps {
		row, series := []string{a.Name}, lab.Series{Name: a.Name}
		var times [len(Sizes)][]float64 // by seed
		for i, gb := range Sizes {
			times[i] = make([]float64, m.Runs())
			for _, s := range a.Stages {
				alone, err := m.Each(ctx, App{Name: a.Name, Stages: []Stage{s.Sized(gb)}}, Core(Reference))
				if err != nil {
					return err
				}
				r.Executions += m.Runs()
				for k, t := range alone {
					times[i][k] += t
				}
			}
			t := lab.IntervalOf(times[i]).Mean
			row = append(row, strconv.FormatFloat(t, 'f', 0, 64))
			series.X, series.Y = append(series.X, gb), append(series.Y, t)
		}
		small[a.Name] = times[0]
		grows = append(grows, lab.Ratio(times[1], times[0]), lab.Ratio(times[2], times[1]))
		linear = append(linear, lab.Ratio(times[2], times[1]))
		rows = append(rows, row)
		plot.Series = append(plot.Series, series)
	}
	r.AddTable("runtimes", head, rows)
	r.AddPlot(plot)
	r.Compare("grows", lab.Least(grows...), "the least favorable of %d applications and two steps", len(Apps))
	r.Compare("linear", lab.Most(linear...), "the least favorable of %d applications", len(Apps))
	r.Compare("small", lab.Difference(small["ST"], small["WC"]), "Sort - WordCount")
	j := m.Job("reference", "WC", WC.Stages[0], Sizes[1], replay.Epoch)
	told, err := m.Alone(ctx, App{Name: "WC", Stages: []Stage{WC.Stages[0].Sized(Sizes[1])}}, Core(Reference))
	if err != nil {
		return err
	}
	r.Compare("reference", lab.Exact(math.Abs(float64(refs.Of(j))-told*1000)), "WC with %g GB: %.0f s", Sizes[1], told)
	return nil
}
