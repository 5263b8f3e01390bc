package dhf

import "github.com/howdah/howdah/experiments/lab"

// figure4 collects the gains of one panel of figure 4.
type figure4 struct {
	paper        string // range of the paper's gains
	rows         [][]string
	bars         lab.Plot
	gains, equal []lab.Interval
}

func newFigure4(name, x, paper string) *figure4 {
	return &figure4{paper: paper, bars: lab.Plot{Name: name, Title: "Gain over the Fair Scheduler", X: x, Y: "T0/T1",
		Kind: lab.Bars, Series: []lab.Series{{Name: "PI-DHFS"}, {Name: "PD-DHFS"}}}}
}

// add evaluates the relation "faster-" + id. t contains times by index in Policies and repetition.
func (f *figure4) add(r *lab.Run, id, label string, t Times) {
	pi, pd, both := lab.Ratio(t[0], t[1]), lab.Ratio(t[0], t[2]), lab.Ratio(t[1], t[2])
	gain := lab.Least(pi, pd).Scale(-100, 100)
	r.Compare("faster-"+id, gain, "T0/T1: PI %s, PD %s", pi.Significant(), pd.Significant())
	f.gains, f.equal = append(f.gains, gain), append(f.equal, both)
	f.rows = append(f.rows, []string{label, lab.IntervalOf(t[0]).Scale(0, 0.001).String(), pi.Significant(),
		pd.Significant(), both.Significant(), Percent(pi.Mean), Percent(pd.Mean), f.paper})
	for i, x := range []lab.Interval{pi, pd} {
		s := &f.bars.Series[i]
		s.Labels, s.X, s.Y = append(s.Labels, label), append(s.X, float64(len(s.X))), append(s.Y, x.Mean)
		s.Low, s.High = append(s.Low, x.Low()), append(s.High, x.High())
	}
}

// end adds the table and the plot, and evaluates the relations of all gains together.
func (f *figure4) end(r *lab.Run) {
	f.table(r)
	r.AddPlot(f.bars)
	r.Compare("same", lab.Farthest(1, f.equal...), "the farthest PI/PD of %d", len(f.equal))
	r.Compare("gain-least", lab.Least(f.gains...), "the least of %d gains", len(f.gains))
	r.Compare("gain-most", lab.Most(f.gains...), "the largest of %d gains", len(f.gains))
}

func (f *figure4) table(r *lab.Run) {
	r.AddTable(f.bars.Name, []string{f.bars.X, "fair (s)", "PI: T0/T1", "PD: T0/T1", "PI/PD", "PI gain", "PD gain",
		"paper"}, f.rows)
}
