package daemon

import (
	"context"
	"errors"
	"sync"

	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// gate admits new jobs. Closing it before the JobTracker shuts down prevents the loss of jobs.
type gate struct {
	mu     sync.Mutex
	closed string // the reason; "" means the gate is open
	inside int    // number of admitted submissions that the machine has not yet accepted or rejected
}

// enter admits a submission. The caller must call leave when the machine has accepted or rejected
// the job. If the gate is closed, enter returns an error of kind Unreachable, so that clients retry
// while they look for a JobTracker.
func (g *gate) enter() (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != "" {
		return nil, failure.New(failure.Unreachable, "submit job", "",
			errors.New("the JobTracker accepts no new jobs: "+g.closed))
	}
	g.inside++
	return g.leave, nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
}

// set closes the gate, or opens it if closed is "". It returns the number of admitted submissions
// that have not left.
func (g *gate) set(closed string) (inside int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
	return g.inside
}

// why returns the reason why the gate is closed, or "" if it is open.
func (g *gate) why() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// TakeJobs closes or opens the gate. It returns the number of unfinished jobs, including admitted
// submissions.
func (d *jobsService) TakeJobs(ctx context.Context, closed, user string) (transport.Rest, error) {
	if _, err := d.administrator(ctx, user); err != nil {
		return transport.Rest{}, err
	}
	if before := d.gate.why(); before != closed {
		d.cfg.Log.Info("new jobs", "rejected", closed != "", "reason", closed)
	}
	inside := d.gate.set(cut(closed,
		maxText)) // call set before look: a submission that leaves in between counts twice, but is not missed
	return look(ctx, d.owner, func(m *jobtracker.Machine) (transport.Rest, error) {
		prep, running := unfinished(m)
		return transport.Rest{Unfinished: int32(inside) + prep + running, Epoch: d.epoch}, nil
	})
}
