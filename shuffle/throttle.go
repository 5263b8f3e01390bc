package shuffle

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
)

// throttle spaces out what a server sends so that all of it together keeps to a rate. It is safe for concurrent use.
type throttle struct {
	rate int64 // bytes a second, 0 = no bound

	mu   sync.Mutex
	free time.Time // when what was let through before is sent
}

// chunk is how much should be sent at a time: about a tenth of a second's worth.
func (t *throttle) chunk(most int64) int64 {
	if t.rate == 0 {
		return most
	}
	return min(most, max(1, t.rate/10))
}

// wait returns when n bytes have passed at the rate, behind all that were let through before. It fails when ctx ends.
func (t *throttle) wait(ctx context.Context, n int64) error {
	if t.rate == 0 {
		return nil
	}
	t.mu.Lock()
	now := time.Now()
	if t.free.Before(now) {
		t.free = now
	}
	t.free = t.free.Add(time.Duration(float64(n) / float64(t.rate) * float64(time.Second)))
	pause := t.free.Sub(now)
	t.mu.Unlock()
	return lifecycle.Sleep(ctx, pause)
}
