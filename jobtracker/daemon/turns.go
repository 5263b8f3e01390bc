package daemon

import (
	"context"
	"errors"
)

const (
	// maxSubmits is the maximum number of concurrent submissions. Others wait.
	maxSubmits = 8
	// smallSubmission is the maximum size of the files of a small submission, in bytes. The splits and
	// the configuration in them occupy at most about 3 MiB of memory.
	smallSubmission = 32 << 10
)

// errLarge reports that a submission must wait until it is the only large one of its user.
var errLarge = errors.New("the submission is large")

// turns decides which submissions are in progress. At most one large submission of each user is in
// progress at a time. The JobTracker therefore knows what the user's unfinished jobs occupy before
// it reads another one, and one user's large submissions do not block other users. It is safe for
// concurrent use.
type turns struct {
	tokens chan struct{} // one for each submission in progress
	users  keyLocks      // users with a large submission
}

func newTurns() *turns { return &turns{tokens: make(chan struct{}, maxSubmits)} }

// turn is a submission in progress. It is not safe for concurrent use.
type turn struct {
	*turns
	holds  bool   // a token
	unlock func() // not nil if the submission is large
}

// take waits for the turn of a submission. The caller must call end, even if alone has failed.
func (t *turns) take(ctx context.Context) (*turn, error) {
	n := &turn{turns: t}
	return n, n.wait(ctx)
}

func (n *turn) wait(ctx context.Context) error {
	select {
	case n.tokens <- struct{}{}:
		n.holds = true
		return nil
	case <-ctx.Done():
		return busy(ctx)
	}
}

// alone makes the submission a large one. While it waits for the user's other large submissions, it
// leaves its place to other submissions.
func (n *turn) alone(ctx context.Context, user string) (err error) {
	n.leave()
	if n.unlock, err = n.users.lock(ctx, user); err != nil {
		return err
	}
	return n.wait(ctx)
}

func (n *turn) leave() {
	if n.holds {
		n.holds = false
		<-n.tokens
	}
}

func (n *turn) end() {
	n.leave()
	if n.unlock != nil {
		n.unlock()
	}
}
