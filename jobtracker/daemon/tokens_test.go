package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// tokenFS is a file system with tokens that expire.
type tokenFS struct {
	dfs.FileSystem
	life time.Duration
	max  time.Time

	mu        sync.Mutex
	end       time.Time
	renewals  int
	cancelled int
	fails     error
}

func (f *tokenFS) Resolve(string) (dfs.FileSystem, string, error) { return f, "/", nil }

func (f *tokenFS) Token(in *token.Credentials) (token.Token, bool) {
	return in.Find(token.KindHDFS, "nn:8020")
}

func (f *tokenFS) RenewToken(context.Context, token.Token) (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewals++
	if f.fails != nil {
		return time.Time{}, f.fails
	}
	if !f.end.IsZero() && time.Now().After(f.end) {
		return time.Time{}, failure.New(failure.Permission, "renew", "", errors.New("it has ended"))
	}
	f.end = time.Now().Add(f.life)
	if f.end.After(f.max) {
		f.end = f.max
	}
	return f.end, nil
}

func (f *tokenFS) CancelToken(context.Context, token.Token) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled++
	return nil
}

func (f *tokenFS) renewed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.renewals
}

func aJobWithToken() *tracker.JobInfo {
	c := &token.Credentials{}
	c.Add(token.Token{Identifier: []byte{1}, Kind: token.KindHDFS, Service: "nn:8020"})
	return &tracker.JobInfo{Job: 1, Id: "job_1_0001", Credentials: c.Encode(), TokenServer: []string{"hdfs://nn:8020/"}}
}

// keep runs the token renewal of a JobTracker.
func keep(t *testing.T, f *tokenFS) (*tokens, func()) {
	t.Helper()
	f.FileSystem = mem.New()
	d := &Daemon{cfg: Config{FS: f, Principal: "mapred@R", Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	d.workers, d.tokens = newWorkers(d), newTokens(d)
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { _ = d.workers.run(ctx) })
	group.Go(func() { _ = d.tokens.run(ctx) })
	return d.tokens, func() { cancel(); group.Wait() }
}

func TestTokensOfALongJobLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &tokenFS{life: 24 * time.Hour, max: time.Now().Add(7 * 24 * time.Hour)}
		k, stop := keep(t, f)
		defer stop()
		info := aJobWithToken()
		k.add(info)
		synctest.Wait()
		require.Equal(t, 1, f.renewed(), "at once, to hear when it ends")
		time.Sleep(6 * 24 * time.Hour)
		synctest.Wait()
		require.True(t, f.end.After(time.Now()), "it still lives")
		require.InDelta(t, 8, f.renewed(), 2, "and no renewal came too often")
		time.Sleep(10 * 24 * time.Hour)
		synctest.Wait()
		after := f.renewed()
		require.Less(t, after, 40)
		time.Sleep(10 * 24 * time.Hour)
		synctest.Wait()
		require.Equal(t, after, f.renewed(), "no renewals after its maximum lifetime")
		k.end(context.Background(), info)
		require.Equal(t, 1, f.cancelled)
	})
}

func TestTokenIsRenewedWhenTheNameNodeIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &tokenFS{life: 20 * time.Second, max: time.Now().Add(time.Hour)}
		k, stop := keep(t, f)
		defer stop()
		k.add(aJobWithToken())
		synctest.Wait()
		f.mu.Lock()
		f.fails = failure.New(failure.Unreachable, "renew", "", errors.New("nobody there"))
		f.mu.Unlock()
		time.Sleep(18 * time.Second)
		f.mu.Lock()
		f.fails = nil
		f.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		require.True(t, f.end.After(time.Now()))
	})
}

func TestTokensThatOutliveTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &tokenFS{life: time.Hour, max: time.Now().Add(24 * time.Hour)}
		k, stop := keep(t, f)
		defer stop()
		info := aJobWithToken()
		info.KeepTokens = true
		k.add(info)
		synctest.Wait()
		k.end(context.Background(), info)
		k.end(context.Background(), nil)
		require.Zero(t, f.cancelled)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		require.Equal(t, 1, f.renewed())
	})
}

func TestNextRenewal(t *testing.T) {
	now := time.Unix(1000, 0)
	lost := failure.New(failure.Unreachable, "", "", nil)
	for name, x := range map[string]struct {
		before, end time.Time
		err         error
		want        time.Duration // time from now; -1 means never
	}{
		"first":           {end: now.Add(100 * time.Second), want: 75 * time.Second},
		"short":           {end: now.Add(time.Second), want: time.Second},
		"never answered":  {err: lost, want: renewAgain},
		"lost":            {before: now.Add(time.Hour), err: lost, want: renewAgain},
		"lost, late":      {before: now.Add(8 * time.Second), err: lost, want: 2 * time.Second},
		"lost, too late":  {before: now.Add(-time.Second), err: lost, want: -1},
		"not the renewer": {before: now.Add(time.Hour), err: failure.New(failure.Permission, "", "", nil), want: -1},
		"the last day":    {before: now.Add(time.Hour), end: now.Add(time.Hour), want: -1},
	} {
		got := nextRenewal(now, x.before, x.end, x.err)
		if x.want < 0 {
			require.True(t, got.IsZero(), name)
		} else {
			require.Equal(t, now.Add(x.want), got, name)
		}
	}
}
