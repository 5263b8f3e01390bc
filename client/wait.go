package client

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Wait follows a job to its end. progress, if not nil, is called with every state that is heard of, at least once. The error is
// kind Failed or Killed, with the job's diagnostics, when the job did not succeed; Result is there as well then.
func (c *Client) Wait(ctx context.Context, id job.ID, progress func(*client.JobStatus)) (*mapreduce.Result, error) {
	var version uint64
	for {
		s, err := c.status(ctx, id, version)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(s)
		}
		if state, over := terminal(s.State); over {
			return c.result(ctx, id, state)
		}
		version = s.Version
	}
}

// status parks at the JobTracker until the job's state changes, but not longer than the poll interval.
func (c *Client) status(ctx context.Context, id job.ID, version uint64) (*client.JobStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, c.poll+c.reconnect+time.Minute)
	defer cancel()
	return c.jobs.Status(ctx, &client.StatusRequest{Id: id.String(), Version: version, WaitMillis: c.poll.Milliseconds()})
}

func terminal(state string) (job.State, bool) {
	for _, s := range []job.State{job.Succeeded, job.Failed, job.Killed} {
		if s.String() == state {
			return s, true
		}
	}
	return job.Running, false
}

func (c *Client) result(ctx context.Context, id job.ID, state job.State) (*mapreduce.Result, error) {
	s, err := c.jobs.Status(ctx, &client.StatusRequest{Id: id.String(), Counters: true})
	if err != nil {
		return nil, err
	}
	r := &mapreduce.Result{ID: id, State: state, Counters: Counters(s.Counter), Diagnostics: s.Diagnostics}
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

// Counters turns counters of the wire into a set of values.
func Counters(list []*client.Counter) *job.Counters {
	c := &job.Counters{}
	for _, x := range list {
		if x.Builtin && x.Id < uint32(job.NumCounters) {
			c.Builtin[x.Id] = x.Value
		} else if !x.Builtin {
			c.Add(x.Group, x.Name, x.Value)
		}
	}
	return c
}
