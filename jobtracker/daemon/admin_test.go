package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/client"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

func TestRefreshNodes(t *testing.T) {
	c := newCluster(t)
	file := filepath.Join(c.root, "exclude")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c.conf.Set(conf.JobTrackerHostsExcludeFileName.Name, file, "test")
	c.start()
	trackers := c.trackers()
	c.register(trackers, "good")
	c.register(trackers, "bad")
	jobs := c.wire()
	_, err := jobs.RefreshNodes(c.ctx(), &client.AdminRequest{User: "mallory"})
	require.True(t, failure.Is(err, failure.Permission))
	require.NoError(t, os.WriteFile(file, []byte("bad\n"), 0o600))
	r, err := jobs.RefreshNodes(c.ctx(), &client.AdminRequest{User: c.policies.Rules().Me})
	require.NoError(t, err)
	require.Contains(t, r.Text, "read again")
	all, err := jobs.Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.Len(t, all.Tracker, 1)
	require.Equal(t, "good", all.Tracker[0].Name)
	require.NoError(t, os.Remove(file))
	_, err = jobs.RefreshNodes(c.ctx(), &client.AdminRequest{User: c.policies.Rules().Me})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

func TestNoFilesOfHosts(t *testing.T) {
	c := newCluster(t)
	c.start()
	r, err := c.wire().RefreshNodes(c.ctx(), &client.AdminRequest{User: c.policies.Rules().Me})
	require.NoError(t, err)
	require.Contains(t, r.Text, conf.JobTrackerHostsExcludeFileName.Name)
}

// After a restart the JobTracker stays in safe mode until all earlier TaskTrackers have reported.
func TestSafeMode(t *testing.T) {
	c := newCluster(t)
	c.start()
	safe := func() *client.SafeModeReply {
		r, err := c.wire().SafeMode(c.ctx(), &client.Empty{})
		require.NoError(t, err)
		return r
	}
	require.False(t, safe().On)
	r := c.register(c.trackers(), "t")
	require.False(t, safe().On)
	require.NoError(t, c.stop())
	c.start()
	require.True(t, safe().On)
	require.EqualValues(t, 1, safe().Awaited)
	_, err := c.trackers().Beat(c.ctx(), &wire.Report{Tracker: r.Tracker, Incarnation: 1, Seq: 1, Full: true, MapSlots: 1,
		ReduceSlots: 1})
	require.NoError(t, err)
	require.False(t, safe().On)
}

// A TaskTracker continues to drain after the JobTracker restarts with its journal.
func TestDrainTracker(t *testing.T) {
	c := newCluster(t)
	c.start()
	c.register(c.trackers(), "t")
	drain := func(user, name, how string) (*client.TrackerStatus, error) {
		return c.wire().DrainTracker(c.ctx(), &client.DrainRequest{User: user, Tracker: name, How: how, Why: "it is sold"})
	}
	_, err := drain("mallory", "t", "delayed")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = drain(c.policies.Rules().Me, "t", "slowly")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	_, err = drain(c.policies.Rules().Me, "nobody", "delayed")
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	s, err := drain(c.policies.Rules().Me, "t", "delayed")
	require.NoError(t, err)
	require.Equal(t, "delayed", s.Drain.How)
	require.Equal(t, "it is sold", s.Drain.Why)
	require.NotZero(t, s.Drain.DoneMs)
	require.Zero(t, s.MapSlots)

	require.NoError(t, c.stop())
	c.start()
	all, err := c.wire().Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.Equal(t, "delayed", all.Tracker[0].Drain.GetHow())
	s, err = drain(c.policies.Rules().Me, "t", "off")
	require.NoError(t, err)
	require.Nil(t, s.Drain)
	require.EqualValues(t, 1, s.MapSlots)
}
