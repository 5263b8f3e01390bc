package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// bells let calls wait for news about a key, which is a tracker's handle or a job's number. Every
// ring advances the key's version, so that a caller does not miss news between two calls. The
// methods are safe for concurrent use.
type bells struct {
	base uint64 // first version; it differs after each restart, so a version from before a restart never appears current

	mu      sync.Mutex
	entries map[int32]*bell
	parked  int
}

type bell struct {
	version uint64
	rung    chan struct{} // the next ring closes it
	waiting int
}

// maxParked is the maximum number of parked calls of one kind. It permits three calls for each of
// 10,000 trackers.
const maxParked = 30_000

// maxPark is the maximum time that a call can park, regardless of what the client requests. Keepalive
// pings end the calls of clients that have vanished much sooner.
const maxPark = 10 * time.Minute

func newBells(epoch int64) *bells {
	return &bells{base: uint64(epoch+1) << 32, entries: map[int32]*bell{}}
}

func (b *bells) get(key int32) *bell {
	e := b.entries[key]
	if e == nil {
		e = &bell{version: b.base, rung: make(chan struct{})}
		b.entries[key] = e
	}
	return e
}

// ring wakes all calls that are parked for key.
func (b *bells) ring(key int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.get(key)
	e.version++
	close(e.rung)
	e.rung = make(chan struct{})
}

// forget rings a last time and removes the entry of key. Keys are never reused.
func (b *bells) forget(key int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key]; e != nil {
		close(e.rung)
		delete(b.entries, key)
	}
}

// version returns the current version of key without creating an entry.
func (b *bells) version(key int32) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key]; e != nil {
		return e.version
	}
	return b.base
}

// wait parks until the version of key differs from seen, max or maxPark has passed, or ctx ends. It
// reports whether the version differs.
func (b *bells) wait(ctx context.Context, key int32, seen uint64, max time.Duration) (bool, error) {
	b.mu.Lock()
	e := b.entries[key]
	if e == nil {
		if seen != b.base {
			b.mu.Unlock()
			return true, nil
		}
		e = b.get(key)
	}
	if e.version != seen {
		b.mu.Unlock()
		return true, nil
	}
	if b.parked >= maxParked {
		b.mu.Unlock()
		return false, failure.New(failure.Limit, "wait for news", "", errors.New("too many calls are parked"))
	}
	b.parked++
	e.waiting++
	rung := e.rung
	b.mu.Unlock()
	defer b.leave(key, e)

	timer := time.NewTimer(min(max, maxPark))
	defer timer.Stop()
	select {
	case <-rung:
		return true, nil
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// leave ends a wait. It removes the entry if no call waits for it and the key was never rung.
// Otherwise, entries would accumulate, because clients can wait for any number.
func (b *bells) leave(key int32, e *bell) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parked--
	e.waiting--
	if e.waiting == 0 && e.version == b.base && b.entries[key] == e {
		delete(b.entries, key)
	}
}
