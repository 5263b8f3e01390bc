package faw

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw4 reproduces figure 4 of Fawkes, which shows the speedup of jobs on 20 core nodes as other
// nodes join.
var faw4 = &lab.Experiment{
	ID: "FAW-4", Paper: Paper, Item: "Figure 4", BibTeX: BibTeX,
	Claim: "The speedup grows linearly with the number of transient-core nodes. Unlike the other applications, Sort " +
		"hardly gains from transient nodes.",
	Relation: "a line fits the speedups with transient-core nodes with R2 > 0.95; Sort gains less from transient nodes",
	Sim:      faw4Sim,
	Real:     faw4Real,
}

// steps are the numbers of nodes in addition to the 20 core nodes.
var steps = []int{0, 4, 8, 12, 16, 20}

// split is the number of smaller tasks into which each task is divided. Whole waves of equal tasks
// cause jumps in the speedup curve. With smaller tasks, these jumps almost disappear.
const split = 8

func faw4Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4()
	if r.Quick {
		m.Repeat = 2
	}
	Knobs(r, m)
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
	for i, a := range Apps {
		g := got[i]
		r.Check(a.Name+": the speedup is linear with transient-core nodes", g.r2 > 0.95 && g.tc > 1,
			"R2 = %.3f, speedup %.2f at +20", g.r2, g.tc)
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.3f", g.r2), fmt.Sprintf("%.3f", steps[i].r2),
			fmt.Sprintf("%.3f", smooth[i].r2)})
		if a.Name == ST.Name {
			r.Check("Sort gains less from transient nodes than from transient-core nodes",
				g.tr < g.tc && smooth[i].tr < smooth[i].tc,
				"%.2f and %.2f at +20; with small equal tasks %.2f and %.2f", g.tr, g.tc, smooth[i].tr, smooth[i].tc)
		}
	}
	// If all tasks of a job take the same time, they run in a few waves, and each additional wave
	// is a step.
	r.AddTable("straightness", []string{"application", "R2", "R2, equal tasks",
		fmt.Sprintf("R2, equal tasks of 1/%d the size", split)}, rows)
	return nil
}

// result is an application's result. r2 is the R2 of the line with transient-core nodes. tc and tr
// are the speedups with the maximum number of transient-core and of transient nodes.
type result struct{ r2, tc, tr float64 }

func figure(ctx context.Context, r *lab.Run, m Model, name string) (out []result, err error) {
	head := []string{"application", "added nodes"}
	for _, n := range steps {
		head = append(head, fmt.Sprintf("+%d", n))
	}
	var rows [][]string
	for _, a := range Apps {
		x, tc, err := speedups(ctx, m, a,
			func(n int) fawkes.Composition { return fawkes.Composition{Core: 20, TransientCore: n} })
		if err != nil {
			return nil, err
		}
		_, tr, err := speedups(ctx, m, a,
			func(n int) fawkes.Composition { return fawkes.Composition{Core: 20, Transient: n} })
		if err != nil {
			return nil, err
		}
		r.Executions += 2 * len(steps) * m.Runs()
		rows = append(rows, row(a.Name, "TC", tc), row(a.Name, "TR", tr))
		if m.Sigma > 0 {
			r.AddPlot(lab.Plot{Name: name + "-" + a.Name, Title: a.Name + ": speedup over 20 core nodes", X: "other nodes",
				Y: "speedup", Kind: lab.Lines, Nested: true,
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

// speedups returns the numbers of additional nodes (x) and the application's speedup with each of
// these numbers (y).
func speedups(ctx context.Context, m Model, a App, composed func(n int) fawkes.Composition,
) (x, y []float64, err error) {
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
