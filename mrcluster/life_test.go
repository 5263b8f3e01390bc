package mrcluster

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// An empty pool accepts every request, because its agents may not have started yet. A pool with
// nodes accepts requests for up to all of them.
func TestLargestRequest(t *testing.T) {
	w := newWorld(t, testConfig(), 0)
	w.create(Spec{Name: "any", Core: 100})
	w = pool(t, 2)
	w.create(Spec{Name: "all", Core: 2})
	require.Equal(t, failure.Limit, w.step(Input{Kind: InCreate, Spec: &Spec{Name: "more", Core: 3}}).Err.Kind)
}

func TestNumberOfMRClusters(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	m.cfg.MaxClusters = 2
	require.Nil(t, m.create(&Spec{Name: "b", Core: 1}))
	require.Equal(t, failure.Limit, m.create(&Spec{Name: "c", Core: 1}).Kind)
}

// A repeated request to remove an MR-cluster changes nothing, unless it is the first that discards
// the output.
func TestRepeatedRemoval(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	for _, x := range []struct {
		discard bool
		facts   int
	}{{false, 1}, {false, 1}, {true, 2}, {true, 2}, {false, 2}} {
		require.Nil(t, m.remove("a", x.discard))
		require.Len(t, m.out, x.facts, "%+v", x)
	}
	require.True(t, m.clusters["a"].discard)
}

// The result of a load or save counts only in the deployment and state that ordered it.
func TestLateResultsOfCopies(t *testing.T) {
	for _, x := range []struct {
		kind       InputKind
		state      ClusterState
		cluster    string
		deployment int64
		facts      int
	}{
		{InLoaded, Loading, "a", 1, 1}, {InLoaded, Loading, "a", 2, 0}, {InLoaded, Loading, "b", 1, 0},
		{InLoaded, Active, "a", 1, 0}, {InLoaded, Saving, "a", 1, 0},
		{InSaved, Saving, "a", 1, 1}, {InSaved, Saving, "a", 2, 0}, {InSaved, Saving, "b", 1, 0},
		{InSaved, Active, "a", 1, 0}, {InSaved, Loading, "a", 1, 0},
	} {
		m, c := hand(t, Spec{Name: "a", Core: 1})
		c.state = x.state
		m.take(&Input{Kind: x.kind, Cluster: x.cluster, Deployment: x.deployment})
		require.NoError(t, m.Err())
		require.Len(t, m.out, x.facts, "%+v", x)
	}
}

// The time before another save doubles with each failure, up to 64 times the first one. It begins
// again with each save of the MR-cluster.
func TestTimeBetweenSaves(t *testing.T) {
	m, c := hand(t, Spec{Name: "a", Core: 1})
	c.state = Saving
	for _, times := range []int64{1, 2, 4, 8, 16, 32, 64, 64} {
		m.saved(&Input{Cluster: "a", Deployment: 1, Err: "disk full"})
		require.Equal(t, m.now+times*m.cfg.Retry, c.retryAt)
		m.out = nil
		m.now = c.retryAt - 1
		m.ask(c)
		require.Empty(t, m.out)
		m.now++
		m.ask(c)
		require.Equal(t, []Output{{Kind: OutSave, Cluster: "a", Deployment: 1}}, m.out)
		m.ask(c)
		require.Len(t, m.out, 1, "once")
	}
	m.wake(c)
	require.NoError(t, m.Apply(&Fact{Kind: ClusterSaving, Cluster: "a"}))
	m.saved(&Input{Cluster: "a", Deployment: 1, Err: "disk full"})
	require.Equal(t, m.now+m.cfg.Retry, c.retryAt)
}

func TestUnknownInput(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	out := m.Step(&Input{Kind: InSaved + 1, Req: 7}, nil)
	require.Equal(t, failure.Internal, out[len(out)-1].Err.Kind)
}

