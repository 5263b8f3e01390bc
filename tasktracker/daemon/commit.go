package daemon

import (
	"context"
	"time"

	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
)

// commitAgain is how often an attempt that may not commit yet asks again: another attempt of its task is at it.
const commitAgain = 500 * time.Millisecond

// askCommit asks until the child's attempt may commit, or is over, and tells the child.
func (c *child) askCommit() {
	c.mu.Lock()
	attempt := c.attempt
	c.mu.Unlock()
	var reply *wire.CanCommitReply
	for {
		err := c.d.jt.insist(c.d.base, func(ctx context.Context, jt wire.TrackersClient) (err error) {
			reply, err = jt.CanCommit(ctx, &wire.CanCommitRequest{Attempt: toAttempt(attempt)})
			return err
		})
		switch {
		case err != nil: // the attempt is over, and hears of it as every attempt does
			c.d.log.Debug("attempt may not commit", "child", c.handle, "err", err)
			return
		case reply.GetGranted():
			c.order(order{msg: &umbilical.ToChild{Commit: true}})
			return
		}
		select {
		case <-time.After(commitAgain):
		case <-c.d.base.Done():
			return
		}
	}
}
