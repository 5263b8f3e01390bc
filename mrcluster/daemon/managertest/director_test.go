package managertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
)

func TestDirector(t *testing.T) {
	d, addr := Direct(t, "127.0.0.1", &mrcluster.Spec{Name: "a", Core: 1}, "n1")
	conn, err := rpc.Dial(addr, rpctest.Options(t))
	require.NoError(t, err)
	defer conn.Close()
	report := func(in *pool.ReportRequest) *pool.ReportReply {
		out, err := pool.NewPoolClient(conn).Report(t.Context(), in)
		require.NoError(t, err)
		return out
	}
	began := time.Now()
	require.Empty(t, report(&pool.ReportRequest{Node: "n1"}).Cluster)
	require.True(t, d.Idle("n1", began))
	require.False(t, d.Has("n1"))

	d.Add(mrcluster.Core, "n1", "n2")
	runs := &pool.Running{Cluster: "a", Deployment: 1, Phase: uint32(mrcluster.PhaseUp),
		Endpoints: &pool.Endpoints{JobTracker: "h:1"}}
	out := report(&pool.ReportRequest{Node: "n1", Running: []*pool.Running{runs}})
	require.True(t, out.Master)
	require.Equal(t, "core", out.Kind)
	require.ElementsMatch(t, []string{"n1", "n2"}, out.Staying)
	require.Equal(t, "h:1", d.Endpoints().JobTracker)
	up, _ := d.Up("n1")
	require.True(t, up)
	require.False(t, d.Idle("n1", began))

	d.Drain("n2")
	require.True(t, report(&pool.ReportRequest{Node: "n2"}).Drain)
	leaving := report(&pool.ReportRequest{Node: "n1"}).Leaving
	require.Len(t, leaving, 1)
	told := &pool.Drain{Node: "n2", Id: leaving[0].Id, Done: true, Problem: "none"}
	report(&pool.ReportRequest{Node: "n1", Master: &pool.Master{Drain: []*pool.Drain{told}}})
	done, problem := d.Drained("n2")
	require.True(t, done)
	require.Equal(t, "none", problem)

	d.Release("n2")
	require.False(t, d.Has("n2"))
	require.Empty(t, report(&pool.ReportRequest{Node: "n2"}).Cluster)
}
