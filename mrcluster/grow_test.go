package mrcluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func (w *world) grow(name string, nodes int) *failure.Error {
	return w.step(Input{Kind: InGrow, Cluster: name, Nodes: nodes}).Err
}

// still returns a world of ten nodes whose weights never move nodes and whose MR-clusters never
// become idle.
func still(t *testing.T) *world {
	cfg := testConfig()
	cfg.Threshold, cfg.IdleAfter = 1e9, 1e9
	w := newWorld(t, cfg, 10)
	w.seconds(3)
	return w
}

// An operator size adds nodes that are not core nodes, even if weights move none. It survives a
// restart and a snapshot. At size 0, the nodes leave.
func TestGrowByHand(t *testing.T) {
	w := still(t)
	w.create(Spec{Name: "a", Core: 2})
	w.run("a", 1000)
	w.seconds(5)
	require.Equal(t, 2, w.cluster("a").Held)
	require.Nil(t, w.grow("a", 6))
	w.seconds(5)
	require.Equal(t, []int{6, 6, 6, 2}, sizes(w, "a"))
	for _, again := range []func(){w.restart, w.compact} {
		again()
		w.seconds(5)
		require.Equal(t, []int{6, 6, 6, 2}, sizes(w, "a"))
	}
	require.Equal(t, 6, w.m.change(w.m.clusters["a"]).Then)
	w.seconds(10)
	at := slices.IndexFunc(w.journal, func(f Fact) bool { return f.Kind == Measured })
	require.Equal(t, 6, w.journal[at].Shares[0].Nodes, "after the snapshot")
	require.Nil(t, w.grow("a", 4))
	w.seconds(5)
	require.Equal(t, []int{4, 4, 4, 2}, sizes(w, "a"))
	facts := w.facts
	require.Nil(t, w.grow("a", 4))
	require.Equal(t, facts, w.facts, "nothing has changed")
	require.Nil(t, w.grow("a", 0))
	w.seconds(30)
	require.Equal(t, []int{0, 2, 2, 2}, sizes(w, "a"))
}

func sizes(w *world, name string) []int {
	v := w.cluster(name)
	return []int{v.Size, v.Target, v.Held, v.Cores}
}

// Weights divide only the nodes that operator sizes leave, and an MR-cluster without waiting tasks
// keeps its operator size. After a change to 0, the weights take its nodes.
func TestWeightsRespectTheOperatorSize(t *testing.T) {
	cfg := testConfig()
	cfg.IdleAfter = 1e9
	w := newWorld(t, cfg, 10)
	w.seconds(3)
	for _, name := range []string{"a", "b"} {
		w.create(Spec{Name: name, Core: 1})
		w.run(name, 1)
	}
	w.run("b", 10_000)
	w.seconds(60)
	require.Equal(t, []int{1, 9}, []int{w.cluster("a").Held, w.cluster("b").Held})
	require.Nil(t, w.grow("a", 6))
	w.seconds(60)
	moved := w.m.reconfigurations
	w.seconds(60)
	require.Equal(t, []int{6, 4}, []int{w.cluster("a").Held, w.cluster("b").Held})
	require.Equal(t, []int{6, 4}, []int{w.cluster("a").Target, w.cluster("b").Target})
	require.Equal(t, moved, w.m.reconfigurations, "the weights agree with the operator size")
	require.Nil(t, w.grow("a", 0))
	w.seconds(60)
	require.Equal(t, []int{1, 9}, []int{w.cluster("a").Held, w.cluster("b").Held})
}

