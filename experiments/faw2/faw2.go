// Package faw2 reproduces figure 3(a) of Fawkes: what it costs to replace half of the core nodes by transient or transient-core nodes.
package faw2

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Experiment is FAW-2.
var Experiment = &lab.Experiment{
	ID: "FAW-2", Paper: faw.Paper, Item: "Figure 3(a)", BibTeX: faw.BibTeX,
	Claim:    "with half of 20 nodes transient Sort takes 40% longer, with transient-core nodes 23%; KMeans and ActiveHashes gain by them too; jobs that compute hardly care",
	Relation: "overhead of transient > transient-core > 0 for Sort, KMeans and ActiveHashes, below 5% for WordCount, PageRank and TrackerOverTime",
	Sim:      sim,
	Real:     real,
}

// paper has what the text tells of the figure, in %: overheads with transient and with transient-core nodes.
var paper = map[string][2]string{"ST": {"40", "23"}, "WC": {"about 0", "about 0"}, "PR": {"about 0", "about 0"}, "TT": {"about 0", "about 0"}}

// The three MR-clusters.
var (
	core = faw.Core(20)
	tr   = fawkes.Composition{Core: 10, Transient: 10}
	tc   = fawkes.Composition{Core: 10, TransientCore: 10}
)

func sim(ctx context.Context, r *lab.Run) error {
	m := faw.DAS4()
	faw.Knobs(r, m)
	plot := lab.Plot{Name: "overhead", Title: "Overhead of 10 other nodes instead of core nodes", Y: "%", Kind: lab.Bars, Series: []lab.Series{{Name: "TR"}, {Name: "TC"}}}
	var rows [][]string
	for _, a := range faw.Apps {
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
		rows = append(rows, []string{a.Name, fmt.Sprintf("%.0f", s[0]), fmt.Sprintf("%.0f", s[1]), fmt.Sprintf("%.0f", s[2]), fmt.Sprintf("%.1f", over[0]), paper[a.Name][0], fmt.Sprintf("%.1f", over[1]), paper[a.Name][1]})
		switch a.Name {
		case "ST", "KM", "AH":
			r.Check(a.Name+": transient costs more than transient-core, and that more than nothing", over[0] > over[1] && over[1] > 0, "%.1f%% and %.1f%%", over[0], over[1])
		default:
			r.Check(a.Name+": below 5% with both", over[0] < 5 && over[1] < 5, "%.1f%% and %.1f%%", over[0], over[1])
		}
	}
	r.AddTable("overhead", []string{"application", "20 core (s)", "10 core + 10 TR (s)", "10 core + 10 TC (s)", "TR (%)", "paper", "TC (%)", "paper"}, rows)
	r.AddPlot(plot)
	return nil
}
