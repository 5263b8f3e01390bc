package faw

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
	"github.com/howdah/howdah/mrcluster/weight"
)

// A manager and its agents take the settings.
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

// A site is settled when every node is up, the MR-cluster has what it shall have, and none of that is leaving.
func TestSettled(t *testing.T) {
	s := &Site{core: 2, holders: 1, taken: 1} // and two others
	at := func(state string, held, leaving int32) *pool.PoolStatus {
		x := &pool.PoolStatus{Cluster: []*pool.Cluster{{Spec: &pool.Spec{Name: worker}, State: state, Held: held, Leaving: leaving}}}
		for range SiteNodes {
			x.Node = append(x.Node, &pool.Node{Name: "n", State: "up"})
		}
		return x
	}
	require.True(t, s.settled(at("active", 4, 0)))
	require.False(t, s.settled(at("deploying", 4, 0)))
	require.False(t, s.settled(at("active", 5, 0)))
	require.False(t, s.settled(at("active", 4, 1)))
	starting := at("active", 4, 0)
	starting.Node[3].State = "starting"
	require.False(t, s.settled(starting))
	ill := at("active", 4, 0)
	ill.Node[3].Problem = "its disk is full"
	require.False(t, s.settled(ill))
	require.Contains(t, told(ill), "its disk is full")
	require.False(t, s.settled(&pool.PoolStatus{}))
}

func TestDrained(t *testing.T) {
	mean, nodes := drained([]mrcluster.Fact{
		{Kind: mrcluster.NodeDraining, Node: "a", Time: 1000}, {Kind: mrcluster.NodeDraining, Node: "b", Time: 2000},
		{Kind: mrcluster.NodeReleased, Node: "a", Time: 4000, Drained: true}, {Kind: mrcluster.NodeReleased, Node: "c", Time: 4000},
		{Kind: mrcluster.NodeReleased, Node: "b", Time: 7000, Drained: true},
	})
	require.Equal(t, 2, nodes)
	require.Equal(t, 4.0, mean)
	mean, nodes = drained(nil)
	require.Zero(t, nodes)
	require.Zero(t, mean)
}

// A machine that cannot is told so, and what helps, before anything starts.
func TestNeeded(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := needed(t.Context())
	require.True(t, failure.Is(err, failure.Permission) || failure.Is(err, failure.NotFound), "%v", err)
	var told *failure.Error
	require.ErrorAs(t, err, &told)
	require.NotEmpty(t, told.Remedy)
}