// A request is refused if the operator sizes, and the core nodes of deployed MR-clusters, would
// exceed the pool. Lowering a size is always allowed.
func TestOperatorSizesFitThePool(t *testing.T) {
	w := still(t)
	for _, name := range []string{"a", "b", "c"} {
		w.create(Spec{Name: name, Core: 2})
	}
	require.Nil(t, w.grow("a", 6), "not deployed yet")
	require.ErrorContains(t, w.grow("b", 5), "the pool has only 10 nodes, and other MR-clusters keep 6")
	require.Nil(t, w.grow("b", 4))
	w.run("c", 1000)
	w.seconds(5)
	require.Equal(t, failure.Limit, w.grow("b", 5).Kind)
	require.Nil(t, w.grow("b", 3), "lower, although 6 + 3 + 2 exceed the pool")
	require.Equal(t, failure.Limit, w.grow("b", 4).Kind, "raised again")
	w.step(Input{Kind: InRemove, Cluster: "a"})
	require.Nil(t, w.grow("b", 4))
	require.Nil(t, w.step(Input{Kind: InRemove, Cluster: "c"}).Err)
	require.ErrorContains(t, w.grow("c", 4), "is being removed")
}

// An operator size counts as a minimum share: a request waits until the size is lowered.
func TestOperatorSizeDelaysRequests(t *testing.T) {
	w := still(t)
	w.create(Spec{Name: "a", Core: 2})
	w.create(Spec{Name: "b", Core: 3})
	require.Nil(t, w.grow("a", 8))
	w.run("a", 1000)
	w.run("b", 1000)
	w.seconds(10)
	require.Equal(t, 8, w.cluster("a").Held)
	require.Equal(t, Queued, w.cluster("b").State)
	require.Nil(t, w.grow("a", 7))
	w.seconds(10)
	require.Equal(t, Active, w.cluster("b").State)
	require.Equal(t, 7, w.cluster("a").Held)
}

// In a pool that has become too small, core nodes come first. The operator sizes follow in
// deployment order, and are complete again as soon as the nodes have returned.
func TestOperatorSizesInASmallerPool(t *testing.T) {
	w := still(t)
	for _, name := range []string{"a", "b"} {
		w.create(Spec{Name: name, Core: 2})
		w.run(name, 10_000)
		w.seconds(5)
		require.Nil(t, w.grow(name, 5))
	}
	w.seconds(10)
	require.Equal(t, []int{5, 5}, []int{w.cluster("a").Held, w.cluster("b").Held})
	var away []*agent
	for _, a := range w.agents {
		if a.told.Cluster == "a" && a.told.Kind != Core && len(away) < 2 {
			away = append(away, a)
			a.die()
		}
	}
	w.seconds(30)
	require.Equal(t, []int{5, 3}, []int{w.cluster("a").Held, w.cluster("b").Held})
	for _, a := range away {
		a.dead = false
	}
	w.seconds(30)
	require.Equal(t, []int{5, 5}, []int{w.cluster("a").Held, w.cluster("b").Held})
}

// An operator size does not keep an idle MR-cluster deployed. It applies again after the next job.
func TestOperatorSizeAndIdleness(t *testing.T) {
	cfg := testConfig()
	cfg.Threshold = 1e9
	w := newWorld(t, cfg, 10)
	w.seconds(3)
	w.create(Spec{Name: "a", Core: 2})
	require.Nil(t, w.grow("a", 6))
	for range 2 {
		w.run("a", 60)
		w.seconds(8)
		require.Equal(t, 6, w.cluster("a").Held)
		w.seconds(60)
		require.Equal(t, Defined, w.cluster("a").State)
		require.Zero(t, w.cluster("a").Target)
	}
}

// An MR-cluster at its operator size gives up no node, even if it exceeds its weighted share the most.
func TestMakeRoomLeavesTheOperatorSize(t *testing.T) {
	for size, want := range map[int][]int{0: {7, 5}, 7: {7, 5}, 8: {8, 4}} {
		m, a, b := crowd(t, 7, 4)
		b.weight, a.size = 1, size
		m.makeRoom()
		require.Equal(t, want, []int{a.target, b.target}, size)
	}
	m, a, b := crowd(t, 7, 4)
	a.size = 8
	for _, n := range b.nodes {
		n.keep = 101
	}
	m.makeRoom()
	require.Empty(t, m.out, "b may not give up a node either")
}

