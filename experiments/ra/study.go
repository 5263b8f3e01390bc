package ra

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// The study in RA-4 varies the slope of f(t), the length of tasks, and the deadline factors
// independently, at one load and the highest burstiness. In each cell, it compares Reverse-Adaptive
// with f(t), without f(t), with and without a limit on s_req, and with other schedulers.
var (
	studyRamps      = []float64{0, ramp, 1} // h; 0 = the cosine, which falls in 12 h
	studyTasks      = []float64{Short, 3 * Short, Long}
	studyContenders = []Contender{Adaptive, Reverse, Blind, Unlimited, UnlimitedBlind, EDF}
)

const studyLoad = 0.6

const (
	studyAdaptive = iota
	studyReverse
	studyBlind
	studyUnlimited
	studyUnlimitedBlind
	studyEDF
)

func studyCases() (list []Case) {
	for _, h := range studyRamps {
		for _, task := range studyTasks {
			for _, f := range Factors {
				c := Base(studyLoad, f, levels).Stretch(task)
				c.Workload.F.Ramp = h
				list = append(list, c)
			}
		}
	}
	return list
}

// study runs the study and evaluates its relations.
func study(ctx context.Context, r *lab.Run, seeds int) error {
	list := studyCases()
	r.Knob("study", fmt.Sprintf("load %.1f, level %d; f(t) is a cosine, which falls in 12 h, or falls in %g or %g h; "+
		"tasks of %.0f, %.0f, and %.0f s, with days and howdah.adaptive.cycle in proportion; deadline factors 1.5-4, "+
		"1.5-8, and 1.5-12", studyLoad, levels, studyRamps[1], studyRamps[2], studyTasks[0]/1000, studyTasks[1]/1000,
		studyTasks[2]/1000))
	grid, err := Run(ctx, r, seeds, studyContenders, list)
	if err != nil {
		return err
	}
	studyTable(r, list, grid)
	studyPlot(r, "study-foresight", "Fewer misses with f(t) than without it", list, grid, studyBlind)
	studyPlot(r, "study-adaptive", "Fewer misses under Reverse-Adaptive than under Adaptive", list, grid, studyAdaptive)
	cells := func(a, b int, keep func(Case) bool) *Cells {
		c := &Cells{}
		for i, w := range list {
			if keep(w) {
				c.Add(studyWhere(w), grid[i][a], grid[i][b], Missed)
			}
		}
		return c
	}
	tasksOf := func(ms float64) func(Case) bool { return func(c Case) bool { return c.Workload.Task == ms } }
	all := func(Case) bool { return true }
	compare := func(id string, c *Cells) { r.Compare(id, c.Mean(), "%s", c) }
	short, long := cells(studyReverse, studyBlind, tasksOf(Short)), cells(studyReverse, studyBlind, tasksOf(Long))
	compare("study-short", short)
	compare("study-long", long)
	compare("study-length", long.minus(short))
	steep := func(h float64) *Cells {
		return cells(studyReverse, studyBlind, func(c Case) bool { return c.Workload.Task == Long && c.Workload.F.Ramp == h })
	}
	compare("study-slope", steep(1).minus(steep(0)))
	compare("study-limit", cells(studyReverse, studyUnlimited, all))
	compare("study-limit-foresight", cells(studyReverse, studyBlind, all).minus(
		cells(studyUnlimited, studyUnlimitedBlind, all)))
	return nil
}

// slope describes how fast a case's f(t) falls.
func slope(c Case) string {
	if c.Workload.F.Ramp == 0 {
		return "12 h (cosine)"
	}
	return fmt.Sprintf("%g h", c.Workload.F.Ramp)
}

func studyWhere(c Case) string {
	return fmt.Sprintf("f(t) falls in %s, tasks of %.0f s, factor 1.5-%.0f", slope(c), c.Workload.Task/1000,
		c.Workload.Factor[1])
}

func studyTable(r *lab.Run, list []Case, grid [][][]Outcome) {
	head := []string{"f(t) falls in", "task length (s)", "deadline factor"}
	for _, c := range studyContenders {
		head = append(head, c.Name+": missed %")
	}
	head = append(head, "with f(t) minus without: points")
	var rows [][]string
	for i, w := range list {
		row := []string{slope(w), fmt.Sprintf("%.0f", w.Workload.Task/1000), fmt.Sprintf("1.5-%.0f", w.Workload.Factor[1])}
		for k := range studyContenders {
			row = append(row, Of(grid[i][k], Missed).String())
		}
		d := lab.Difference(Metric(Missed).values(grid[i][studyReverse]), Metric(Missed).values(grid[i][studyBlind]))
		rows = append(rows, append(row, d.Fine()))
	}
	r.AddTable("study", head, rows)
}

// studyPlot adds a plot of the gain of Reverse-Adaptive over the contender other, averaged over the
// deadline factors, by task length, with one line per slope.
func studyPlot(r *lab.Run, name, title string, list []Case, grid [][][]Outcome, other int) {
	p := lab.Plot{Name: name, Title: title, X: "task length (minutes)", Y: "points", Kind: lab.Lines}
	n := len(Factors)
	for i := 0; i < len(list); i += n {
		if i%(n*len(studyTasks)) == 0 {
			p.Series = append(p.Series, lab.Series{Name: "f(t) falls in " + slope(list[i])})
		}
		var c Cells
		for k := i; k < i+n; k++ {
			c.Add("", grid[k][other], grid[k][studyReverse], Missed)
		}
		v, s := c.Mean(), &p.Series[len(p.Series)-1]
		s.X = append(s.X, list[i].Workload.Task/60_000)
		s.Y = append(s.Y, v.Mean)
		s.Low = append(s.Low, v.Low())
		s.High = append(s.High, v.High())
	}
	r.AddPlot(p)
}
