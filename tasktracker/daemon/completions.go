package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
)

// completions is an append-only list of events in a job. Each event adds or withdraws a map output.
// One goroutine requests new entries from the JobTracker. Each reducer of the job has its own
// cursor into the list.
type completions struct {
	mu   sync.Mutex
	list []*umbilical.Completion
	more chan struct{} // closed when the list grows
}

func newCompletions() *completions { return &completions{more: make(chan struct{})} }

// after returns at most max events starting at cursor, and a channel that closes when the list
// grows. If c is nil, both results are nil.
func (c *completions) after(cursor, max int) ([]*umbilical.Completion, <-chan struct{}) {
	if c == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list[cursor:min(cursor+max, len(c.list))], c.more
}

func (c *completions) add(events []*wire.Completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.list = append(c.list, &umbilical.Completion{Map: e.GetMap(), Attempt: e.GetAttempt(), Addr: e.GetAddr(),
			Obsolete: e.GetObsolete(), Host: e.GetHost()})
	}
	close(c.more)
	c.more = make(chan struct{})
}

// maxCompletions is the maximum number of entries in a response from the JobTracker or in a message
// to a child.
const maxCompletions = 10_000

// follow appends the job's new events to c until ctx is canceled or the job is gone.
func (d *Daemon) follow(ctx context.Context, seq, tracker int32, c *completions) {
	cursor := int32(0)
	for ctx.Err() == nil {
		begun := time.Now()
		var reply *wire.CompletionsReply
		err := d.jt.call(ctx, func(ctx context.Context, client wire.TrackersClient) (err error) {
			ctx, cancel := context.WithTimeout(ctx, parkTimeout)
			defer cancel()
			reply, err = client.Completions(ctx, &wire.CompletionsRequest{Job: seq, From: cursor, Max: maxCompletions,
				WaitMillis: parkFor.Milliseconds(), Tracker: tracker})
			return err
		})
		switch n := len(reply.GetEvent()); {
		case err == nil && n > 0:
			c.add(reply.GetEvent())
			cursor += int32(n)
			continue
		case err == nil && reply.GetGone():
			return
		case err == nil && reply.GetRestart() && cursor > 0:
			d.log.Warn("the JobTracker has lost map outputs; reading its list again", "job", seq, "known", cursor)
			cursor = 0 // reducers ignore entries that they have already received
			continue
		}
		if time.Since(begun) < retryMax {
			_ = lifecycle.Sleep(ctx, retryFirst)
		}
	}
}
