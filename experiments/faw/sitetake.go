package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/mrcluster"
)

const taker = "taker"

// Taking are nodes that the MR-cluster gives up, since another one has come.
type Taking struct {
	s     *Site
	nodes int
	since int // facts before it
}

// Take lets another MR-cluster come whose core is so many nodes. All of them are taken from the one that runs jobs: nobody holds any.
func (s *Site) Take(ctx context.Context, nodes int) (*Taking, error) {
	facts, err := s.Facts()
	if err != nil {
		return nil, err
	}
	t := &Taking{s: s, nodes: nodes, since: len(facts)}
	if nodes == 0 {
		return t, nil
	}
	s.taken = nodes
	return t, s.deploy(ctx, taker, "--core", fmt.Sprint(nodes))
}

// Wait waits until the nodes have left. It gives the mean time that one took, in s, and how many have left, which may be more: for a
// moment the manager takes an MR-cluster of which it knows nothing for one with work to do.
func (t *Taking) Wait(ctx context.Context) (perNode float64, left int, err error) {
	if t.nodes == 0 {
		return 0, 0, nil
	}
	if err := t.s.await(ctx, fmt.Sprintf("%d nodes have left", t.nodes), t.s.settled); err != nil {
		return 0, 0, err
	}
	facts, err := t.s.Facts()
	if err != nil {
		return 0, 0, err
	}
	perNode, left = drained(facts[t.since:])
	return perNode, left, nil
}

// drained gives the mean time of drains that ended, in s, and how many did.
func drained(facts []mrcluster.Fact) (mean float64, nodes int) {
	since, sum := map[string]int64{}, int64(0)
	for _, f := range facts {
		switch {
		case f.Kind == mrcluster.NodeDraining:
			since[f.Node] = f.Time
		case f.Kind == mrcluster.NodeReleased && f.Drained:
			sum += f.Time - since[f.Node]
			nodes++
		}
	}
	return float64(sum) / 1000 / float64(max(1, nodes)), nodes
}

// GiveBack lets the nodes come back as soon as they can.
func (s *Site) GiveBack(ctx context.Context) error {
	if s.taken == 0 {
		return nil
	}
	if err := s.SetCores(ctx, 0); err != nil {
		return err
	}
	s.taken = 0
	if err := s.remove(ctx, taker); err != nil {
		return err
	}
	return s.settle(ctx)
}
