package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

func TestGate(t *testing.T) {
	var g gate
	leave, err := g.enter()
	require.NoError(t, err)
	require.Equal(t, 1, g.set("it is sold"), "it was inside before")
	_, err = g.enter()
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "it is sold")
	leave()
	require.Zero(t, g.set(""))
	_, err = g.enter()
	require.NoError(t, err)
}

// A JobTracker with a closed gate returns the reason, still shows its jobs, and recognizes
// resubmitted jobs. It opens the gate on request.
func TestTakeJobs(t *testing.T) {
	c := newCluster(t)
	c.start()
	conn, err := rpc.Dial(c.Addr(), rpctest.Options(c.t))
	require.NoError(t, err)
	defer conn.Close()
	jobs := client.NewJobsClient(conn)
	take := func(closed string) int32 {
		t.Helper()
		r, err := jobs.TakeJobs(c.ctx(), &client.TakeJobsRequest{Closed: closed, User: c.policies.Rules().Me})
		require.NoError(t, err)
		return r.Unfinished
	}
	_, err = jobs.TakeJobs(c.ctx(), &client.TakeJobsRequest{Closed: "no", User: "stranger"})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)

	first := c.job("first", 1, 0)
	first.Key = "key"
	sub, err := c.client().Submit(c.ctx(), first)
	require.NoError(t, err)
	require.EqualValues(t, 1, take("it is sold"))
	ask := func(key string) (*client.NewJobReply, error) {
		return jobs.NewJob(c.ctx(), &client.NewJobRequest{User: "ann", Protocol: rpc.Protocol, SubmitKey: key})
	}
	_, err = ask("other")
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "it is sold")
	known, err := ask("key")
	require.NoError(t, err)
	require.Equal(t, sub.ID.String(), known.Existing)
	s, err := jobs.Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.Equal(t, "it is sold", s.Closed)

	take("")
	_, err = ask("other")
	require.NoError(t, err)
}
