package daemon

import (
	"context"
	"errors"
	"sync"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// gate is what new jobs come through. It is closed when the JobTracker is about to be given up, so that none is lost with it.
type gate struct {
	mu     sync.Mutex
	closed string // why; "" = it is open
	inside int    // submissions that have come through and are not in the machine yet
}

// enter lets a submission through; it calls leave when the machine has it or has refused it. At a closed gate it is of kind
// Unreachable: clients try again for as long as they look for a JobTracker.
func (g *gate) enter() (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != "" {
		return nil, failure.New(failure.Unreachable, "submit job", "", errors.New("no new jobs are taken here: "+g.closed))
	}
	g.inside++
	return g.leave, nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
}

// set closes the gate, or opens it if there is no reason, and tells how many submissions are inside.
func (g *gate) set(closed string) (inside int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
	return g.inside
}

// why tells why it is closed; "" = it is open.
func (g *gate) why() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// TakeJobs closes the gate or opens it.
func (d *jobsService) TakeJobs(ctx context.Context, r *client.TakeJobsRequest) (*client.TakeJobsReply, error) {
	if err := d.administer(r.User); err != nil {
		return nil, err
	}
	if before := d.gate.why(); before != r.Closed {
		d.cfg.Log.Info("new jobs", "refused", r.Closed != "", "reason", r.Closed)
	}
	inside := d.gate.set(cut(r.Closed, maxText)) // counted before the look: who leaves in between is counted twice rather than not at all
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.TakeJobsReply, error) {
		prep, running := unfinished(m)
		return &client.TakeJobsReply{Unfinished: int32(inside) + prep + running, Epoch: d.epoch}, nil
	})
}
