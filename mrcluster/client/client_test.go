package client

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/job/failure"
	jobstatus "github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// fakeManager is a manager with a single MR-cluster.
type fakeManager struct {
	manager.Manager
	cluster *status.Cluster
}

func (f *fakeManager) Status(_ context.Context, name string) (*status.Pool, error) {
	if name != f.cluster.Spec.Name {
		return nil, failure.New(failure.NotFound, "find MR-cluster", name, nil)
	}
	return &status.Pool{Clusters: []*status.Cluster{f.cluster}}, nil
}

func (f *fakeManager) Job(context.Context, string, int64) (*status.Cluster, error) {
	return f.cluster, nil
}

// fakeJobTracker answers.
type fakeJobTracker struct{ transport.Jobs }

func (fakeJobTracker) Cluster(context.Context) (*jobstatus.Cluster, error) {
	return &jobstatus.Cluster{}, nil
}

// with returns a configuration that names the MR-cluster "a" and a manager that reports x.
func with(t *testing.T, x *status.Cluster) *conf.Config {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpctest.Options(t))
	manager.Register(s, &fakeManager{cluster: x})
	transport.Register(s, fakeJobTracker{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	c := conf.New()
	c.Set(KeyManager, l.Addr().String(), "test")
	c.Set(conf.MRClusterName.Name, "a", "test")
	return c
}

var served = status.Endpoints{JobTracker: "h:1", JobTrackerWeb: "h:2", NameNode: "hdfs://h:3"}

func TestFind(t *testing.T) {
	c := with(t, &status.Cluster{ClusterView: mrcluster.ClusterView{State: mrcluster.Active,
		Spec: mrcluster.Spec{Name: "a", Core: 2, HDFS: true}}, Endpoints: served})
	c.Set("mapreduce.framework.name", "yarn", "test")
	require.NoError(t, Find(t.Context(), c))
	for key, want := range map[string]string{"mapreduce.framework.name": "classic", "mapreduce.jobtracker.address": "h:1",
		"mapreduce.jobtracker.http.address": "h:2",
		"fs.defaultFS":                      "hdfs://h:3"} {
		require.Equal(t, want, c.Get(key))
	}
	require.Equal(t, "2", c.Get("howdah.hdfs.default.replication"), "no more replicas than core nodes")
	c.Set("fs.defaultFS", "hdfs://other", "-fs")
	require.NoError(t, FindFiles(t.Context(), c))
	require.Equal(t, "hdfs://other", c.Get("fs.defaultFS"), "the user's own word")
	c.Set(conf.MRClusterName.Name, "b", "test")
	require.True(t, failure.Is(Find(t.Context(), c), failure.NotFound))
}

func TestFindWhatIsNotDeployed(t *testing.T) {
	own := with(t, &status.Cluster{ClusterView: mrcluster.ClusterView{State: mrcluster.Queued,
		Spec: mrcluster.Spec{Name: "a", HDFS: true}}})
	for _, find := range []func(context.Context, *conf.Config) error{Find, FindFiles} {
		err := find(t.Context(), own)
		require.True(t, failure.Is(err, failure.Unreachable), err)
		require.ErrorContains(t, err, "not deployed (queued)")
	}
	shared := with(t, &status.Cluster{ClusterView: mrcluster.ClusterView{Spec: mrcluster.Spec{Name: "a"}}})
	require.Error(t, Find(t.Context(), shared))
	require.NoError(t, FindFiles(t.Context(), shared), "files lie elsewhere")
	require.Equal(t, "local", shared.Get("mapreduce.jobtracker.address"))
}

// TestNoName checks that the client contacts no manager if the configuration names no MR-cluster.
func TestNoName(t *testing.T) {
	c := conf.New()
	c.Set(KeyManager, "nonsense", "test")
	require.NoError(t, Find(t.Context(), c))
	require.NoError(t, FindFiles(t.Context(), c))
	used, err := Use(t.Context(), c, io.Discard)
	require.NoError(t, err)
	used.Release()
	c.Set(conf.MRClusterName.Name, "a", "test")
	require.True(t, failure.Is(Find(t.Context(), c), failure.Config))
	_, err = Use(t.Context(), c, io.Discard)
	require.True(t, failure.Is(err, failure.Config))
}

func TestUse(t *testing.T) {
	x := &status.Cluster{ClusterView: mrcluster.ClusterView{State: mrcluster.Active,
		Spec: mrcluster.Spec{Name: "a", Binary: "/other/howdah"}}}
	c := with(t, x)
	x.Endpoints = status.Endpoints{JobTracker: c.Get(KeyManager), JobTrackerWeb: "h:2"} // the same server is both
	used, err := Use(t.Context(), c, io.Discard)
	require.NoError(t, err)
	defer used.Release()
	require.Equal(t, "/other/howdah", used.Binary)
	names := []string{}
	for _, p := range used.Settings {
		names = append(names, p.Name)
		require.Equal(t, p.Value, c.Get(p.Name))
	}
	require.Equal(t, []string{"mapreduce.framework.name", "howdah.client.connect.timeout", "mapreduce.jobtracker.address",
		"mapreduce.jobtracker.http.address"}, names)
}
