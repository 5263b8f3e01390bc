package client

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	jobtracker "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// fakeManager knows one MR-cluster.
type fakeManager struct {
	pool.UnimplementedPoolServer
	cluster *pool.Cluster
}

func (f *fakeManager) Status(_ context.Context, r *pool.StatusRequest) (*pool.PoolStatus, error) {
	if r.Cluster != f.cluster.Spec.Name {
		return nil, failure.New(failure.NotFound, "find MR-cluster", r.Cluster, nil)
	}
	return &pool.PoolStatus{Cluster: []*pool.Cluster{f.cluster}}, nil
}

func (f *fakeManager) Job(context.Context, *pool.JobRequest) (*pool.Cluster, error) {
	return f.cluster, nil
}

// fakeJobTracker answers.
type fakeJobTracker struct {
	jobtracker.UnimplementedJobsServer
}

func (fakeJobTracker) Cluster(context.Context, *jobtracker.Empty) (*jobtracker.ClusterStatus, error) {
	return &jobtracker.ClusterStatus{}, nil
}

// with gives a configuration that names the MR-cluster "a" of a manager which tells this about it.
func with(t *testing.T, x *pool.Cluster) *conf.Config {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpc.Options{})
	pool.RegisterPoolServer(s, &fakeManager{cluster: x})
	jobtracker.RegisterJobsServer(s, fakeJobTracker{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	c := conf.New()
	c.Set(KeyManager, l.Addr().String(), "test")
	c.Set(KeyName, "a", "test")
	return c
}

var served = &pool.Endpoints{JobTracker: "h:1", JobTrackerWeb: "h:2", NameNode: "hdfs://h:3"}

func TestFind(t *testing.T) {
	c := with(t, &pool.Cluster{State: "active", Spec: &pool.Spec{Name: "a", Core: 2, Hdfs: true}, Endpoints: served})
	c.Set("mapreduce.framework.name", "yarn", "test")
	require.NoError(t, Find(t.Context(), c))
	for key, want := range map[string]string{"mapreduce.framework.name": "classic", "mapreduce.jobtracker.address": "h:1", "mapreduce.jobtracker.http.address": "h:2",
		"fs.defaultFS": "hdfs://h:3"} {
		require.Equal(t, want, c.Get(key))
	}
	require.Equal(t, "2", c.Get("howdah.hdfs.default.replication"), "no more replicas than core nodes")
	c.Set("fs.defaultFS", "hdfs://other", "-fs")
	require.NoError(t, FindFiles(t.Context(), c))
	require.Equal(t, "hdfs://other", c.Get("fs.defaultFS"), "the user's own word")
	c.Set(KeyName, "b", "test")
	require.True(t, failure.Is(Find(t.Context(), c), failure.NotFound))
}

func TestFindWhatIsNotDeployed(t *testing.T) {
	own := with(t, &pool.Cluster{State: "queued", Spec: &pool.Spec{Name: "a", Hdfs: true}})
	for _, find := range []func(context.Context, *conf.Config) error{Find, FindFiles} {
		err := find(t.Context(), own)
		require.True(t, failure.Is(err, failure.Unreachable), err)
		require.ErrorContains(t, err, "not deployed (queued)")
	}
	shared := with(t, &pool.Cluster{State: "defined", Spec: &pool.Spec{Name: "a"}})
	require.Error(t, Find(t.Context(), shared))
	require.NoError(t, FindFiles(t.Context(), shared), "files lie elsewhere")
	require.Equal(t, "local", shared.Get("mapreduce.jobtracker.address"))
}

// Without a name nobody is asked.
func TestNoName(t *testing.T) {
	c := conf.New()
	c.Set(KeyManager, "nonsense", "test")
	require.NoError(t, Find(t.Context(), c))
	require.NoError(t, FindFiles(t.Context(), c))
	used, err := Use(t.Context(), c, io.Discard)
	require.NoError(t, err)
	used.Release()
	c.Set(KeyName, "a", "test")
	require.True(t, failure.Is(Find(t.Context(), c), failure.Config))
	_, err = Use(t.Context(), c, io.Discard)
	require.True(t, failure.Is(err, failure.Config))
}

func TestUse(t *testing.T) {
	x := &pool.Cluster{State: "active", Spec: &pool.Spec{Name: "a", Binary: "/other/howdah"}}
	c := with(t, x)
	x.Endpoints = &pool.Endpoints{JobTracker: c.Get(KeyManager), JobTrackerWeb: "h:2"} // the same server is both
	used, err := Use(t.Context(), c, io.Discard)
	require.NoError(t, err)
	defer used.Release()
	require.Equal(t, "/other/howdah", used.Binary)
	names := []string{}
	for _, p := range used.Settings {
		names = append(names, p.Name)
		require.Equal(t, p.Value, c.Get(p.Name))
	}
	require.Equal(t, []string{"mapreduce.framework.name", "howdah.client.connect.timeout", "mapreduce.jobtracker.address", "mapreduce.jobtracker.http.address"}, names)
}
