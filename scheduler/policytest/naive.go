package policytest

import "github.com/howdah/howdah/scheduler"

// A naive policy is the reference for the policy under test. Its index is a walk over all jobs: it
// rebuilds the policy from the View before each decision. It therefore does not depend on what the
// policy makes of the facts between decisions.
type naive struct {
	wrapper
	c *cluster
}

// rebuild replaces the policy, or what it knows about jobs and trackers, by the result of a walk.
func (n *naive) rebuild(v scheduler.View) {
	if n.c.o.Rebuild != nil {
		if err := n.c.o.Rebuild(v, n.Policy); err != nil {
			n.c.failf("a walk over all jobs led to a different state: %v", err)
		}
		return
	}
	old := n.Policy
	n.Policy = n.c.o.New()
	n.Policy.Reset(v)
	inherit(v, n.Policy, old)
}

// Assign implements scheduler.Policy.
func (n *naive) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	n.rebuild(v)
	n.Policy.Assign(v, tracker, p)
}

// Tick implements scheduler.Policy.
func (n *naive) Tick(v scheduler.View, p scheduler.Plan) {
	n.rebuild(v)
	n.Policy.Tick(v, p)
}

// walks checks that a policy that keeps its state makes the same decisions as one that walks over
// all jobs before each decision.
func walks(g game) {
	kept := g.factsOf()
	g.wrap = func(c *cluster, p scheduler.Policy) scheduler.Policy { return &naive{wrapper{p}, c} }
	g.same("a walk over all jobs led to a different decision", "state kept", kept, "walk", g.factsOf())
}
