// Package rawarning is a finding about the Reverse-Adaptive scheduler's paper: with the job sizes of Table I taken literally,
// FIFO beats the schedulers that know deadlines; the paper's order needs a heavy tail and demoted late jobs.
package rawarning

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
)

// Experiment is RA-!.
var Experiment = &lab.Experiment{
	ID: "RA-!", Paper: ra.Paper, Item: "Table I (sizes of jobs) against Figures 6 and 7", BibTeX: ra.BibTeX,
	Claim:    "Table I gives job sizes as lognormal with mu = 62 and sigma = 15.5; the figures show FIFO far behind Adaptive and Reverse-Adaptive.",
	Relation: "literal sizes: FIFO misses less than Adaptive; heavy-tailed sizes and late jobs demoted: Reverse-Adaptive <= Adaptive < FIFO; the rule for late jobs decides how far",
	Sim:      simulate,
}

const (
	fifo = iota
	adaptive
	reverse
	edf
)

// variant is a size distribution with a rule for late jobs and a way to count tasks.
type variant struct {
	name, late, whole string
	heavy             bool
}

var variants = []variant{
	{"literal sizes, fluid estimates", "demote", "false", false},
	{"literal sizes, whole tasks", "demote", "true", false},
	{"heavy tail, late jobs demoted", "demote", "true", true},
	{"heavy tail, late jobs as others", "others", "true", true},
	{"heavy tail, late jobs first", "top", "true", true},
}

var contenders = []ra.Contender{ra.FIFO, ra.Adaptive, ra.Reverse, ra.EDF}

func (v variant) on(w ra.Case) ra.Case {
	if !v.heavy {
		w.Workload.Tasks = ra.Literal
	}
	w.Settings["howdah.adaptive.late"] = v.late
	w.Settings["howdah.adaptive.whole.tasks"] = v.whole
	return w
}

// cases are the points that the finding is about: without f(t) at load 0.6, with it at 0.6 and 0.8, factors 8 and 12.
func cases() (list []ra.Case) {
	for _, v := range variants {
		list = append(list, v.on(ra.Base(0.6, 8, 0)), v.on(ra.Base(0.6, 12, 3)), v.on(ra.Base(0.8, 8, 3)), v.on(ra.Base(0.8, 12, 3)))
	}
	return list
}

const points = 4 // of each variant

func simulate(ctx context.Context, r *lab.Run) error {
	seeds := ra.Seeds(r, 4)
	list := cases()
	ra.Knobs(r, seeds, ra.Base(0.6, 8, 0))
	r.Knob("what varies", "sizes, howdah.adaptive.late, howdah.adaptive.whole.tasks: see the table")
	grid, err := ra.Run(ctx, r, seeds, contenders, list)
	if err != nil {
		return err
	}
	table(r, list, grid)
	compare := func(v, a, b int) *ra.Verdict {
		var d ra.Verdict
		for i := v * points; i < (v+1)*points; i++ {
			d.Add(variants[v].name+", "+ra.Where(list[i]), ra.Difference(grid[i][a], grid[i][b], ra.Missed))
		}
		return &d
	}
	literal := compare(0, fifo, adaptive)
	r.Check("literal sizes, fluid estimates: FIFO misses less than Adaptive", literal.Less(), "%s", literal)
	r.Check("literal sizes, fluid estimates: Reverse-Adaptive does not beat FIFO", compare(0, fifo, reverse).AtMost(), "%s", compare(0, fifo, reverse))
	heavy := compare(2, adaptive, fifo)
	r.Check("heavy tail, late jobs demoted: Adaptive misses less than FIFO", heavy.Less(), "%s", heavy)
	order := compare(2, reverse, adaptive)
	r.Check("heavy tail, late jobs demoted: Reverse-Adaptive <= Adaptive", order.AtMost(), "%s", order)
	isolate(r, grid)
	return nil
}

// isolate names the causes: what changes when one choice alone is changed.
func isolate(r *lab.Run, grid [][][]ra.Outcome) {
	var others, top, whole ra.Verdict
	for i := range points {
		at := ra.Where(cases()[i])
		for _, k := range []int{adaptive, reverse} {
			others.Add(contenders[k].Name+", "+at, ra.Difference(grid[2*points+i][k], grid[3*points+i][k], ra.Missed))
			top.Add(contenders[k].Name+", "+at, ra.Difference(grid[2*points+i][k], grid[4*points+i][k], ra.Missed))
			whole.Add(contenders[k].Name+", "+at, ra.Difference(grid[points+i][k], grid[i][k], ra.Missed))
		}
	}
	r.NotReproduced("the order of Figures 6 and 7 with the sizes of Table I taken literally: FIFO is best. One wave of a job with 62±15.5 tasks fills most of the cluster, so there is little to choose; "+
		"estimates that know tasks cannot be split (whole tasks - fluid: %s) do not turn it", &whole)
	r.Check("demoting late jobs lowers misses against treating them as others", others.AtMost(), "demoted - others: %s", &others)
	r.Check("demoting late jobs lowers misses against serving them first", top.AtMost(), "demoted - first: %s", &top)
}

func table(r *lab.Run, list []ra.Case, grid [][][]ra.Outcome) {
	head := []string{"variant", "cell", "f(t)"}
	for _, c := range contenders {
		head = append(head, c.Name+" missed %")
	}
	var rows [][]string
	for i, w := range list {
		f := "none"
		if w.Workload.F.Mean > 0 {
			f = "level 3"
		}
		row := []string{variants[i/points].name, ra.Where(w), f}
		for k := range contenders {
			row = append(row, ra.Of(grid[i][k], ra.Missed).String())
		}
		rows = append(rows, row)
	}
	r.AddTable("missed", head, rows)
}
