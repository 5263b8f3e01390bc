// Package lab is the framework of the experiments. Each experiment reproduces a result of a paper,
// usually a figure or table, and compares effects with registered relations. Start with Experiment,
// Registration, Run, and Execute.
package lab

import "context"

// Experiment reproduces one result of a paper, usually a figure or table. Its Registration states
// what it claims.
type Experiment struct {
	ID     string // "SIM-3"
	Paper  string // "SimMR (CLUSTER 2011)"
	BibTeX string
	// Sim runs the experiment in the simulator, and Real runs it on real nodes. Nil means that the
	// experiment has no such run.
	Sim  func(ctx context.Context, r *Run) error
	Real func(ctx context.Context, r *Run) error
}
