package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw2 reproduces figure 3(a) of Fawkes, which shows the cost of replacing half of the core nodes
// with transient or transient-core nodes.
var faw2 = &lab.Experiment{
	ID: "FAW-2", Paper: Paper, BibTeX: BibTeX, Sim: faw2Sim, Real: faw2Real,
}

// faw2Paper contains the overheads that the paper's text states, in percent, first with transient
// nodes and then with transient-core nodes. Those of 0 are "independent of the types of nodes".
var faw2Paper = map[string][2]float64{"ST": {40, 23}, "WC": {0, 0}, "PR": {0, 0}, "TT": {0, 0}}

// core, tr, and tc are the three MR-clusters of the figure.
var (
	core = Core(20)
	tr   = fawkes.Composition{Core: 10, Transient: 10}
	tc   = fawkes.Composition{Core: 10, TransientCore: 10}
)

// faw2Repeat is the number of repetitions. Version 2 had five, which did not decide whether the
// overhead of PageRank is below the registered bound.
const faw2Repeat = 30

func faw2Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4()
	m.Workers = r.Workers
	if !r.Quick {
		m.Repeat = faw2Repeat
	}
	Knobs(r, m)
	r.Knob("repetitions", m.Repeat)
	plot := lab.Plot{Name: "overhead", Title: "Overhead of 10 other nodes instead of core nodes", Y: "%", Kind: lab.Bars,
		Series: []lab.Series{{Name: "TR"}, {Name: "TC"}}}
	var rows [][]string
	for k, a := range Apps {
		var s [3][]float64
		for i, c := range []fawkes.Composition{core, tr, tc} {
			var err error
			if s[i], err = m.Each(ctx, a, c); err != nil {
				return err
			}
			r.Executions += m.Runs()
		}
		over := overheads(s)
		row := []string{a.Name}
		for i := range s {
			row = append(row, fmt.Sprintf("%.0f", lab.IntervalOf(s[i]).Mean))
		}
		for i, o := range over {
			plot.Series[i].Y = append(plot.Series[i].Y, o.Mean)
			plot.Series[i].Labels = append(plot.Series[i].Labels, a.Name)
			stated, known := faw2Paper[a.Name]
			if known {
				plot.Paper = append(plot.Paper, lab.Stated{X: lab.Middle(k, i, len(over)), Y: stated[i]})
			}
			row = append(row, o.String(), about(stated[i], known))
		}
		rows = append(rows, row)
		compareOverheads(r, a.Name, s, slices.Contains([]string{"ST", "KM", "AH"}, a.Name))
	}
	r.AddTable("overhead", []string{"application", "20 core (s)", "10 core + 10 TR (s)", "10 core + 10 TC (s)", "TR (%)",
		"paper", "TC (%)", "paper"}, rows)
	r.AddPlot(plot)
	return nil
}

// about returns what the paper states about an overhead, in percent.
func about(percent float64, known bool) string {
	switch {
	case !known:
		return ""
	case percent == 0:
		return "about 0"
	}
	return fmt.Sprint(percent)
}

// overheads returns by how much, in percent, a job takes longer with transient and with
// transient-core nodes. times contains its times on core nodes only, with transient nodes, and with
// transient-core nodes, by run.
func overheads(times [clusters][]float64) [2]lab.Interval {
	return [2]lab.Interval{lab.Ratio(times[1], times[0]).Scale(-100, 100), lab.Ratio(times[2], times[0]).Scale(-100, 100)}
}

// compareOverheads evaluates the relations between the times of an application; see overheads. data
// selects the relations of applications that move much data. It reports whether all relations hold.
func compareOverheads(r *lab.Run, app string, times [clusters][]float64, data bool) bool {
	over := overheads(times)
	if !data {
		return r.Compare("negligible-"+app, lab.Most(over[:]...), "TR %s%%, TC %s%%", over[0], over[1])
	}
	one := r.Compare("TR-"+app, over[0], "half of the nodes")
	two := r.Compare("TC-"+app, over[1], "half of the nodes")
	more := lab.Ratio(minus(times[1], times[2]), times[0]).Scale(0, 100)
	return r.Compare("TR-TC-"+app, more, "TR %s%%, TC %s%%", over[0], over[1]) && one && two
}

func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return out
}
