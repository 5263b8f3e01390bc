package daemon

import (
	"context"
	"errors"
	"sync"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/mrcluster/status"
)

// Peers stores the last known addresses of the master of a node's MR-cluster. The zero value is
// empty.
type Peers struct {
	mu         sync.Mutex
	cluster    string
	deployment int64
	at         status.Endpoints
}

func (p *Peers) set(cluster string, deployment int64, at status.Endpoints) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cluster, p.deployment, p.at = cluster, deployment, at
}

// Master returns the addresses of the master for d. It returns an error of kind Unreachable if they
// are unknown.
func (p *Peers) Master(_ context.Context, d mrcluster.Desired) (node.Endpoints, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.at.Known() || p.cluster != d.Cluster || p.deployment != d.Deployment {
		return node.Endpoints{}, failure.New(failure.Unreachable, "find the master of", d.Cluster,
			errors.New("the master is not running yet"))
	}
	return node.Endpoints{Cluster: p.cluster, Deployment: p.deployment, JobTracker: p.at.JobTracker,
		JobTrackerHTTP: p.at.JobTrackerWeb, NameNode: p.at.NameNode, NameNodeHTTP: p.at.NameNodeWeb}, nil
}
