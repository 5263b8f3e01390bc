package ra

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// raWarning is a finding about the Reverse-Adaptive paper. With the job sizes exactly as in Table
// I, and estimates that do not treat tasks as indivisible, FIFO beats the adaptive schedulers.
var raWarning = &lab.Experiment{
	ID: "RA-!", Paper: Paper, BibTeX: BibTeX, Sim: raWarningSimulate,
}

const (
	raWarningFifo = iota
	raWarningAdaptive
	raWarningReverse
	edf
)

// variant is a size distribution, a rule for late jobs, and a way to count tasks.
type variant struct {
	name, late, whole string
	heavy             bool
}

var variants = []variant{
	{"literal sizes, fluid estimates", "demote", "false", false},
	{"literal sizes, whole tasks", "demote", "true", false},
	{"heavy tail, late jobs demoted", "demote", "true", true},
	{"heavy tail, late jobs like others", "others", "true", true},
	{"heavy tail, late jobs first", "top", "true", true},
}

var raWarningContenders = []Contender{FIFO, Adaptive, Reverse, EDF}

func (v variant) on(w Case) Case {
	if !v.heavy {
		w.Workload.Tasks = Literal
	}
	w.Settings["howdah.adaptive.late"] = v.late
	w.Settings["howdah.adaptive.whole.tasks"] = v.whole
	return w
}

// raWarningCases returns four cases for each variant. In the case without f(t), the load is 0.6 and
// the factor is 8. In the cases with f(t), the load and the factor are 0.6 and 12, 0.8 and 8, and
// 0.8 and 12.
func raWarningCases() (list []Case) {
	for _, v := range variants {
		list = append(list, v.on(Base(0.6, 8, 0)), v.on(Base(0.6, 12, 3)), v.on(Base(0.8, 8, 3)), v.on(Base(0.8, 12, 3)))
	}
	return list
}

const points = 4 // cases of each variant

func raWarningSimulate(ctx context.Context, r *lab.Run) error {
	seeds := Seeds(r, 4)
	list := raWarningCases()
	Knobs(r, seeds, Base(0.6, 8, 0))
	r.Knob("varied settings", "job sizes, howdah.adaptive.late, and howdah.adaptive.whole.tasks, as the table shows")
	grid, err := Run(ctx, r, seeds, raWarningContenders, list)
	if err != nil {
		return err
	}
	table(r, list, grid)
	compare := func(id string, v, a, b int) {
		var d Cells
		for i := v * points; i < (v+1)*points; i++ {
			d.Add(Where(list[i]), grid[i][a], grid[i][b], Missed)
		}
		r.Compare(id, d.Most(), "%s", &d)
	}
	compare("literal-adaptive-fifo", 0, raWarningAdaptive, raWarningFifo)
	compare("literal-reverse-fifo", 0, raWarningReverse, raWarningFifo)
	compare("whole-adaptive-fifo", 1, raWarningAdaptive, raWarningFifo)
	compare("whole-reverse-fifo", 1, raWarningReverse, raWarningFifo)
	compare("heavy-adaptive-fifo", 2, raWarningAdaptive, raWarningFifo)
	compare("heavy-reverse-adaptive", 2, raWarningReverse, raWarningAdaptive)
	for id, v := range map[string][2]int{"late-others": {2, 3}, "late-first": {2, 4}, "whole-fluid": {1, 0}} {
		var d Cells
		for i := range points {
			for _, k := range []int{raWarningAdaptive, raWarningReverse} {
				d.Add(raWarningContenders[k].Name+", "+Where(list[i]), grid[v[0]*points+i][k], grid[v[1]*points+i][k], Missed)
			}
		}
		r.Compare(id, d.Mean(), "%s", &d)
	}
	return nil
}

func table(r *lab.Run, list []Case, grid [][][]Outcome) {
	head := []string{"variant", "cell", "f(t)"}
	for _, c := range raWarningContenders {
		head = append(head, c.Name+": missed %")
	}
	var rows [][]string
	for i, w := range list {
		f := "none"
		if w.Workload.F.Mean > 0 {
			f = "level 3"
		}
		row := []string{variants[i/points].name, Where(w), f}
		for k := range raWarningContenders {
			row = append(row, Of(grid[i][k], Missed).String())
		}
		rows = append(rows, row)
	}
	r.AddTable("missed", head, rows)
}
