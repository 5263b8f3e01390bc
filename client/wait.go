package client

import (
	"context"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// Wait waits until a job ends. If progress is not nil, Wait calls it with each state of the job
// that it receives, including the last one. If the JobTracker cannot write its journal, Wait keeps
// waiting for as long as it would wait for a lost connection. If the job did not succeed, Wait
// returns the Result and an error of kind Failed or Killed with the job's diagnostics.
func (c *Client) Wait(ctx context.Context, id job.ID, progress func(*status.Job)) (*mapreduce.Result, error) {
	var version uint64
	answered := time.Now()
	for {
		s, err := c.await(ctx, id, version)
		if standsStill(err) && time.Since(answered) < c.reconnect && sleep(ctx, c.poll) {
			continue
		}
		if err != nil {
			return nil, err
		}
		answered = time.Now()
		if progress != nil {
			progress(s)
		}
		if s.State.Terminal() {
			return c.result(ctx, id, s.State)
		}
		version = s.Version
	}
}

// standsStill reports whether err means that the JobTracker cannot write its journal, for example
// because its disk is full. In that case, the job continues once the JobTracker can write again.
func standsStill(err error) bool {
	return failure.Is(err, failure.DiskFull) || failure.Is(err, failure.IO)
}

// sleep waits for d. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// await returns the job's status when its version is no longer version, or after the poll interval.
// If version is 0, await returns immediately.
func (c *Client) await(ctx context.Context, id job.ID, version uint64) (*status.Job, error) {
	ctx, cancel := context.WithTimeout(ctx, c.poll+c.reconnect+time.Minute)
	defer cancel()
	return c.Status(ctx, id, status.Query{Version: version, Wait: c.poll})
}

func (c *Client) result(ctx context.Context, id job.ID, state job.State) (*mapreduce.Result, error) {
	s, err := c.Status(ctx, id, status.Query{Counters: true})
	if err != nil {
		return nil, err
	}
	r := &mapreduce.Result{ID: id, State: state, Counters: s.Counters, Diagnostics: s.Diagnostics}
	if state == job.Succeeded {
		return r, nil
	}
	kind := failure.Failed
	if state == job.Killed {
		kind = failure.Killed
	}
	e := failure.New(kind, "run job", id.String(), nil)
	if s.Diagnostics != "" {
		e.Err = diagnostics(s.Diagnostics)
	}
	return r, e
}

type diagnostics string

func (d diagnostics) Error() string { return string(d) }
