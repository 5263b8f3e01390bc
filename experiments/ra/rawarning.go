package ra

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// raWarning is a finding about the Reverse-Adaptive paper. With the job sizes exactly as in Table
// I, and estimates that do not treat tasks as indivisible, FIFO beats the adaptive schedulers.
var raWarning = &lab.Experiment{
	ID: "RA-!", Paper: Paper, Item: "Table I (job sizes) against Figures 6 and 7", BibTeX: BibTeX,
	Claim: "Table I states that job sizes are lognormal with mu = 62 and sigma = 15.5. In Figures 6 and 7, FIFO is " +
		"far worse than Adaptive and Reverse-Adaptive.",
	Relation: "with literal sizes, FIFO misses fewer deadlines than Adaptive; with heavy-tailed sizes and demoted " +
		"late jobs, Reverse-Adaptive <= Adaptive < FIFO; the rule for late jobs determines the difference",
	Sim: raWarningSimulate,
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
	compare := func(v, a, b int) *Verdict {
		var d Verdict
		for i := v * points; i < (v+1)*points; i++ {
			d.Add(variants[v].name+", "+Where(list[i]), Difference(grid[i][a], grid[i][b], Missed))
		}
		return &d
	}
	literal := compare(0, raWarningFifo, raWarningAdaptive)
	r.Check("literal sizes, fluid estimates: FIFO misses fewer deadlines than Adaptive", literal.Less(), "%s", literal)
	r.Check("literal sizes, fluid estimates: Reverse-Adaptive does not beat FIFO",
		compare(0, raWarningFifo, raWarningReverse).AtMost(), "%s", compare(0, raWarningFifo, raWarningReverse))
	heavy := compare(2, raWarningAdaptive, raWarningFifo)
	r.Check("heavy tail, late jobs demoted: Adaptive misses fewer deadlines than FIFO", heavy.Less(), "%s", heavy)
	order := compare(2, raWarningReverse, raWarningAdaptive)
	r.Check("heavy tail, late jobs demoted: Reverse-Adaptive <= Adaptive", order.AtMost(), "%s", order)
	raWarningIsolate(r, grid)
	return nil
}

// raWarningIsolate reports the effect of changing a single choice, to isolate the causes.
func raWarningIsolate(r *lab.Run, grid [][][]Outcome) {
	var others, top, whole Verdict
	for i := range points {
		at := Where(raWarningCases()[i])
		for _, k := range []int{raWarningAdaptive, raWarningReverse} {
			others.Add(raWarningContenders[k].Name+", "+at, Difference(grid[2*points+i][k], grid[3*points+i][k], Missed))
			top.Add(raWarningContenders[k].Name+", "+at, Difference(grid[2*points+i][k], grid[4*points+i][k], Missed))
			whole.Add(raWarningContenders[k].Name+", "+at, Difference(grid[points+i][k], grid[i][k], Missed))
		}
	}
	r.NotReproduced("the order of Figures 6 and 7 with the literal sizes of Table I. With fluid estimates, FIFO "+
		"misses fewer deadlines than Adaptive and Reverse-Adaptive. One wave of a job with 62±15.5 tasks fills most "+
		"of the cluster, so schedulers have little choice. With estimates that treat tasks as indivisible, Adaptive "+
		"and Reverse-Adaptive miss fewer deadlines, but FIFO still misses fewer than both in most cells "+
		"(whole tasks - fluid: %s).", &whole)
	r.Check("demoting late jobs causes fewer misses than treating them like other jobs", others.AtMost(),
		"demoted - others: %s", &others)
	r.Check("demoting late jobs causes fewer misses than serving them first", top.AtMost(), "demoted - first: %s", &top)
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
