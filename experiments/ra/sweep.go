package ra

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// Contender is a policy and its settings. It is one bar in the paper's figures.
type Contender struct {
	Name     string // name in tables
	Policy   string
	Settings map[string]string
	Blind    bool // see Case
}

// Cell is a simulation in which a contender runs a workload.
type Cell struct {
	Case   Case
	Policy string
}

// On returns the cell in which c runs the workload w. The contender's settings override those of w.
func (c Contender) On(w Case) Cell {
	set := map[string]string{}
	for k, v := range w.Settings {
		set[k] = v
	}
	for k, v := range c.Settings {
		set[k] = v
	}
	return Cell{Case: Case{Workload: w.Workload, Settings: set, Blind: c.Blind}, Policy: c.Policy}
}

// Seeds returns the number of workloads that each cell runs: quick in a quick run, otherwise 10, as
// in the paper.
func Seeds(r *lab.Run, quick int) int {
	if r.Quick {
		return quick
	}
	return 10
}

// Sweep simulates every cell with the same seeds. It returns the outcomes by cell and seed.
func Sweep(ctx context.Context, r *lab.Run, seeds int, cells []Cell) ([][]Outcome, error) {
	out := make([][]Outcome, len(cells))
	for i := range out {
		out[i] = make([]Outcome, seeds)
	}
	r.Executions += len(cells) * seeds
	return out, lab.Parallel(ctx, r.Workers, len(cells)*seeds, func(ctx context.Context, i int) (err error) {
		c := &cells[i/seeds]
		out[i/seeds][i%seeds], err = Simulate(ctx, c.Case, c.Policy, r.Seed+uint64(i%seeds))
		return err
	})
}

// Run simulates every contender on every case. The result has the indexes case, contender, and
// seed.
func Run(ctx context.Context, r *lab.Run, seeds int, contenders []Contender, cases []Case) ([][][]Outcome, error) {
	var cells []Cell
	for _, w := range cases {
		for _, c := range contenders {
			cells = append(cells, c.On(w))
		}
	}
	flat, err := Sweep(ctx, r, seeds, cells)
	if err != nil {
		return nil, err
	}
	grid := make([][][]Outcome, len(cases))
	for i := range cases {
		grid[i] = flat[i*len(contenders) : (i+1)*len(contenders)]
	}
	return grid, nil
}
