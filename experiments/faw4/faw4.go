// Package faw4 reproduces figure 4 of Fawkes: how much faster jobs get on 20 core nodes with more and more other nodes beside them.
package faw4

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Experiment is FAW-4.
var Experiment = &lab.Experiment{
	ID: "FAW-4", Paper: faw.Paper, Item: "Figure 4", BibTeX: faw.BibTeX,
	Claim:    "the speedup grows linearly with the number of transient-core nodes; Sort hardly gains by transient nodes, the others do",
	Relation: "the line through the speedups with transient-core nodes explains them with R2 > 0.95; with transient nodes Sort gains less",
	Sim:      sim,
	Real:     real,
}

// steps are the nodes beside the 20 core nodes.
var steps = []int{0, 4, 8, 12, 16, 20}

// split divides every task into so many, so that the steps of waves vanish.
const split = 8

func sim(ctx context.Context, r *lab.Run) error {
	m := faw.DAS4()
	if r.Quick {
		m.Repeat = 2
	}
	faw.Knobs(r, m)
	got, err := figure(ctx, r, m, "speedups")
	if err != nil {
		return err
	}
	equal := m
	equal.Sigma = 0
	steps, err := figure(ctx, r, equal, "equal-tasks")
	if err != nil {
		return err
	}
	equal.Split = split
	smooth, err := figure(ctx, r, equal, "equal-small-tasks")
	if err != nil {
		return err
	}
	var rows [][]string
	for i, a := range faw.Apps {
		g := got[i]
		r.Check(a.Name+": linear with TC", g.r2 > 0.95 && g.tc > 1, "R2 = %.3f, %.2f at +20", g.r2, g.tc)
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.3f", g.r2), fmt.Sprintf("%.3f", steps[i].r2), fmt.Sprintf("%.3f", smooth[i].r2)})
		if a.Name == faw.ST.Name {
			r.Check("Sort gains less by transient nodes", g.tr < g.tc && smooth[i].tr < smooth[i].tc, "%.2f against %.2f at +20; with small equal tasks %.2f against %.2f", g.tr, g.tc, smooth[i].tr, smooth[i].tc)
		}
	}
	// Where all tasks of a job take the same time they run in a few waves, and a wave more or less is a step.
	r.AddTable("straightness", []string{"application", "R2", "all tasks alike", fmt.Sprintf("and divided by %d", split)}, rows)
	return nil
}

// result is what came out for an application: how straight the line is, and the speedups at its end.
type result struct{ r2, tc, tr float64 }

func figure(ctx context.Context, r *lab.Run, m faw.Model, name string) (out []result, err error) {
	head := []string{"application", "grows by"}
	for _, n := range steps {
		head = append(head, fmt.Sprintf("+%d", n))
	}
	var rows [][]string
	for _, a := range faw.Apps {
		x, tc, err := speedups(ctx, m, a, func(n int) fawkes.Composition { return fawkes.Composition{Core: 20, TransientCore: n} })
		if err != nil {
			return nil, err
		}
		_, tr, err := speedups(ctx, m, a, func(n int) fawkes.Composition { return fawkes.Composition{Core: 20, Transient: n} })
		if err != nil {
			return nil, err
		}
		r.Executions += 2 * len(steps) * m.Runs()
		rows = append(rows, row(a.Name, "TC", tc), row(a.Name, "TR", tr))
		if m.Sigma > 0 {
			r.AddPlot(lab.Plot{Name: name + "-" + a.Name, Title: a.Name + ": speedup over 20 core nodes", X: "other nodes", Y: "speedup", Kind: lab.Lines, Nested: true,
				Series: []lab.Series{{Name: "TC", X: x, Y: tc}, {Name: "TR", X: x, Y: tr}}})
		}
		alpha, beta := stat.LinearRegression(x, tc, nil, false)
		out = append(out, result{stat.RSquared(x, tc, nil, alpha, beta), tc[len(tc)-1], tr[len(tr)-1]})
	}
	r.AddTable(name, head, rows)
	return out, nil
}

func row(app, kind string, y []float64) []string {
	out := []string{app, kind}
	for _, v := range y {
		out = append(out, fmt.Sprintf("%.2f", v))
	}
	return out
}

// speedups of an application on MR-clusters of growing size.
func speedups(ctx context.Context, m faw.Model, a faw.App, composed func(n int) fawkes.Composition) (x, y []float64, err error) {
	base := 0.0
	for _, n := range steps {
		s, err := m.Alone(ctx, a, composed(n))
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			base = s
		}
		x, y = append(x, float64(n)), append(y, base/s)
	}
	return x, y, nil
}
