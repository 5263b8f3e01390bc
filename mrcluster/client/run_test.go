package client

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	jobtracker "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/internal/wire/pool"
)

// movingManager has an MR-cluster that is active at whatever address the test says.
type movingManager struct {
	pool.UnimplementedPoolServer
	at atomic.Pointer[string]
}

func (f *movingManager) cluster() *pool.Cluster {
	return &pool.Cluster{State: "active", Spec: &pool.Spec{Name: "a"}, Endpoints: &pool.Endpoints{JobTracker: *f.at.Load()}}
}

func (f *movingManager) Job(context.Context, *pool.JobRequest) (*pool.Cluster, error) {
	return f.cluster(), nil
}

func (f *movingManager) Status(context.Context, *pool.StatusRequest) (*pool.PoolStatus, error) {
	return &pool.PoolStatus{Cluster: []*pool.Cluster{f.cluster()}}, nil
}

// answering is a JobTracker that is there.
type answering struct {
	jobtracker.UnimplementedJobsServer
}

func (answering) Cluster(context.Context, *jobtracker.Empty) (*jobtracker.ClusterStatus, error) {
	return &jobtracker.ClusterStatus{}, nil
}

// serve gives the address of a server.
func serve(t *testing.T, p pool.PoolServer, j jobtracker.JobsServer) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpc.Options{})
	if p != nil {
		pool.RegisterPoolServer(s, p)
	}
	if j != nil {
		jobtracker.RegisterJobsServer(s, j)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

var errAway, errFailed = errors.New("nobody is there"), errors.New("the job failed")

func away(err error) bool { return errors.Is(err, errAway) }

// A master that is lost between the manager's answer and the submission costs nothing: the next deployment is asked.
func TestRunMovesToTheNextDeployment(t *testing.T) {
	m := &movingManager{}
	first, second := serve(t, nil, answering{}), serve(t, nil, answering{})
	m.at.Store(&first)
	c := conf.New()
	c.Set(KeyManager, serve(t, m, nil), "test")
	c.Set(KeyName, "a", "test")
	var asked []string
	var say bytes.Buffer
	require.NoError(t, Run(t.Context(), c, &say, away, func(context.Context, *InUse) error {
		asked = append(asked, c.Get("mapreduce.jobtracker.address"))
		if m.at.Store(&second); len(asked) == 1 {
			return errAway
		}
		return nil
	}))
	require.Equal(t, []string{first, second}, asked)
	require.Contains(t, say.String(), "asking the manager again")
}

// What failed for another reason is not run twice, and one that is never there is not tried for ever.
func TestRunIsNotRepeatedWithoutEnd(t *testing.T) {
	m := &movingManager{}
	at := serve(t, nil, answering{})
	m.at.Store(&at)
	c := conf.New()
	c.Set(KeyManager, serve(t, m, nil), "test")
	c.Set(KeyName, "a", "test")
	for want, result := range map[int]error{1: errFailed, 1 + maxMoves: errAway} {
		runs := 0
		require.ErrorIs(t, Run(t.Context(), c, &bytes.Buffer{}, away, func(context.Context, *InUse) error { runs++; return result }), result)
		require.Equal(t, want, runs)
	}
	runs := 0
	require.ErrorIs(t, Run(t.Context(), conf.New(), &bytes.Buffer{}, away, func(context.Context, *InUse) error { runs++; return errAway }), errAway)
	require.Equal(t, 1, runs, "without an MR-cluster there is nobody to ask")
}
