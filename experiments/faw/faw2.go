package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw2 reproduces figure 3(a) of Fawkes, which shows the cost of replacing half of the core nodes
// with transient or transient-core nodes.
var faw2 = &lab.Experiment{
	ID: "FAW-2", Paper: Paper, Item: "Figure 3(a)", BibTeX: BibTeX,
	Claim: "If half of 20 nodes are transient, Sort takes 40% longer. If half of them are transient-core nodes, it " +
		"takes 23% longer. KMeans and ActiveHashes are also faster with transient-core nodes than with transient " +
		"nodes. The kind of node hardly affects CPU-bound jobs.",
	Relation: "the overhead is transient > transient-core > 0 for Sort, KMeans, and ActiveHashes, and below 5% for " +
		"WordCount, PageRank, and TrackerOverTime",
	Sim:  faw2Sim,
	Real: faw2Real,
}

// faw2Paper contains the overheads that the paper's text states, in percent, first with transient
// nodes and then with transient-core nodes.
var faw2Paper = map[string][2]string{"ST": {"40", "23"}, "WC": {"about 0", "about 0"}, "PR": {"about 0", "about 0"},
	"TT": {"about 0", "about 0"}}

// ordered and negligible are the relations between the runtimes with different kinds of nodes.
const (
	ordered = "jobs take longer with transient nodes than with transient-core nodes, and longer with those than with " +
		"core nodes"
	negligible = "both kinds of nodes add less than 5% to the runtime"
)

// core, tr, and tc are the three MR-clusters of the figure.
var (
	core = Core(20)
	tr   = fawkes.Composition{Core: 10, Transient: 10}
	tc   = fawkes.Composition{Core: 10, TransientCore: 10}
)

func faw2Sim(ctx context.Context, r *lab.Run) error {
	m := DAS4()
	Knobs(r, m)
	plot := lab.Plot{Name: "overhead", Title: "Overhead of 10 other nodes instead of core nodes", Y: "%", Kind: lab.Bars,
		Series: []lab.Series{{Name: "TR"}, {Name: "TC"}}}
	var rows [][]string
	for _, a := range Apps {
		var s [3]float64
		for i, c := range []fawkes.Composition{core, tr, tc} {
			var err error
			if s[i], err = m.Alone(ctx, a, c); err != nil {
				return err
			}
			r.Executions += m.Runs()
		}
		over := [2]float64{100 * (s[1]/s[0] - 1), 100 * (s[2]/s[0] - 1)}
		for i := range over {
			plot.Series[i].Y = append(plot.Series[i].Y, over[i])
			plot.Series[i].Labels = append(plot.Series[i].Labels, a.Name)
		}
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.0f", s[0]), fmt.Sprintf("%.0f", s[1]), fmt.Sprintf("%.0f", s[2]),
			fmt.Sprintf("%.1f", over[0]), faw2Paper[a.Name][0], fmt.Sprintf("%.1f", over[1]), faw2Paper[a.Name][1]})
		switch a.Name {
		case "ST", "KM", "AH":
			r.Check(a.Name+": "+ordered, over[0] > over[1] && over[1] > 0, "overhead %.1f%% and %.1f%%", over[0], over[1])
		default:
			r.Check(a.Name+": "+negligible, over[0] < 5 && over[1] < 5, "%.1f%% and %.1f%%", over[0], over[1])
		}
	}
	r.AddTable("overhead", []string{"application", "20 core (s)", "10 core + 10 TR (s)", "10 core + 10 TC (s)", "TR (%)",
		"paper", "TC (%)", "paper"}, rows)
	r.AddPlot(plot)
	return nil
}
