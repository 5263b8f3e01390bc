package faw

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
	"github.com/howdah/howdah/mrcluster/status"
	"github.com/howdah/howdah/mrcluster/weight"
)

// A manager and its agents accept the settings.
func TestSiteSettings(t *testing.T) {
	c := conf.New()
	for _, s := range siteSettings("/jars", 4000) {
		key, value, ok := strings.Cut(s, "=")
		require.True(t, ok, s)
		c.Set(key, value, "test")
	}
	m, err := daemon.FromConf(c, "127.0.0.1")
	require.NoError(t, err)
	require.EqualValues(t, 4000, m.Machine.Interval)
	require.Equal(t, weight.DU{}, m.Weighting)
	h, err := hdfs.FromConf(c)
	require.NoError(t, err)
	require.Equal(t, "/jars", h.Jars)
	require.EqualValues(t, 160, h.HeapMB)
}

// A site is settled when every node is up, the MR-cluster has all of its nodes, and no node is
// leaving.
func TestSettled(t *testing.T) {
	s := &Site{core: 2, holders: 1, taken: 1} // the MR-cluster has two other nodes
	at := func(state mrcluster.ClusterState, held, leaving int) *status.Pool {
		x := &status.Pool{Clusters: []*status.Cluster{{ClusterView: mrcluster.ClusterView{Spec: mrcluster.Spec{Name: worker},
			State: state, Held: held, Leaving: leaving}}}}
		for range SiteNodes {
			x.Nodes = append(x.Nodes, &mrcluster.NodeView{Name: "n", State: mrcluster.Up})
		}
		return x
	}
	require.True(t, s.settled(at(mrcluster.Active, 4, 0)))
	require.False(t, s.settled(at(mrcluster.Deploying, 4, 0)))
	require.False(t, s.settled(at(mrcluster.Active, 5, 0)))
	require.False(t, s.settled(at(mrcluster.Active, 4, 1)))
	starting := at(mrcluster.Active, 4, 0)
	starting.Nodes[3].State = mrcluster.Starting
	require.False(t, s.settled(starting))
	ill := at(mrcluster.Active, 4, 0)
	ill.Nodes[3].Problem = "its disk is full"
	require.False(t, s.settled(ill))
	require.Contains(t, told(ill), "its disk is full")
	require.False(t, s.settled(&status.Pool{}))
}

func TestDrained(t *testing.T) {
	mean, nodes := drained([]mrcluster.Fact{
		{Kind: mrcluster.NodeDraining, Node: "a", Time: 1000}, {Kind: mrcluster.NodeDraining, Node: "b", Time: 2000},
		{Kind: mrcluster.NodeReleased, Node: "a", Time: 4000, Drained: true},
		{Kind: mrcluster.NodeReleased, Node: "c", Time: 4000},
		{Kind: mrcluster.NodeReleased, Node: "b", Time: 7000, Drained: true},
	})
	require.Equal(t, 2, nodes)
	require.Equal(t, 4.0, mean)
	mean, nodes = drained(nil)
	require.Zero(t, nodes)
	require.Zero(t, mean)
}

// On an unsuitable machine, needed returns an error with a remedy.
func TestNeeded(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := needed(t.Context())
	require.True(t, failure.Is(err, failure.Permission) || failure.Is(err, failure.NotFound), "%v", err)
	var told *failure.Error
	require.ErrorAs(t, err, &told)
	require.NotEmpty(t, told.Remedy)
}
