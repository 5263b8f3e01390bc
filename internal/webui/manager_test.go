package webui

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// fakePool returns a prepared state.
type fakePool struct{ *status.Pool }

func (f fakePool) Status(_ context.Context, cluster string) (*status.Pool, error) {
	if cluster != "" && cluster != "logs" {
		return nil, failure.New(failure.NotFound, "find MR-cluster", cluster, nil)
	}
	return f.Pool, nil
}

func TestPageOfThePool(t *testing.T) {
	h := Manager(fakePool{&status.Pool{Name: evil, Weights: evil, Version: evil, Queue: []string{evil},
		Reconfigurations: 1,
		Clusters: []*status.Cluster{{ClusterView: mrcluster.ClusterView{
			Spec: mrcluster.Spec{Name: "logs", Core: 2, User: "ann"}, State: mrcluster.Active, Held: 4, Target: 5, Size: 3,
			Leaving: 1, Weight: 0.25, LastError: evil, Master: evil,
			Sample: mrcluster.Sample{Jobs: 2, RunningTasks: 7, WaitingTasks: 31}},
			Endpoints: status.Endpoints{JobTracker: evil, JobTrackerWeb: "h:50030", NameNode: evil}}},
		Nodes: []*mrcluster.NodeView{
			{Name: "n1", State: mrcluster.Up, Cluster: "logs", Kind: mrcluster.Core, Master: true, Stored: 5 << 20},
			{Name: "n2", State: mrcluster.Draining, Cluster: "logs", Kind: mrcluster.TransientCore, Left: 77 << 20},
			{Name: "n3", State: mrcluster.Free, Problem: "failed in logs: no Java",
				FailedAt: time.Now().Add(-time.Hour).UnixMilli()},
			{Name: evil, Addr: evil, State: mrcluster.Lost, Problem: evil}},
		Events: []*status.Event{{TimeMs: 1, Fact: mrcluster.Reconfigured, Reason: evil,
			Shares: []status.Share{{Cluster: "logs", Nodes: 5, Weight: 0.25}}}},
	}}, func() trend.Record {
		return trend.Record{Times: []int64{1_000, 2_000, 3_000}, Series: []trend.Series{
			{Name: "logs", Values: []trend.Value{{Used: 2, Limit: 2}, {Used: 2, Limit: 5}, {Used: 5, Limit: 5}}},
			{Name: "secret", Values: []trend.Value{{Used: 9}, {Used: 9}, {Used: 9}}}}}
	})
	for path, wants := range map[string][]string{
		"/": {"<b>5<i>/3</i></b> nodes in use<small>1 lost", "· 1 reconfiguration ·", `href="/metrics"`,
			"<td>ann</td>", "7 running, 31 waiting", "77 MiB", "core, master", "logs: 5 nodes (weight 0.25", "Nodes over time",
			`<path class="s0" d="M0 115.6H1000V22H1000V178H0Z"/>`,
			"ago: failed in logs: no Java"},
		"/clusters/logs": {"MR-cluster logs", "logs: 5 of 5", "<small>at least 3</small>", `data-act="grow"`,
			`data-method="PATCH" data-to="/api/v1/mrclusters/logs"`, "including its 2 core nodes",
			`<input name="operator_size" value="3" type="number" min="0" required`, "/static/actions.js",
			`href="/visit?to=%2F%2Fh%3A50030%2F"`},
	} {
		code, body, _ := get(t, h, path)
		require.Equal(t, http.StatusOK, code, path)
		require.NotContains(t, body, evil, path)
		require.NotContains(t, body, "secret", "the caller cannot see this MR-cluster")
		for _, want := range wants {
			require.Contains(t, body, want, path)
		}
	}
	_, body, _ := get(t, h, "/")
	require.NotContains(t, body, "data-act=", "an action needs an MR-cluster")
	doomed := &status.Cluster{ClusterView: mrcluster.ClusterView{Spec: mrcluster.Spec{Name: "logs"}, Doomed: true}}
	_, body, _ = get(t, Manager(fakePool{&status.Pool{Clusters: []*status.Cluster{doomed}}}, nil), "/clusters/logs")
	require.NotContains(t, body, "data-act=", "the MR-cluster is being removed")
	code, _, _ := get(t, h, "/clusters/nobody")
	require.Equal(t, http.StatusNotFound, code)
	code, body, _ = get(t, Manager(fakePool{&status.Pool{}}, nil), "/")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "howdah mrcluster agent --join")
}
