package daemon

import (
	"context"
	"time"

	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
)

// unclean returns the IDs of the attempts that a cleanup task of the job has to roll back.
func (d *Daemon) unclean(ctx context.Context, cluster string, seq int32) (ids []string, err error) {
	var list *wire.Unclean
	err = d.jt.insist(ctx, func(ctx context.Context, jt wire.TrackersClient) (err error) {
		list, err = jt.GetUnclean(ctx, &wire.GetUncleanRequest{Job: seq})
		return err
	})
	for _, a := range list.GetAttempt() {
		id := job.Attempt{Task: job.Task{Job: a.GetJob(), Type: job.TaskType(a.GetType()), Index: a.GetIndex()}, N: a.GetN()}
		ids = append(ids, id.ID(cluster).String())
	}
	return ids, err
}

// commitAgain is the interval between an attempt's requests while another attempt of its task is
// committing.
const commitAgain = 500 * time.Millisecond

// askCommit asks the JobTracker until it permits the child's attempt to commit, the attempt has
// ended, or ctx is canceled, which happens when the child ends. It sends the permission to the
// child.
func (c *child) askCommit(ctx context.Context) {
	c.mu.Lock()
	attempt := c.attempt
	c.mu.Unlock()
	var reply *wire.CanCommitReply
	for {
		err := c.d.jt.insist(ctx, func(ctx context.Context, jt wire.TrackersClient) (err error) {
			reply, err = jt.CanCommit(ctx, &wire.CanCommitRequest{Attempt: toAttempt(attempt)})
			return err
		})
		switch {
		case err != nil: // the attempt has ended; other messages inform the child
			c.d.log.Debug("attempt may not commit", "child", c.handle, "err", err)
			return
		case reply.GetGranted():
			c.order(order{msg: &umbilical.ToChild{Commit: true}})
			return
		}
		select {
		case <-time.After(commitAgain):
		case <-ctx.Done():
			return
		}
	}
}
