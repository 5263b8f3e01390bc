package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/mrcluster"
)

const taker = "taker"

// Taking is the departure of nodes from the MR-cluster that runs jobs to a new MR-cluster.
type Taking struct {
	s     *Site
	nodes int
	since int // number of facts before the departure
}

// Take starts another MR-cluster with the given number of core nodes. The manager takes all of them
// from the MR-cluster that runs jobs, because no other nodes are available. If nodes is 0, Take
// does not start an MR-cluster.
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

// Wait waits until the nodes have left. It returns the mean time per drained node, in s, and the
// number of drained nodes. More nodes than requested may be drained, because the manager assumes
// for a short time that a new MR-cluster has work to do.
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

// drained returns the mean time of the completed drains, in s, and the number of drained nodes.
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

// GiveBack removes the other MR-cluster and waits until its nodes have returned.
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
