package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/howdah/howdah/mrcluster"
)

// The pauses between two looks at a deployment's services: while something is not up, and when all is well. A process that ends is
// noticed at once.
const (
	lookSoon  = 200 * time.Millisecond
	lookAgain = 3 * time.Second
)

// startTries is how often a service may fail to come up before that is told as an error.
const startTries = 3

// deployment is what a node runs for one. A goroutine of its own brings services up, in their order, and starts those again that end.
type deployment struct {
	node *Node
	id   identity
	layout

	mu      sync.Mutex
	want    mrcluster.Desired
	phase   mrcluster.Phase
	doing   string // what it waits for while it starts
	err     error  // why it is not up; nil = it takes its time
	ends    Endpoints
	begun   bool // the goroutine runs
	gone    bool // it is to be removed from disk too
	ctx     context.Context
	cancel  context.CancelFunc
	changed chan struct{}

	services services // of the goroutine
}

func newDeployment(n *Node, id identity) *deployment {
	d := &deployment{node: n, id: id, layout: layoutOf(n.cfg.Dir, id), changed: make(chan struct{}, 1)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.services.deployment = d
	return d
}

// apply starts the deployment, or tells it what else is wanted.
func (d *deployment) apply(want mrcluster.Desired) {
	d.mu.Lock()
	d.want = want
	d.mu.Unlock()
	d.look()
	d.begin()
}

// remove ends the deployment and removes what it has on disk.
func (d *deployment) remove() {
	d.mu.Lock()
	d.gone = true
	d.mu.Unlock()
	d.cancel()
	d.begin()
}

// stop ends the deployment's processes.
func (d *deployment) stop() { d.cancel() }

func (d *deployment) begin() {
	if !d.begun {
		d.begun = true
		d.node.running.Go(d.run)
	}
}

// look asks the goroutine to look at once.
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

// run is the goroutine of a deployment.
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

// round looks at the services once, in their order, and says when to look again.
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
	d.node.cfg.Log.Warn("a deployment is in trouble", "cluster", d.id.Cluster, "deployment", d.id.Deployment, "error", err)
	d.mu.Lock()
	d.err = err
	d.mu.Unlock()
}

// clean removes what a deployment has left on this machine.
func (d *deployment) clean() error {
	removeGroups(d.node.cfg.Conf)
	d.forgetOutside()
	return d.layout.remove()
}

func (d *deployment) String() string { return fmt.Sprintf("%s-%d", d.id.Cluster, d.id.Deployment) }
