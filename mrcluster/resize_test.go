package mrcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A node that may hold data drains before it leaves. Any other node leaves immediately, unless the
// policy is Delayed and the node is up.
func TestHowNodesLeave(t *testing.T) {
	for _, x := range []struct {
		shrink Preemption
		kind   Kind
		state  NodeState
		want   NodeState
	}{
		{ByKind, Transient, Up, Clearing}, {ByKind, Transient, Starting, Clearing},
		{Delayed, Transient, Up, Draining}, {Delayed, Transient, Starting, Clearing},
		{ByKind, TransientCore, Up, Draining}, {ByKind, TransientCore, Starting, Draining},
		{Delayed, TransientCore, Up, Draining}, {Delayed, TransientCore, Starting, Draining},
	} {
		m, c := hand(t, Spec{Name: "a", Core: 1, HDFS: true}, &node{name: "core", kind: Core, state: Up},
			&node{name: "n", kind: x.kind, state: x.state})
		m.cfg.Shrink, c.target = x.shrink, 1
		m.shrink()
		require.NoError(t, m.Err())
		require.Equal(t, x.want, m.nodes["n"].state, "%+v", x)
	}
}

// Nodes that are still starting leave first, then those with less data, then those that came last.
func TestWhoLeavesFirst(t *testing.T) {
	m, c := hand(t, Spec{Name: "a", Core: 1}, &node{name: "core", kind: Core, state: Up},
		&node{name: "full", kind: Transient, state: Up, stored: 9, since: 90},
		&node{name: "old", kind: Transient, state: Up, since: 10}, &node{name: "new", kind: Transient, state: Up, since: 20},
		&node{name: "starts", kind: Transient, state: Starting, stored: 10},
		&node{name: "too", kind: Transient, state: Up, since: 20})
	var names []string
	for _, n := range m.leavers(c) {
		names = append(names, n.name)
	}
	require.Equal(t, []string{"starts", "new", "too", "old", "full"}, names)
}

// The drain with the most data left is canceled first, and the first one among equals.
func TestWhichDrainIsCanceled(t *testing.T) {
	up := &node{state: Up, left: 9}
	little, much, more := &node{state: Draining, left: 1}, &node{state: Draining, left: 2}, &node{state: Draining, left: 2}
	require.True(t, much == (&cluster{nodes: []*node{up, little, much, more}}).draining(), "the first among equals")
	require.Nil(t, (&cluster{nodes: []*node{up}}).draining())
}
