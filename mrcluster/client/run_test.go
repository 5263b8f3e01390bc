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
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// movingManager is a manager with an active MR-cluster at an address that the test sets.
type movingManager struct {
	manager.Manager
	at atomic.Pointer[string]
}

func (f *movingManager) cluster() *status.Cluster {
	c := cluster(mrcluster.Active, 0)
	c.Endpoints.JobTracker = *f.at.Load()
	return c
}

func (f *movingManager) Job(context.Context, string, int64) (*status.Cluster, error) {
	return f.cluster(), nil
}

func (f *movingManager) Status(context.Context, string) (*status.Pool, error) {
	return &status.Pool{Clusters: []*status.Cluster{f.cluster()}}, nil
}

// serve starts a server and returns its address.
func serve(t *testing.T, m manager.Manager, j transport.Jobs) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(rpctest.Options(t))
	if m != nil {
		manager.Register(s, m)
	}
	if j != nil {
		transport.Register(s, j)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

var errAway, errFailed = errors.New("nobody is there"), errors.New("the job failed")

func away(err error) bool { return errors.Is(err, errAway) }

// TestRunMovesToTheNextDeployment checks that Run uses the next deployment if the master is lost
// between the manager's reply and the submission.
func TestRunMovesToTheNextDeployment(t *testing.T) {
	m := &movingManager{}
	first, second := serve(t, nil, fakeJobTracker{}), serve(t, nil, fakeJobTracker{})
	m.at.Store(&first)
	c := conf.New()
	c.Set(KeyManager, serve(t, m, nil), "test")
	c.Set(conf.MRClusterName.Name, "a", "test")
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

// TestRunIsNotRepeatedWithoutEnd checks that Run does not retry after other errors, and that it
// stops retrying if an MR-cluster is never reachable.
func TestRunIsNotRepeatedWithoutEnd(t *testing.T) {
	m := &movingManager{}
	at := serve(t, nil, fakeJobTracker{})
	m.at.Store(&at)
	c := conf.New()
	c.Set(KeyManager, serve(t, m, nil), "test")
	c.Set(conf.MRClusterName.Name, "a", "test")
	for want, result := range map[int]error{1: errFailed, 1 + maxMoves: errAway} {
		runs := 0
		require.ErrorIs(t, Run(t.Context(), c, &bytes.Buffer{}, away,
			func(context.Context, *InUse) error { runs++; return result }), result)
		require.Equal(t, want, runs)
	}
	runs := 0
	require.ErrorIs(t, Run(t.Context(), conf.New(), &bytes.Buffer{}, away,
		func(context.Context, *InUse) error { runs++; return errAway }), errAway)
	require.Equal(t, 1, runs, "without an MR-cluster there is nobody to ask")
}
