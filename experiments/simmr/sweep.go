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

// Factors are the deadline factors of figures 7 and 8.
var Factors = []float64{1, 1.5, 3}

// Sweep compares policies as in figures 7 and 8. The same jobs run with increasing times between
// arrivals. Each deadline is drawn from [T, df*T], where T is what Alone returns and df is the
// deadline factor.
type Sweep struct {
	Means, Factors []float64 // mean inter-arrival times in seconds, and deadline factors
	Policies       []lab.Policy
	Slots          [2]int32
	Repeat         int // repetitions
	Seed           uint64
	Workers        int // maximum number of simultaneous repetitions
	// Jobs returns the workload of a repetition. mean is the mean inter-arrival time in seconds.
	// Alone returns the time, in ms, that a job takes if it has all slots to itself.
	Jobs  func(seed uint64, mean float64) (*trace.Trace, error)
	Alone func(ctx context.Context, j *trace.Job) (int64, error)
}

// Cell holds the results of lab.Exceeded for one policy, mean, and factor, by repetition.
type Cell struct{ Exceeded, Late []float64 }

// Outcome holds the cells by mean, factor, and policy.
type Outcome struct {
	Sweep *Sweep
	Cells [][][]Cell
	Runs  int // number of simulations, not counting those in Alone
}

// Run runs all repetitions. A repetition has the same jobs, arrivals, and random numbers under every
// policy and factor.
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
	err := lab.Parallel(ctx, s.Workers, len(s.Means)*s.Repeat, func(ctx context.Context, i int) error {
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
			r, err := lab.RunTasks(ctx, policy, s.Slots, seed, workload.Source())
			if err != nil {
				return err
			}
			c := &o.Cells[mean][f][p]
			c.Exceeded[rep], c.Late[rep] = lab.Exceeded(r)
		}
	}
	return nil
}

// Report adds a table and a plot for each deadline factor, as in figures 7 and 8. Their names start
// with figure.
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
			X: "mean inter-arrival time (s)", Y: "sum of relative deadlines exceeded", LogX: true,
			Series: make([]lab.Series, len(s.Policies))}
		for m, mean := range s.Means {
			row := []string{fmt.Sprintf("%g", mean)}
			for p := range s.Policies {
				c := &o.Cells[m][f][p]
				i := lab.IntervalOf(c.Exceeded)
				row = append(row, fmt.Sprintf("%.3f", i.Mean), fmt.Sprintf("%.3f", i.Half),
					fmt.Sprintf("%.1f%%", 100*lab.IntervalOf(c.Late).Mean))
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
