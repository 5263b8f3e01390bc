package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// delegator is a file system of a secured cluster that uses the JobTracker's own principal
// (hdfs.FS).
type delegator interface {
	Token(in *token.Credentials) (token.Token, bool)
	RenewToken(ctx context.Context, t token.Token) (time.Time, error)
	CancelToken(ctx context.Context, t token.Token) error
}

// tokens renews the delegation tokens of unfinished jobs before they expire and cancels them after
// the jobs have ended. It ignores tokens that were not issued for the job or that the JobTracker
// cannot renew.
type tokens struct {
	d *Daemon

	mu   sync.Mutex
	all  map[tokenKey]*held
	more chan struct{}
}

type tokenKey struct {
	job    int32
	server string // URI of the file system
}

// held is a token of an unfinished job.
type held struct {
	creds *token.Credentials
	next  time.Time // time of the next renewal; far in the future during a renewal
	end   time.Time // expiry time; zero until the first renewal
}

const (
	renewTimeout  = time.Minute
	renewAgain    = 10 * time.Second // pause after a failure; shorter if the token expires soon
	renewEarliest = time.Second
)

func newTokens(d *Daemon) *tokens {
	return &tokens{d: d, all: map[tokenKey]*held{}, more: make(chan struct{}, 1)}
}

// add begins to renew a job's tokens. The first renewal returns their expiry times.
func (t *tokens) add(info *tracker.JobInfo) {
	if len(info.GetTokenServer()) == 0 || t.d.cfg.Principal == "" {
		return
	}
	creds, err := token.Parse(info.GetCredentials())
	if err != nil {
		t.d.cfg.Log.Warn("a job's tokens will not be renewed", "job", info.Id, "error", err)
		return
	}
	t.mu.Lock()
	for _, server := range info.GetTokenServer() {
		t.all[tokenKey{info.Job, server}] = &held{creds: creds, next: time.Now()}
	}
	t.mu.Unlock()
	t.wake()
}

func (t *tokens) wake() {
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// run renews tokens until ctx ends.
func (t *tokens) run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(t.renewDue(time.Now()))
		select {
		case <-ctx.Done():
			return nil
		case <-t.more:
		case <-timer.C:
		}
	}
}

// renewDue passes due renewals to the workers and returns the time until the next renewal.
func (t *tokens) renewDue(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := time.Hour
	for key, h := range t.all {
		if left := h.next.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		h.next = now.Add(24 * time.Hour)
		t.d.workers.tasks.push(func(ctx context.Context) { t.renew(ctx, key, h) })
	}
	return wait
}

// renew renews one token and schedules its next renewal.
func (t *tokens) renew(ctx context.Context, key tokenKey, h *held) {
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	fs, tok, err := t.find(key.server, h.creds)
	var end time.Time
	if err == nil {
		end, err = fs.RenewToken(ctx, tok)
	}
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[key] != h {
		return // the job has ended
	}
	h.next = nextRenewal(now, h.end, end, err)
	switch {
	case h.next.IsZero():
		delete(t.all, key)
		t.d.cfg.Log.Warn("a job's token will not be renewed again", "job", key.job, "token", tok.String(),
			"ends", h.end, "error", err)
	case err != nil:
		t.d.cfg.Log.Warn("cannot renew a job's token", "job", key.job, "token", tok.String(),
			"retry", h.next, "error", err)
	default:
		h.end = end
		t.d.cfg.Log.Debug("a job's token was renewed", "job", key.job, "token", tok.String(), "ends", end)
	}
	t.wake()
}

// nextRenewal returns the time of a token's next renewal. It comes after three quarters of the
// token's remaining time, or soon after a failure. before and end are the token's expiry times
// before and after the latest renewal, and err is that renewal's error. Zero means never, because
// the token has expired, the JobTracker cannot renew it, or its maximum lifetime has been reached.
func nextRenewal(now, before, end time.Time, err error) time.Time {
	switch {
	case failure.Is(err, failure.Permission):
		return time.Time{}
	case err != nil && (before.IsZero() || before.After(now)):
		again := renewAgain
		if !before.IsZero() {
			again = max(min(again, before.Sub(now)/4), renewEarliest)
		}
		return now.Add(again)
	case err != nil, !end.After(before):
		return time.Time{}
	}
	return now.Add(max(end.Sub(now)*3/4, renewEarliest))
}

// find returns the file system at the URI server, which acts with the JobTracker's own credentials.
// It also returns the token for that file system from creds, the job's credentials.
func (t *tokens) find(server string, creds *token.Credentials) (delegator, token.Token, error) {
	fs, _, err := t.d.cfg.FS.Resolve(server)
	if err != nil {
		return nil, token.Token{}, err
	}
	d, ok := fs.(delegator)
	if ok {
		if tok, ok := d.Token(creds); ok {
			return d, tok, nil
		}
	}
	return nil, token.Token{}, failure.New(failure.NotFound, "find the token for", server, nil)
}

// end stops the renewal of a job's tokens. It cancels the tokens unless the job's configuration
// keeps them.
func (t *tokens) end(ctx context.Context, info *tracker.JobInfo) {
	if t.d.cfg.Principal == "" {
		return
	}
	for _, server := range info.GetTokenServer() {
		t.mu.Lock()
		delete(t.all, tokenKey{info.Job, server})
		t.mu.Unlock()
		if info.KeepTokens {
			continue
		}
		if err := t.cancel(ctx, info, server); err != nil && ctx.Err() == nil {
			t.d.cfg.Log.Warn("cannot cancel a job's token; it will expire", "job", info.Id, "server", server,
				"error", err)
		}
	}
}

func (t *tokens) cancel(ctx context.Context, info *tracker.JobInfo, server string) error {
	ctx, stop := context.WithTimeout(ctx, renewTimeout)
	defer stop()
	creds, err := token.Parse(info.GetCredentials())
	if err != nil {
		return err
	}
	fs, tok, err := t.find(server, creds)
	if err != nil {
		return err
	}
	return fs.CancelToken(ctx, tok)
}
