package webui

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// fakePool answers from memory.
type fakePool struct{ *pool.PoolStatus }

func (f fakePool) Status(_ context.Context, r *pool.StatusRequest) (*pool.PoolStatus, error) {
	if r.Cluster != "" && r.Cluster != "logs" {
		return nil, failure.New(failure.NotFound, "find MR-cluster", r.Cluster, nil)
	}
	return f.PoolStatus, nil
}

func TestPageOfThePool(t *testing.T) {
	h := Manager(fakePool{&pool.PoolStatus{Pool: evil, Weights: evil, Version: evil, Queue: []string{evil}, Reconfigurations: 3,
		Cluster: []*pool.Cluster{{Spec: &pool.Spec{Name: "logs", Core: 2}, State: "active", Held: 4, Target: 5, Leaving: 1, Weight: 0.25, LastError: evil, Master: evil,
			Sample: &pool.Sample{Jobs: 2, RunningTasks: 7, WaitingTasks: 31}, Endpoints: &pool.Endpoints{JobTracker: evil, JobTrackerWeb: "h:50030", NameNode: evil}}},
		Node: []*pool.Node{
			{Name: "n1", State: "up", Cluster: "logs", Kind: "core", Master: true, Stored: 5 << 20},
			{Name: "n2", State: "draining", Cluster: "logs", Kind: "transient-core", Left: 77 << 20},
			{Name: "n3", State: "free", Problem: "failed in logs: no Java", FailedMs: time.Now().Add(-time.Hour).UnixMilli()},
			{Name: evil, Addr: evil, State: "lost", Problem: evil}},
		Event: []*pool.Event{{TimeMs: 1, Fact: "reconfigured", Reason: evil, Share: []*pool.ShareOf{{Cluster: "logs", Nodes: 5, Weight: 0.25}}}},
	}})
	for path, wants := range map[string][]string{
		"/":              {"<b>5<i>/3</i></b> nodes in use<small>1 lost", `href="/metrics"`, "7, 31 wait", "77 MiB", "core, master", "logs: 5 nodes (weight 0.25", "ago: failed in logs: no Java"},
		"/clusters/logs": {"MR-cluster logs", `href="http://h:50030/"`},
	} {
		code, body, _ := get(t, h, path)
		require.Equal(t, http.StatusOK, code, path)
		require.NotContains(t, body, evil, path)
		for _, want := range wants {
			require.Contains(t, body, want, path)
		}
	}
	code, _, _ := get(t, h, "/clusters/nobody")
	require.Equal(t, http.StatusNotFound, code)
	code, body, _ := get(t, Manager(fakePool{&pool.PoolStatus{}}), "/")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "howdah mrcluster agent --join")
}
