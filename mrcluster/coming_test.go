package mrcluster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChange checks what the manager tells about the nodes of an MR-cluster.
func TestChange(t *testing.T) {
	at := func(s NodeState, since int64) *node { return &node{state: s, since: since} }
	for _, x := range []struct {
		name   string
		target int
		core   int
		nodes  []*node
		want   Coming
	}{
		{"at rest", 2, 1, []*node{at(Up, 0), at(Up, 0)}, Coming{2, 2, 0}},
		{"two start, and two are still to come", 5, 1, []*node{at(Up, 0), at(Starting, 92_000), at(Starting, 97_000)},
			Coming{1, 5, 7000}},
		{"others still have the nodes", 3, 1, []*node{at(Up, 0)}, Coming{1, 3, 10_000}},
		{"late", 2, 1, []*node{at(Up, 0), at(Starting, 80_000)}, Coming{1, 2, 0}},
		{"one drains", 1, 1, []*node{at(Up, 0), at(Draining, 90_000)}, Coming{2, 1, 20_000}},
		{"never less than the core", 0, 2, []*node{at(Up, 0)}, Coming{1, 2, 10_000}},
	} {
		m := &Machine{now: 100_000, starts: took{20_000, 2}, drains: took{30_000, 1}}
		c := &cluster{target: x.target, nodes: x.nodes}
		c.spec.Core = x.core
		require.Equal(t, x.want, m.change(c), x.name)
	}
	unknown := &Machine{now: 100_000}
	require.Equal(t, Coming{1, 4, 0}, unknown.change(&cluster{target: 4, nodes: []*node{at(Up, 0)}}))
}

// TestCurve checks f(t) before, at, and after a change.
func TestCurve(t *testing.T) {
	points := func(x Coming) string { return strings.Join(strings.Split(x.Curve(5), "\n")[3:7], " ") }
	require.Equal(t, "period 31622400000ms\norigin 5\nstep 31622400000ms\n", strings.Join(
		strings.SplitAfter(Coming{1, 2, 9}.Curve(5), "\n")[:3], ""))
	require.Equal(t, "0 0.250000 7000ms 0.250000 7001ms 1.000000 31622400000ms 1.000000", points(Coming{1, 4, 7000}))
	require.Equal(t, "0 1.000000 7000ms 1.000000 7001ms 0.500000 31622400000ms 0.500000", points(Coming{4, 2, 7000}))
	for _, x := range []Coming{{}, {3, 3, 0}, {0, 3, 7000}, {2, 3, 0}} {
		require.Equal(t, strings.Count(points(x), points(x)[2:10]), 4, "%+v is flat: %s", x, points(x))
	}
}

// TestLearnsDurations checks that the manager learns how long starts take.
func TestLearnsDurations(t *testing.T) {
	w := newWorld(t, testConfig(), 3)
	w.second()
	w.create(Spec{Name: "a", Core: 2})
	w.run("a", 100)
	w.seconds(60)
	require.GreaterOrEqual(t, w.m.starts.n, int64(2))
	require.Positive(t, w.m.starts.left(0, 0))
}
