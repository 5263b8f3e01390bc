package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/howdah/howdah/mrcluster"
)

// A deployment's goroutine checks the services every lookSoon while any of them is down, and every
// lookAgain when all are up. The end of a process wakes it immediately.
const (
	lookSoon  = 200 * time.Millisecond
	lookAgain = 3 * time.Second
)

// startTries is the number of failures in a row after which a service's failure is reported and its
// ports may change.
const startTries = 3

// A deployment is the set of services that a node runs for one deployment of an MR-cluster. Its
// goroutine starts the services in order and restarts those that end.
type deployment struct {
	node *Node
	id   identity
	layout

	mu      sync.Mutex
	want    mrcluster.Desired
	phase   mrcluster.Phase
	doing   string // the service that the deployment is waiting for while it starts
	err     error  // why the deployment is not up; nil = no failure so far
	ends    Endpoints
	begun   bool // the goroutine is running
	gone    bool // the goroutine also removes the files
	ctx     context.Context
	cancel  context.CancelFunc
	changed chan struct{}

	services services // used only by the goroutine
}

func newDeployment(n *Node, id identity) *deployment {
	d := &deployment{node: n, id: id, layout: layoutOf(n.cfg.Dir, id), changed: make(chan struct{}, 1)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.services.deployment = d
	return d
}

// apply starts the deployment or changes its desired state.
func (d *deployment) apply(want mrcluster.Desired) {
	d.mu.Lock()
	d.want = want
	d.mu.Unlock()
	d.look()
	d.begin()
}

// remove stops the deployment and removes its files.
func (d *deployment) remove() {
	d.mu.Lock()
	d.gone = true
	d.mu.Unlock()
	d.cancel()
	d.begin()
}

// stop stops the deployment's services.
func (d *deployment) stop() { d.cancel() }

func (d *deployment) begin() {
	if !d.begun {
		d.begun = true
		d.node.running.Go(d.run)
	}
}

// look wakes the goroutine to check the services.
func (d *deployment) look() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *deployment) state() mrcluster.Running {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := mrcluster.Running{Cluster: d.id.Cluster, Deployment: d.id.Deployment, Phase: d.phase, Doing: d.doing}
	if d.err != nil {
		r.Err = d.err.Error()
	}
	return r
}

func (d *deployment) endpoints() Endpoints {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.ends
	e.Cluster, e.Deployment = d.id.Cluster, d.id.Deployment
	return e
}

// run runs in the deployment's goroutine. It checks the services until the deployment is stopped,
// then stops them and, after remove, cleans up.
func (d *deployment) run() {
	if err := d.layout.make(d.id); err != nil && d.ctx.Err() == nil {
		d.told(err)
	}
	for d.ctx.Err() == nil {
		pause := d.round()
		select {
		case <-d.ctx.Done():
		case <-d.changed:
		case <-time.After(pause):
		}
	}
	d.services.stop()
	d.mu.Lock()
	d.phase, d.ends = mrcluster.PhaseStarting, Endpoints{}
	gone := d.gone
	d.mu.Unlock()
	for gone {
		err := d.clean()
		if err == nil {
			d.node.forget(d)
			return
		}
		d.told(err)
		select {
		case <-d.node.stopping:
			return
		case <-time.After(lookAgain):
		}
	}
}

// round checks all services once, in order, and records the state of the deployment. It returns the
// time until the next round.
func (d *deployment) round() time.Duration {
	d.mu.Lock()
	want := d.want
	d.mu.Unlock()
	up, err := d.services.round(d.ctx, want)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.phase, d.ends, d.doing, d.err = mrcluster.PhaseStarting, d.services.endpoints(), d.services.awaited, err
	if up {
		d.phase = mrcluster.PhaseUp
		return lookAgain
	}
	return lookSoon
}

func (d *deployment) told(err error) {
	d.node.cfg.Log.Warn("a deployment has a problem", "cluster", d.id.Cluster, "deployment", d.id.Deployment, "error", err)
	d.mu.Lock()
	d.err = err
	d.mu.Unlock()
}

// clean removes the control groups and directories of the deployment.
func (d *deployment) clean() error {
	removeGroups(d.node.cfg.Conf)
	d.forgetOutside()
	return d.layout.remove()
}

func (d *deployment) String() string { return fmt.Sprintf("%s-%d", d.id.Cluster, d.id.Deployment) }
