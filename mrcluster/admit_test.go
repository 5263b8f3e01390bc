package mrcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// crowd returns a machine whose MR-clusters a and b have a core node and the given number of
// transient nodes each, and whose MR-cluster c lacks its core node.
func crowd(t *testing.T, inA, inB int) (m *Machine, a, b *cluster) {
	nodes := func(n int) []*node {
		out := []*node{{kind: Core, state: Up}}
		for range n {
			out = append(out, &node{kind: Transient, state: Up})
		}
		return out
	}
	m, a = hand(t, Spec{Name: "a", Core: 1}, nodes(inA)...)
	b = &cluster{spec: Spec{Name: "b", Core: 1}, state: Active, deployment: 2, target: inB + 1, nodes: nodes(inB)}
	m.put(b)
	m.put(&cluster{spec: Spec{Name: "c", Core: 1}, state: Deploying, deployment: 3, target: 1})
	m.order = append(m.order, b.nodes...)
	return m, a, b
}

// The MR-cluster that most exceeds its weighted share gives up the first node. Nodes that must stay
// do not count.
func TestMakeRoomTakesFromTheLargestExcess(t *testing.T) {
	for _, x := range []struct {
		name         string
		inA, inB     int
		keep         int64 // earliest time at which a node of b may leave
		wantA, wantB float64
		targets      []int
	}{
		{"a has eight of eleven, b five of two", 7, 4, 0, 0.9, 0.1, []int{8, 4}},
		{"a has eight of two, b five of eleven", 7, 4, 0, 0.1, 0.9, []int{7, 5}},
		{"the first among equals", 4, 4, 0, 0, 0, []int{4, 5}},
		{"a is below its share, but b may not give", 7, 4, 101, 1, 0, []int{7, 5}},
		{"nobody may give", 0, 4, 101, 1, 0, []int{1, 5}},
		{"b may give again", 0, 4, 100, 1, 0, []int{1, 4}},
	} {
		m, a, b := crowd(t, x.inA, x.inB)
		a.weight, b.weight = x.wantA, x.wantB
		for _, n := range b.nodes {
			n.keep = x.keep
		}
		m.makeRoom()
		require.Equal(t, x.targets, []int{a.target, b.target}, x.name)
		if a.target+b.target == x.inA+x.inB+2 {
			require.Empty(t, m.out, "nothing has changed")
		} else {
			require.Equal(t, "c lacks 1 core node", lastFact(t, m).Reason)
		}
	}
}

// No MR-cluster gives up a node if another node is becoming free, or is free and may be used by the
// MR-cluster that lacks it.
func TestMakeRoomWaitsForFreeNodes(t *testing.T) {
	for name, x := range map[string]struct {
		node node
		made bool
	}{
		"clearing":            {node{state: Clearing}, false},
		"draining":            {node{state: Draining}, false},
		"free":                {node{state: Free}, false},
		"lost":                {node{state: Lost}, true},
		"free, failed in c":   {node{state: Free, avoid: 101, blamed: "c"}, true},
		"free, failed in all": {node{state: Free, avoid: 101}, true},
	} {
		m, _, _ := crowd(t, 7, 4)
		m.order = append(m.order, &x.node)
		m.makeRoom()
		require.Equal(t, x.made, len(m.out) > 0, name)
	}
}

// Two requests are admitted at the same time only if the minimum shares of both fit into the pool.
func TestAdmissionCountsTheRequestsBefore(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	for range 4 {
		m.order = append(m.order, &node{state: Free})
	}
	m.put(&cluster{spec: Spec{Name: "b", Core: 2}, state: Queued, ticket: 1})
	m.put(&cluster{spec: Spec{Name: "c", Core: 2}, state: Queued, ticket: 2})
	m.admit()
	require.Equal(t, []ClusterState{Deploying, Queued}, []ClusterState{m.clusters["b"].state, m.clusters["c"].state})
	m.order = append(m.order, &node{state: Free})
	m.admit()
	require.Equal(t, Deploying, m.clusters["c"].state, "one more node")
}
