//go:build integration

package compose

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
)

// poolLosesANode starts the pool profile and runs a job on an MR-cluster. It kills one of the
// MR-cluster's nodes during another job. It then replaces the node, removes the MR-cluster, and waits
// until all nodes are free.
func (p *project) poolLosesANode(out, out2 string) {
	p.t.Helper()
	p.do("--profile", "pool", "up", "-d", "manager", "agent")
	p.await("four nodes", func() bool { return len(p.pool().Nodes) == 4 })
	p.ok("mrcluster", "create", "a", "--core", "2")
	p.wordCount(out, "--mrcluster", "a")

	at := p.pool()
	require.Len(p.t, at.Clusters, 1)
	job := p.background(append(slowJob("/here", "/in", 2), "-jt", at.Clusters[0].JobTracker, "-output", out2)...)
	p.await("maps to be done", func() bool { return someMapsAreDone.MatchString(job.said()) })
	lost := ""
	for _, n := range p.pool().Nodes {
		if n.Cluster == "a" && !n.Master {
			lost = n.Name
		}
	}
	require.NotEmpty(p.t, lost)
	docker(p.t, "kill", lost)
	r := job.wait()
	require.Zero(p.t, r.code, r.err)

	p.do("--profile", "pool", "up", "-d", "--scale", "agent=5", "manager", "agent")
	p.ok("mrcluster", "remove", "a")
	p.await("five free nodes", func() bool {
		now := p.pool()
		for _, n := range now.Nodes {
			if n.State != "FREE" {
				return false
			}
		}
		return len(now.Nodes) == 5 && len(now.Clusters) == 0
	})
}

// pool is the part of the output of howdah mrcluster status --json that the test reads.
type pool struct {
	Clusters []struct{ Name, JobTracker string }
	Nodes    []struct {
		Name, State, Cluster string
		Master               bool
	}
}

// pool returns the manager's status, or the zero value if the manager does not respond.
func (p *project) pool() (now pool) {
	p.t.Helper()
	if r := p.client("mrcluster", "status", "--json"); r.code == 0 {
		require.NoError(p.t, json.Unmarshal([]byte(r.out), &now), r.out)
	}
	return now
}
