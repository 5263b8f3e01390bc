package mrcluster

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDamagedSnapshots checks that a machine rejects a snapshot that no manager would write, and
// stays unchanged.
func TestDamagedSnapshots(t *testing.T) {
	a := SavedCluster{Spec: Spec{Name: "a", Core: 1}, State: Active, Deployment: 1, Target: 1}
	up := SavedNode{Name: "n1", State: Up, Cluster: "a", Deployment: 1, Kind: Core, Master: true}
	for what, s := range map[string]*State{
		"no state":    nil,
		"bad request": {Clusters: []SavedCluster{{Spec: Spec{Name: "a"}}}},
		"twice":       {Clusters: []SavedCluster{a, a}},
		"twice, idle": {Clusters: []SavedCluster{{Spec: a.Spec}, {Spec: a.Spec}}},
		"idle": {Clusters: []SavedCluster{{Spec: a.Spec}},
			Nodes: []SavedNode{{Name: "n1", State: Up, Cluster: "a", Kind: Core}}},
		"target":     {Clusters: []SavedCluster{{Spec: a.Spec, State: Active}}},
		"no cluster": {Nodes: []SavedNode{up}},
		"deployment": {Clusters: []SavedCluster{a},
			Nodes: []SavedNode{{Name: "n1", State: Up, Cluster: "a", Deployment: 2, Kind: Core}}},
		"kind": {Clusters: []SavedCluster{a},
			Nodes: []SavedNode{{Name: "n1", State: Up, Cluster: "a", Deployment: 1}}},
		"weight": {Clusters: []SavedCluster{{Spec: a.Spec, State: Active, Deployment: 1, Target: 1, Weight: 1.5}}},
		"two masters": {Clusters: []SavedCluster{a},
			Nodes: []SavedNode{up, {Name: "n2", State: Up, Cluster: "a", Deployment: 1, Kind: Core, Master: true}}},
		"same name":    {Clusters: []SavedCluster{a}, Nodes: []SavedNode{up, {Name: "n1"}}},
		"no name":      {Nodes: []SavedNode{{}}},
		"not in order": {Nodes: []SavedNode{{Name: "n2"}, {Name: "n1"}}},
		"not deployed": {Clusters: []SavedCluster{{Spec: a.Spec, State: Defined, Deployment: 1}}, Nodes: []SavedNode{up}},
	} {
		m, err := New(DefaultConfig(), tasks{})
		require.NoError(t, err)
		require.Error(t, m.Apply(&Fact{Kind: Snapshot, State: s}), what)
		require.Equal(t, []string{"0 0 0"}, durable(m), what)
	}
	good := Fact{Kind: Snapshot, State: &State{Clusters: []SavedCluster{a}, Nodes: []SavedNode{up}}}
	for what, first := range map[string]Fact{"snapshot": good, "cluster": {Kind: ClusterCreated, Spec: &a.Spec},
		"node": {Kind: NodeJoined, Node: "n"}} {
		m, err := New(DefaultConfig(), tasks{})
		require.NoError(t, err)
		require.NoError(t, m.Apply(&first), what)
		require.ErrorContains(t, m.Apply(&good), "must be the first fact", what)
	}
}

// FuzzFact checks that no journal makes the machine panic, and that the machine can continue from
// the resulting state.
func FuzzFact(f *testing.F) {
	for _, s := range []string{
		`{"fact":"cluster-created","time":1,"spec":{"name":"a","core":1}}`,
		`{"fact":"snapshot","time":5,"state":{"clusters":[{"spec":{"name":"a","core":1},"state":"active","deployment":1,` +
			`"target":1}],"nodes":[{"name":"n","state":"up","cluster":"a","deployment":1,"kind":"core","master":true}]}}`,
		`{"fact":"node-joined","time":2,"node":"n"}`,
		`{"fact":"measured","time":7,"shares":[{"cluster":"a","nodes":1,"weight":1,"discrimination":9e99,"overall":9e99}]}`,
	} {
		f.Add(s, `{"fact":"node-lost","time":9,"node":"n"}`)
		f.Add(s, `{"fact":"measured","time":9,"shares":[{"cluster":"a","nodes":1,"weight":1,"discrimination":9e99,`+
			`"overall":-9e99}]}`)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		m, err := New(testConfig(), tasks{})
		require.NoError(t, err)
		for _, line := range []string{first, second} {
			var x Fact
			if json.Unmarshal([]byte(line), &x) != nil || x.Time < 0 || x.Time > 1<<50 {
				return
			}
			if m.Apply(&x) != nil {
				return
			}
		}
		m.Recovered(1<<51, nil)
		require.NoError(t, m.Err())
		m.Step(&Input{Kind: InTick, Now: 1<<51 + 100_000}, nil)
		require.NoError(t, m.Err())
	})
}
