package shuffle

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
)

// throttle limits the rate of a server's total output. It is safe for concurrent use.
type throttle struct {
	rate int64 // bytes per second; 0 means no limit

	mu   sync.Mutex
	free time.Time // time at which all admitted bytes will have been sent
}

// chunk returns the number of bytes to send at a time. It returns at most most, and no more than
// may be sent in a tenth of a second.
func (t *throttle) chunk(most int64) int64 {
	if t.rate == 0 {
		return most
	}
	return min(most, max(1, t.rate/10))
}

// wait waits until another n bytes may be sent without exceeding the rate. It returns an error if
// ctx is canceled.
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
