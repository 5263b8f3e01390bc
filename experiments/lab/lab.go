// Package lab is what experiments are made of: each reproduces a figure or table of a paper and checks that its relation holds.
package lab

import "context"

// Experiment is one figure or table of a paper. Each has a folder of its own below experiments/.
type Experiment struct {
	ID       string // "SIM-3"
	Paper    string // "SimMR (CLUSTER 2011)"
	Item     string // "Figure 5(a)"
	Claim    string // what the paper says
	Relation string // what must hold here, in words
	BibTeX   string
	// Sim runs it in the simulator; Real runs it on real nodes, nil = there is no such run.
	Sim  func(ctx context.Context, r *Run) error
	Real func(ctx context.Context, r *Run) error
}
