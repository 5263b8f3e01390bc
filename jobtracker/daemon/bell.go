package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// bells let calls park until there is news under a number: a tracker's handle or a job's. Every ring gives the number a new
// version, so that news between two calls is not missed. Methods may be called concurrently.
type bells struct {
	base uint64 // first version; differs from one JobTracker to the next, so that an old version is never taken for the present one

	mu      sync.Mutex
	entries map[int32]*bell
	parked  int
}

type bell struct {
	version uint64
	rung    chan struct{} // closed by the next ring
	waiting int
}

// maxParked bounds the parked calls of one kind: three for each of the ten thousand trackers that a cluster may have.
const maxParked = 30_000

// maxPark is the longest that a call is kept, whatever it asks for.
const maxPark = 60 * time.Second

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

// ring lets every call that is parked under key return.
func (b *bells) ring(key int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.get(key)
	e.version++
	close(e.rung)
	e.rung = make(chan struct{})
}

// forget rings for the last time and drops what is kept under key. Numbers are never used again.
func (b *bells) forget(key int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key]; e != nil {
		close(e.rung)
		delete(b.entries, key)
	}
}

// version gives the present version of key without making an entry for it.
func (b *bells) version(key int32) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key]; e != nil {
		return e.version
	}
	return b.base
}

// wait parks until key has another version than seen, max has passed or ctx ends. It reports whether there is news.
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

// leave drops an entry that only its waiters made: a caller may ask for any number.
func (b *bells) leave(key int32, e *bell) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parked--
	e.waiting--
	if e.waiting == 0 && e.version == b.base && b.entries[key] == e {
		delete(b.entries, key)
	}
}
