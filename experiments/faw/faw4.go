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
	ID: "FAW-4", Paper: Paper, BibTeX: BibTeX, Sim: faw4Sim, Real: faw4Real,
}

// steps are the numbers of nodes in addition to the 20 core nodes.
var steps = []int{0, 4, 8, 12, 16, 20}

// split is the number of smaller tasks into which each task is divided. Whole waves of equal tasks
// cause jumps in the speedup curve. With smaller tasks, these jumps almost disappear.
const split = 8

func faw4Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4()
	m.Workers = r.Workers
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
		r.Compare("linear-"+a.Name, lab.IntervalOf(g.r2), "of the line for each seed")
		r.Compare("gain-"+a.Name, lab.IntervalOf(g.tc), "at +20")
		rows = append(rows, []string{a.Name, lab.IntervalOf(g.r2).Fine(), fmt.Sprintf("%.3f", steps[i].r2[0]),
			fmt.Sprintf("%.3f", smooth[i].r2[0])})
		if a.Name == ST.Name {
			r.Compare("sort", lab.Difference(g.tc, g.tr), "TC %s, TR %s at +20", lab.IntervalOf(g.tc).Fine(),
				lab.IntervalOf(g.tr).Fine())
			r.Compare("sort-equal", lab.Exact(smooth[i].tc[0]-smooth[i].tr[0]), "TC %.2f, TR %.2f at +20", smooth[i].tc[0],
				smooth[i].tr[0])
		}
	}
	// If all tasks of a job take the same time, they run in a few waves, and each additional wave
	// is a step.
	r.AddTable("straightness", []string{"application", "R2", "R2, equal tasks",
		fmt.Sprintf("R2, equal tasks of 1/%d the size", split)}, rows)
	return nil
}

// result is an application's result by seed. r2 is the R2 of the line with transient-core nodes. tc
// and tr are the speedups with the maximum number of transient-core and of transient nodes.
type result struct{ r2, tc, tr []float64 }

func figure(ctx context.Context, r *lab.Run, m Model, name string) (out []result, err error) {
	head := []string{"application", "added nodes"}
	var x []float64
	for _, n := range steps {
		head, x = append(head, fmt.Sprintf("+%d", n)), append(x, float64(n))
	}
	var rows [][]string
	for _, a := range Apps {
		tc, err := speedups(ctx, m, a,
			func(n int) fawkes.Composition { return fawkes.Composition{Core: 20, TransientCore: n} })
		if err != nil {
			return nil, err
		}
		tr, err := speedups(ctx, m, a,
			func(n int) fawkes.Composition { return fawkes.Composition{Core: 20, Transient: n} })
		if err != nil {
			return nil, err
		}
		r.Executions += 2 * len(steps) * m.Runs()
		rows = append(rows, row(a.Name, "TC", average(tc)), row(a.Name, "TR", average(tr)))
		if m.Sigma > 0 {
			r.AddPlot(lab.Plot{Name: name + "-" + a.Name, Title: a.Name + ": speedup over 20 core nodes", X: "other nodes",
				Y: "speedup", Kind: lab.Lines, Nested: true,
				Series: []lab.Series{{Name: "TC", X: x, Y: average(tc)}, {Name: "TR", X: x, Y: average(tr)}}})
		}
		var one result
		for k, y := range tc {
			alpha, beta := stat.LinearRegression(x, y, nil, false)
			one.r2 = append(one.r2, stat.RSquared(x, y, nil, alpha, beta))
			one.tc, one.tr = append(one.tc, y[len(y)-1]), append(one.tr, tr[k][len(y)-1])
		}
		out = append(out, one)
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

// speedups returns the application's speedup with each number of additional nodes in steps, by seed.
func speedups(ctx context.Context, m Model, a App, composed func(n int) fawkes.Composition) (y [][]float64, err error) {
	y = make([][]float64, m.Runs())
	var base []float64
	for i, n := range steps {
		s, err := m.Each(ctx, a, composed(n))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			base = s
		}
		for k := range y {
			y[k] = append(y[k], base[k]/s[k])
		}
	}
	return y, nil
}

// average returns the mean of lines of equal length.
func average(lines [][]float64) []float64 {
	out := make([]float64, len(lines[0]))
	for _, l := range lines {
		for i, v := range l {
			out[i] += v / float64(len(lines))
		}
	}
	return out
}
