package daemon

import (
	"context"
	"errors"
	"sync"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Peers is what an agent was told last of where its MR-cluster's master listens. Its zero value knows nothing.
type Peers struct {
	mu         sync.Mutex
	cluster    string
	deployment int64
	at         *pool.Endpoints
}

func (p *Peers) set(cluster string, deployment int64, at *pool.Endpoints) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cluster, p.deployment, p.at = cluster, deployment, at
}

// Master tells where the master of what the node shall run listens. That it is not known yet is of kind Unreachable.
func (p *Peers) Master(_ context.Context, d mrcluster.Desired) (node.Endpoints, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil || p.cluster != d.Cluster || p.deployment != d.Deployment {
		return node.Endpoints{}, failure.New(failure.Unreachable, "find the master of", d.Cluster, errors.New("it is not up yet"))
	}
	return node.Endpoints{Cluster: p.cluster, Deployment: p.deployment, JobTracker: p.at.GetJobTracker(), JobTrackerHTTP: p.at.GetJobTrackerWeb(),
		NameNode: p.at.GetNameNode(), NameNodeHTTP: p.at.GetNameNodeWeb()}, nil
}