// Facts that do not fit the state are refused, and only those. Such a journal is damaged.
func TestFactsThatDoNotFit(t *testing.T) {
	for name, x := range map[string]struct {
		fact Fact
		fits bool
	}{
		"no request":     {Fact{Kind: ClusterCreated}, false},
		"bad request":    {Fact{Kind: ClusterCreated, Spec: &Spec{Name: "b"}}, false},
		"taken":          {Fact{Kind: ClusterCreated, Spec: &Spec{Name: "a", Core: 1}}, false},
		"new":            {Fact{Kind: ClusterCreated, Spec: &Spec{Name: "b", Core: 1}}, true},
		"unknown":        {Fact{Kind: ClusterSaving, Cluster: "b"}, false},
		"saving":         {Fact{Kind: ClusterSaving, Cluster: "a"}, true},
		"not queued":     {Fact{Kind: ClusterAdmitted, Cluster: "a"}, false},
		"not defined":    {Fact{Kind: ClusterRemoved, Cluster: "a"}, false},
		"no kind":        {Fact{Cluster: "a"}, false},
		"shares":         {Fact{Kind: RoomMade, Shares: []Share{{Cluster: "a", Nodes: 2}}}, true},
		"unknown share":  {Fact{Kind: RoomMade, Shares: []Share{{Cluster: "b", Nodes: 2}}}, false},
		"idle share":     {Fact{Kind: RoomMade, Shares: []Share{{Cluster: "idle", Nodes: 2}}}, false},
		"no node":        {Fact{Kind: NodeUp, Node: "x"}, false},
		"no name":        {Fact{Kind: NodeJoined}, false},
		"not starting":   {Fact{Kind: NodeUp, Node: "n"}, false},
		"forgets lost":   {Fact{Kind: NodeForgotten, Node: "lost"}, true},
		"forgets up":     {Fact{Kind: NodeForgotten, Node: "n"}, false},
		"forgets nobody": {Fact{Kind: NodeForgotten, Node: "x"}, false},
	} {
		m, _ := hand(t, Spec{Name: "a", Core: 1}, &node{name: "n", kind: Core, state: Up})
		m.nodes["lost"] = &node{name: "lost", state: Lost}
		m.put(&cluster{spec: Spec{Name: "idle", Core: 1}})
		before := durable(m)
		err := m.Apply(&x.fact)
		require.Equal(t, x.fits, err == nil, "%s: %v", name, err)
		if !x.fits {
			require.Equal(t, failure.Corrupt, failure.KindOf(err), name)
			require.Equal(t, before, durable(m), name)
		}
	}
}

// Only a change of the state counts for the time since which an MR-cluster is in it.
func TestSinceWhen(t *testing.T) {
	m, c := hand(t, Spec{Name: "a", Core: 1})
	for i, kind := range []FactKind{ClusterSaving, ClusterUnsaved, ClusterActive} {
		require.NoError(t, m.Apply(&Fact{Kind: kind, Cluster: "a", Time: 200 + int64(i)}))
		require.Equal(t, []int64{200, 200, 202}[i], c.since, "%v", kind)
	}
}

// Names that a fact cannot have are refused. A fact without a kind of node has an empty name.
func TestNamesInFacts(t *testing.T) {
	for _, text := range []string{"", "no-such-fact"} {
		require.Error(t, new(FactKind).UnmarshalText([]byte(text)), "%q", text)
	}
	for text, want := range map[string]Kind{"": 0, "core": Core, "TR": Transient, "transient": Transient,
		"TC": TransientCore, "transient-core": TransientCore} {
		k := Kind(9)
		require.NoError(t, k.UnmarshalText([]byte(text)))
		require.Equal(t, want, k)
	}
	require.Error(t, new(Kind).UnmarshalText([]byte("CORE")))
}

// A request cannot make the journal's snapshot larger than a fact can be.
func TestSizeOfRequests(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	m.cfg.MaxClusters = 1000
	big := func(n int) Spec { return Spec{Core: 1, Conf: []string{"k=" + strings.Repeat("v", n)}} }
	x := big(maxSpec)
	x.Name = "x"
	err := m.create(&x)
	require.NotNil(t, err)
	require.Equal(t, failure.Limit, err.Kind)
	for i := range maxSpecs/maxSpec - 1 {
		x := big(maxSpec - 100)
		x.Name = "x" + strconv.Itoa(i)
		require.Nil(t, m.create(&x))
	}
	y, z := big(maxSpec-100), big(maxSpec-100)
	y.Name, z.Name = "y", "z"
	require.Nil(t, m.create(&y))
	err = m.create(&z)
	require.NotNil(t, err)
	require.Equal(t, failure.Limit, err.Kind)
	require.Contains(t, err.Error(), "remove an MR-cluster")
}

func TestReasonsAreClipped(t *testing.T) {
	m, c := hand(t, Spec{Name: "a", Core: 1})
	c.state = Saving
	m.take(&Input{Kind: InSaved, Cluster: "a", Deployment: 1, Err: strings.Repeat("ü", 1<<20)})
	require.Len(t, m.out, 1)
	require.LessOrEqual(t, len(m.out[0].Fact.Reason), maxReason)
	require.True(t, utf8.ValidString(m.out[0].Fact.Reason))
}
