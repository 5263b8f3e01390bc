// Package lab is the framework of the experiments. Each experiment reproduces a result of a paper,
// usually a figure or table, and checks a relation. Start with Experiment, Run, and Execute.
package lab

import "context"

// Experiment reproduces one result of a paper, usually a figure or table.
type Experiment struct {
	ID       string // "SIM-3"
	Paper    string // "SimMR (CLUSTER 2011)"
	Item     string // "Figure 5(a)"
	Claim    string // the paper's claim
	Relation string // the relation that must hold in our runs, in words
	BibTeX   string
	// Sim runs the experiment in the simulator, and Real runs it on real nodes. Nil means that the
	// experiment has no such run.
	Sim  func(ctx context.Context, r *Run) error
	Real func(ctx context.Context, r *Run) error
	// Earlier is Markdown about real runs of earlier versions of the experiment; "" = none.
	// WritePage adds this text after the current real run, so that no result is lost.
	Earlier string
}
