package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// delegator is a file system of a secured cluster, as the JobTracker's own principal sees it (hdfs.FS).
type delegator interface {
	Token(in *token.Credentials) (token.Token, bool)
	RenewToken(ctx context.Context, t token.Token) (time.Time, error)
	CancelToken(ctx context.Context, t token.Token) error
}

// tokens renews the delegation tokens of unfinished jobs before they end, and cancels them when the jobs are over. Only those are
// touched that were fetched for the job, and that the JobTracker may renew.
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
	next  time.Time // when it is renewed; far away while it is being renewed
	end   time.Time // zero until it was renewed once
}

const (
	renewTimeout  = time.Minute
	renewAgain    = 10 * time.Second // after a failure, and at most this share of what is left:
	renewEarliest = time.Second
)

func newTokens(d *Daemon) *tokens {
	return &tokens{d: d, all: map[tokenKey]*held{}, more: make(chan struct{}, 1)}
}

// add begins to care for a job's tokens. The first renewal tells when they end.
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

// run renews until ctx ends.
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

// renewDue hands what is due to the workers and tells how long to wait for the next.
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
		t.d.workers.push(func(ctx context.Context) { t.renew(ctx, key, h) })
	}
	return wait
}

// renew makes one token last longer.
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
		return // the job is over
	}
	h.next = nextRenewal(now, h.end, end, err)
	switch {
	case h.next.IsZero():
		delete(t.all, key)
		t.d.cfg.Log.Warn("a job's token will not be renewed again", "job", key.job, "token", tok.String(), "ends", h.end, "error", err)
	case err != nil:
		t.d.cfg.Log.Warn("a job's token could not be renewed", "job", key.job, "token", tok.String(), "again", h.next, "error", err)
	default:
		h.end = end
		t.d.cfg.Log.Debug("a job's token was renewed", "job", key.job, "token", tok.String(), "ends", end)
	}
	t.wake()
}

// nextRenewal tells when a token is renewed again: when three quarters of its time have passed, or soon after a failure. Zero =
// never: it has ended, nobody may renew it, or its last day has come, beyond which no renewal goes.
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

// find gives a file system in the JobTracker's own name, and the token that a job has for it.
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

// end stops caring for a job's tokens and cancels them, unless the job wants them to live on.
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
			t.d.cfg.Log.Warn("a job's token was not cancelled; it ends by itself", "job", info.Id, "server", server, "error", err)
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