// No MR-cluster gives up a node for the operator size of another one that can use a free node.
func TestOperatorSizeUsesFreeNodesFirst(t *testing.T) {
	for avoid, made := range map[int64]bool{0: false, 101: true} {
		m, a, _ := crowd(t, 0, 4)
		m.drop("c")
		m.order = append(m.order, &node{state: Free, avoid: avoid})
		a.size = 2
		m.makeRoom()
		require.Equal(t, made, len(m.out) > 0, avoid)
		if made {
			require.Equal(t, "a is 1 below its operator size", lastFact(t, m).Reason)
		}
	}
}

// An MR-cluster whose output cannot be saved keeps only its core nodes. It has its operator size again
// when a job arrives.
func TestOperatorSizeWhileSaving(t *testing.T) {
	cfg := testConfig()
	cfg.Threshold = 1e9
	w := newWorld(t, cfg, 10)
	w.loadErr = func() string { return "the disk is full" }
	w.seconds(3)
	w.create(Spec{Name: "a", Core: 2, Save: []Copy{{"c", "d"}}})
	require.Nil(t, w.grow("a", 6))
	w.run("a", 30)
	w.seconds(8)
	require.Equal(t, 6, w.cluster("a").Held)
	w.seconds(40)
	require.Equal(t, Saving, w.cluster("a").State)
	require.Equal(t, []int{6, 2, 2, 2}, sizes(w, "a"))
	w.run("a", 1000)
	w.seconds(5)
	require.Equal(t, []int{6, 6, 6, 2}, sizes(w, "a"))
}

// A free node first completes an operator size, even if another MR-cluster lacks more nodes.
func TestOperatorSizeComesBeforeWeights(t *testing.T) {
	for size, want := range map[int]string{0: "a", 2: "b"} {
		m, a, b := crowd(t, 0, 0)
		m.drop("c")
		m.order = append(m.order, &node{name: "free", state: Free})
		m.nodes["free"] = m.order[2]
		a.target, b.target, b.size = 9, 2, size
		m.place()
		require.NoError(t, m.Err())
		require.Equal(t, want, m.nodes["free"].cluster.spec.Name)
	}
}

// An MR-cluster gets nodes beyond its core only when it is active.
func TestOperatorSizeBeforeTheClusterIsActive(t *testing.T) {
	for state, want := range map[ClusterState]NodeState{Deploying: Free, Loading: Free, Saving: Free, Active: Starting} {
		m, c := hand(t, Spec{Name: "a", Core: 1}, &node{name: "core", kind: Core, state: Up})
		free := &node{name: "free", state: Free}
		m.nodes["free"], m.order = free, append(m.order, free)
		c.state, c.size = state, 2
		m.place()
		require.NoError(t, m.Err())
		require.Equal(t, want, free.state, state)
	}
}

// Two requests are admitted at the same time only if the operator size of the first leaves the core
// nodes of the second.
func TestAdmissionCountsOperatorSizes(t *testing.T) {
	for size, want := range map[int]ClusterState{0: Deploying, 2: Deploying, 3: Queued} {
		m, _ := hand(t, Spec{Name: "a", Core: 1})
		for range 5 {
			m.order = append(m.order, &node{state: Free})
		}
		m.put(&cluster{spec: Spec{Name: "b", Core: 2}, state: Queued, ticket: 1, size: size})
		m.put(&cluster{spec: Spec{Name: "c", Core: 2}, state: Queued, ticket: 2})
		m.admit()
		require.Equal(t, []ClusterState{Deploying, want}, []ClusterState{m.clusters["b"].state, m.clusters["c"].state}, size)
	}
}

// A fact with an impossible size does not fit the state.
func TestSizeOfADamagedJournal(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 2})
	for size, fits := range map[int]bool{0: true, 1: false, 2: true, -1: false, maxCore: true, maxCore + 1: false} {
		require.Equal(t, fits, m.Apply(&Fact{Kind: ClusterSized, Cluster: "a", Nodes: size}) == nil, size)
	}
	s := &State{Clusters: []SavedCluster{{Spec: Spec{Name: "a", Core: 2}, Size: 1}}}
	require.ErrorContains(t, s.validate(), "the size 1 is invalid")
}
