package distcp

import (
	"context"
	"time"
)

// throttle keeps a copy to a rate. It is used by one goroutine.
type throttle struct {
	rate float64   // bytes a second, 0 = as fast as it can
	free time.Time // when what has passed was due
}

// piece is how much to copy at a time: a tenth of a second's worth.
func (t *throttle) piece(most int) int {
	if t.rate == 0 {
		return most
	}
	return int(max(1, min(float64(most), t.rate/10)))
}

// passed returns when n more bytes are due. It fails when ctx ends.
func (t *throttle) passed(ctx context.Context, n int) error {
	if t.rate == 0 {
		return nil
	}
	if now := time.Now(); t.free.Before(now) {
		t.free = now
	}
	t.free = t.free.Add(time.Duration(float64(n) / t.rate * float64(time.Second)))
	timer := time.NewTimer(time.Until(t.free))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
