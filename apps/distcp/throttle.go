package distcp

import (
	"context"
	"time"
)

// throttle limits the rate of a copy. It is not safe for concurrent use.
type throttle struct {
	rate float64   // bytes per second; 0 means no limit
	free time.Time // earliest time at which more bytes may be copied
}

// piece returns the number of bytes to copy at a time, from 1 to most. This is what the rate allows
// in a tenth of a second, or most if there is no limit.
func (t *throttle) piece(most int) int {
	if t.rate == 0 {
		return most
	}
	return int(max(1, min(float64(most), t.rate/10)))
}

// passed records that n bytes have been copied and waits until the rate allows more. It returns an
// error if ctx ends first.
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
