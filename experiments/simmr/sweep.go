package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Means are the mean inter-arrival times of figures 7 and 8, in seconds.
var Means = []float64{1, 10, 100, 1000, 10_000, 100_000}

// Factors are their deadline factors.
var Factors = []float64{1, 1.5, 3}

// Sweep compares policies as figures 7 and 8 do: the same jobs under growing time between arrivals and with deadlines drawn
// from [T, df*T].
type Sweep struct {
	Means, Factors []float64
	Policies       []Policy
	Slots          [2]int32
	Repeat         int
	Seed           uint64
	Workers        int
	// Jobs gives the workload of a repetition with its arrivals, and Alone what each of its jobs takes with all slots, in ms.
	Jobs  func(seed uint64, mean float64) (*trace.Trace, error)
	Alone func(ctx context.Context, j *trace.Job) (int64, error)
}

// Cell is the outcome of one policy at one point, repetition by repetition.
type Cell struct{ Exceeded, Late []float64 }

// Outcome holds cells by [mean][factor][policy].
type Outcome struct {
	Sweep *Sweep
	Cells [][][]Cell
	Runs  int
}

// Run carries all repetitions out. One repetition has the same jobs, order and luck under every policy and factor.
func (s *Sweep) Run(ctx context.Context) (*Outcome, error) {
	o := &Outcome{Sweep: s, Runs: len(s.Means) * len(s.Factors) * len(s.Policies) * s.Repeat}
	for range s.Means {
		row := make([][]Cell, len(s.Factors))
		for f := range row {
			row[f] = make([]Cell, len(s.Policies))
			for p := range row[f] {
				row[f][p] = Cell{make([]float64, s.Repeat), make([]float64, s.Repeat)}
			}
		}
		o.Cells = append(o.Cells, row)
	}
	err := Parallel(ctx, s.Workers, len(s.Means)*s.Repeat, func(ctx context.Context, i int) error {
		return s.repetition(ctx, o, i%len(s.Means), i/len(s.Means))
	})
	return o, err
}

func (s *Sweep) repetition(ctx context.Context, o *Outcome, mean, rep int) error {
	seed := s.Seed*1_000_003 + uint64(rep)
	t, err := s.Jobs(seed, s.Means[mean])
	if err != nil {
		return err
	}
	alone := map[*trace.Job]int64{}
	for _, j := range t.Jobs {
		if alone[j], err = s.Alone(ctx, j); err != nil {
			return err
		}
	}
	for f, factor := range s.Factors {
		due := generate.Deadlines(t.Source(), 1, factor, seed, func(j *trace.Job) int64 { return alone[j] })
		workload, err := generate.Collect(t.Name, due)
		if err != nil {
			return err
		}
		for p, policy := range s.Policies {
			r, err := Run(ctx, policy, s.Slots, seed, workload.Source())
			if err != nil {
				return err
			}
			c := &o.Cells[mean][f][p]
			c.Exceeded[rep], c.Late[rep] = Exceeded(r)
		}
	}
	return nil
}

// Report adds the tables and plots of figure 7 or 8.
func (o *Outcome) Report(r *lab.Run, figure string) {
	r.Executions += o.Runs
	s := o.Sweep
	for f, factor := range s.Factors {
		head := []string{"mean inter-arrival (s)"}
		for _, p := range s.Policies {
			head = append(head, p.Title(), "+-", "late jobs")
		}
		var rows [][]string
		plot := lab.Plot{Name: fmt.Sprintf("%s-df%g", figure, factor), Title: fmt.Sprintf("Deadline factor %g", factor),
			X: "mean inter-arrival time (s)", Y: "sum of relative deadlines exceeded", LogX: true, Series: make([]lab.Series, len(s.Policies))}
		for m, mean := range s.Means {
			row := []string{fmt.Sprintf("%g", mean)}
			for p := range s.Policies {
				c := &o.Cells[m][f][p]
				i := MeanOf(c.Exceeded)
				row = append(row, fmt.Sprintf("%.3f", i.Mean), fmt.Sprintf("%.3f", i.Half), fmt.Sprintf("%.1f%%", 100*MeanOf(c.Late).Mean))
				x := &plot.Series[p]
				x.Name = s.Policies[p].Title()
				x.X, x.Y = append(x.X, mean), append(x.Y, i.Mean)
				x.Low, x.High = append(x.Low, i.Low()), append(x.High, i.High())
			}
			rows = append(rows, row)
		}
		r.AddTable(plot.Name, head, rows)
		r.AddPlot(plot)
	}
}

// Title names the policy with its settings.
func (p Policy) Title() string {
	t := p.Name
	for i := 1; i < len(p.Set); i += 2 {
		t += " " + p.Set[i]
	}
	return t
}
